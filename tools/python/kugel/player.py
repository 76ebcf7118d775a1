"""Recordings: replay, verification, and reading without replay."""
from __future__ import annotations

import base64
import ctypes
import html
import pathlib
from typing import Any, Callable, Literal, Mapping, NamedTuple, Optional, Union

from . import api
from .bodies import Bodies
from .values import Error, Owner, PairFilter, Writer, WrongType, check, fill, invalid, items_at, library, plain, raw
from .world import World


PAGE = pathlib.Path(__file__).with_name("page.html")  # of the viewer; not there if it was not built


class Recorded(NamedTuple):
    """The recorded hash and state after a tick."""
    tick: int
    hash: int
    bodies: Optional[Bodies]


class Player(Owner):
    """Plays a recording, given as bytes, and reads recorded states without replay. `info` describes the recording. The number
    of `threads` of the played world, 1 ... 256, does not change the result. `limits` has the members bytes and bodies of
    kugel_limits, for recordings of strangers; what is left out has its default. A with statement frees it at its end."""

    def __init__(self, recording: bytes, threads: int = 1, limits: Optional[Mapping[str, int]] = None) -> None:
        self._data = raw("recording", recording, "the bytes of a recording")
        self._owned = ctypes.POINTER(api.kugel_player)()
        error = api.kugel_error()
        most = fill(api.kugel_limits(), limits or {})
        check(library.kugel_player_open(self._data, len(self._data), most, None, plain("threads", ctypes.c_uint32, threads), self._owned, error), error)
        self._pairs: Optional[PairFilter] = None
        self.tick: int = 0
        """Played ticks of the recording, 0 ... info.ticks."""
        self.info = api.kugel_recording_info()
        library.kugel_player_info(self._player, self.info)

    def __del__(self) -> None:
        if getattr(self, "_owned", None):
            owned, self._owned = self._owned, ctypes.POINTER(api.kugel_player)()
            library.kugel_player_close(owned)

    def close(self) -> None:
        """Free the player now. Later calls are errors, except close(). Views of its memory must not be used any more."""
        if self._owned:
            self._changing  # an error in a callback
            self.__del__()

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _player(self) -> Any:
        return self._free()

    def __reduce__(self) -> Any:
        raise WrongType("", "a kugel.Player cannot be copied or pickled: pass on the recording's bytes")

    def __repr__(self) -> str:
        return f"<kugel.Player: {self.info.ticks} ticks, physics epoch {self.info.physics_epoch}>"

    @property
    def annotation(self) -> bytes:
        """The annotation that the host gave to World.start_recording(), as bytes."""
        return ctypes.string_at(self.info.annotation, self.info.annotation_size) if self.info.annotation else b""

    def set_pair_filter(self, decide: Optional[Callable[[api.kugel_pair, int], object]]) -> None:
        """Set the callback that the recorded world had by World.set_pair_filter. None removes it."""
        pairs = PairFilter(decide)
        check(library.kugel_player_set_pair_filter(self._player, pairs.c, None))
        self._pairs = pairs  # the player calls it

    def _fail(self) -> None:
        error = library.kugel_player_error(self._player).contents
        check(error.status, error)

    def _played(self, result: int) -> int:
        """Raise what the pair filter raised, or the error of a step or seek."""
        if self._pairs:
            self._pairs.check()
        if result == api.KUGEL_PLAY_ERROR:
            self._fail()
        return result

    def seek(self, tick: int) -> None:
        """Play up to `tick`, 0 ... info.ticks, from the nearest snapshot. At a snapshot's own tick the world has no
        events: seek to the tick before and step to have them."""
        wanted = plain("tick", ctypes.c_int64, tick)
        if not 0 <= wanted <= self.info.ticks:
            raise invalid("tick", f"{wanted} is not in 0 ... {self.info.ticks}")
        self._played(self._call(library.kugel_player_seek, wanted))
        self.tick = wanted

    def step(self) -> Union[Literal["tick", "end"], api.kugel_divergence]:
        """Play one tick and compare it with the recorded one. @return "tick" if it is as recorded, "end" if the recording has
        no further tick, else the first difference."""
        difference = api.kugel_divergence()
        result = self._played(self._call(library.kugel_player_step, difference))
        if result == api.KUGEL_PLAY_END:
            return "end"
        self.tick += 1
        return difference if result == api.KUGEL_PLAY_DIVERGED else "tick"

    def verify(self) -> Optional[api.kugel_divergence]:
        """Replay all ticks. @return None if every tick is as recorded, else the first kugel_divergence."""
        self.seek(0)
        result = self.step()
        while result == "tick":
            result = self.step()
        return result if isinstance(result, api.kugel_divergence) else None

    def cache_keyframes(self, bytes: int) -> None:
        """Memory for snapshots of played ticks, from which a seek can start; 0, the initial value: none."""
        library.kugel_player_cache_keyframes(self._player, plain("bytes", ctypes.c_size_t, bytes))

    def hash(self, tick: int) -> int:
        """The recorded hash of the state after `tick`, 1 ... info.ticks; 0 for other ticks."""
        return int(library.kugel_player_hash(self._player, plain("tick", ctypes.c_uint64, tick)))

    def recorded(self, tick: int, *, copy: bool = True) -> Recorded:
        """Recorded(tick, hash, bodies) of `tick`, 1 ... info.ticks; bodies is None without recorded states. copy=False:
        bodies are read-only views of the library's memory, valid until the next call of this player."""
        row, wanted = api.kugel_recorded(), plain("tick", ctypes.c_int64, tick)
        if not 1 <= wanted <= self.info.ticks:
            raise invalid("tick", f"{wanted} is not in 1 ... {self.info.ticks}")
        status = library.kugel_player_recorded(self._player, wanted, row)
        if status:
            raise Error(status, "tick")
        if not row.has_state:
            return Recorded(row.tick, row.hash, None)
        columns = [items_at(column, 3 * row.count, ctypes.c_double, self, copy).reshape(-1, 3)
                   for column in (row.position, row.velocity, row.spin)]
        return Recorded(row.tick, row.hash, Bodies(items_at(row.ids, row.count, ctypes.c_uint32, self, copy), *columns))

    def rewrite(self) -> bytes:
        """The recording uncompressed and without states, for readers without zstd such as the JavaScript package."""
        parts: list[bytes] = []
        writer = Writer(parts.append, self)
        status = self._call(library.kugel_player_rewrite, writer.c, None)
        if status:
            raise writer.failed or Error(status, "recording")
        return b"".join(parts)

    def page(self, title: str = "recording") -> str:
        """An HTML page that plays the recording in a browser, without server or network; as `kugel-replay view` writes it."""
        if not isinstance(title, str):
            raise WrongType("title", f"is no text: {title!r}")
        if self.info.pair_filter:
            raise Error(api.KUGEL_ERROR_STATE, "recording", "its pair filter is code, which a page cannot run")
        if not PAGE.exists():
            raise Error(api.KUGEL_ERROR_STATE, "", "the module was built without the viewer: it takes clang, lld and wasi-libc")
        end = "not closed" if self.info.lost or not self.info.closed else ""
        if self.info.damaged:
            end = f"damaged at byte {self.info.bytes}"
        name, data = html.escape(title, quote=False), base64.encodebytes(self.rewrite()).decode()
        return (f'{PAGE.read_text(encoding="utf-8")}<template id="name">{name}</template>\n<template id="end">{end}</template>\n'
                f'<script type="text/plain" id="recording">\n{data}</script>\n</body>\n</html>\n')

    def _repr_html_(self) -> Optional[str]:
        """What a notebook shows: the page, in a frame."""
        if self.info.pair_filter or not PAGE.exists():
            return None
        return f'<iframe srcdoc="{html.escape(self.page())}" allow="fullscreen" style="border: 0; width: 100%; height: 600px"></iframe>'

    def world(self, tick: Optional[int] = None) -> World:
        """A new world in the state after `tick`, 0 ... info.ticks; by default the last. The player runs up to that tick from
        the nearest snapshot."""
        self.seek(self.info.ticks if tick is None else tick)
        return World._of(library.kugel_player_world(self._player), pairs=self._pairs)
