"""Functions for rollback besides save() and restore(): deltas of snapshots for the network, checks, and the first difference."""
from __future__ import annotations

import ctypes
from typing import Optional

from . import api
from .values import Error, library, raw


def make_delta(base: bytes, snapshot: bytes) -> bytes:
    """The difference between two snapshots (World.save()); small changes give few bytes."""
    base, snapshot = raw("base", base), raw("snapshot", snapshot)
    given, size = (base, len(base), snapshot, len(snapshot)), ctypes.c_size_t()
    library.kugel_delta_make(*given, None, 0, size)
    delta = ctypes.create_string_buffer(size.value)
    status = library.kugel_delta_make(*given, delta, len(delta), size)
    if status:
        raise Error(status, "snapshot")
    return delta.raw[:size.value]


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """The snapshot that a delta leads to from its base. Another base or a damaged delta is an error."""
    base, delta, size = raw("base", base), raw("delta", delta), ctypes.c_size_t()
    status = library.kugel_delta_apply(base, len(base), delta, len(delta), ctypes.create_string_buffer(1), 0, size)
    if status != api.KUGEL_ERROR_LIMIT:  # it says the size that it needs
        raise Error(status, "delta")
    snapshot = ctypes.create_string_buffer(size.value)
    status = library.kugel_delta_apply(base, len(base), delta, len(delta), snapshot, len(snapshot), size)
    if status:
        raise Error(status, "delta")
    return snapshot.raw[:size.value]


def snapshot_difference(expected: bytes, found: bytes) -> Optional[api.kugel_divergence]:
    """The first difference of two snapshots: body, field and both values; None if they are equal."""
    _check("expected", expected), _check("found", found)
    expected, found, row = raw("expected", expected), raw("found", found), api.kugel_divergence()
    return row if library.kugel_snapshot_difference(expected, len(expected), found, len(found), row) else None


def _check(name: str, snapshot: bytes) -> api.kugel_snapshot_info:
    data, info, error = raw(name, snapshot), api.kugel_snapshot_info(), api.kugel_error()
    if status := library.kugel_snapshot_check(data, len(data), info, error):
        raise Error(status, name, error.message)
    return info


def check_snapshot(snapshot: bytes) -> api.kugel_snapshot_info:
    """The properties of a snapshot; raises what is wrong with it."""
    return _check("snapshot", snapshot)
