"""Triangles of simple shapes, for surfaces: world.create_surface(*kugel.shapes.box((1, 1, 1)), friction=0.5).

world.create_surface(shape="capsule", size=...) has exact round shapes instead. Lengths in m. Each returns vertices (n x 3) and
triangles (n x 3 indices), seen from outside or from the side that is named. Round shapes have `segments` flat sides, 3 to
1024. kugel/mesh_shapes.h has ranges and errors of the approximation."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy
import numpy.typing

from . import api
from .values import Error, Rows, Vector, address, doubles, enumerator, library, number, numbers, plain

Mesh = tuple[Rows, Rows]


def _call(function: Any, *arguments: Any) -> None:
    status = function(*arguments)
    if status != api.KUGEL_OK:
        raise Error(status, function.__name__.replace("kugel_mesh_", ""), "has a value out of its range")


def _make(function: Any, vertices: int, triangles: int, *arguments: Any) -> Mesh:
    place, corners = numpy.empty((vertices, 3)), numpy.empty((triangles, 3), numpy.uint32)
    _call(function, *arguments, address(place), address(corners))
    return place, corners


def _count(segments: int) -> int:
    """Segments for the library, which refuses more than its maximum. Memory is reserved for them before."""
    return int(min(plain("segments", ctypes.c_uint32, segments), api.KUGEL_MESH_SEGMENTS_MAX + 1))


def rectangle(corner: Vector = (0, 0, 0), a: Vector = (1, 0, 0), b: Vector = (0, 1, 0)) -> Mesh:
    """A parallelogram: corner, corner + a, corner + a + b, corner + b. Its front is where a x b points."""
    return _make(library.kugel_mesh_rectangle, 4, 2, doubles("corner", corner), doubles("a", a), doubles("b", b))


def box(half: Vector) -> Mesh:
    """A closed box around the origin; half: its half lengths."""
    return _make(library.kugel_mesh_box, 8, 12, doubles("half", half))


def height_field(heights: numpy.typing.ArrayLike, dx: float = 1.0, dy: float = 1.0, origin: Vector = (0, 0, 0)) -> Mesh:
    """Vertex [j, i] is at origin + (i dx, j dy, heights[j, i]). Its front is up."""
    rows = numbers("heights", heights, -1, -1)
    ny, nx = rows.shape
    return _make(library.kugel_mesh_height_field, nx * ny, 2 * max(nx - 1, 0) * max(ny - 1, 0), doubles("origin", origin), number("dx", dx), number("dy", dy), nx, ny, address(rows))


def disc(center: Vector, normal: Vector, radius: float, segments: int = 32) -> Mesh:
    """A disc. Its front is where the normal points."""
    n = _count(segments)
    return _make(library.kugel_mesh_disc, n + 1, n, doubles("center", center), doubles("normal", normal), number("radius", radius), n)


def cone(from_: Vector, to: Vector, radius_from: float, radius_to: float = 0.0, segments: int = 32, caps: str = "both") -> Mesh:
    """A cone between the points from_ and to, its frustum or, with equal radii, a cylinder. caps: "none", "from", "to" or "both" ends are
    closed. Its front is outside; without caps it is a tube or a hopper."""
    n, count = _count(segments), ctypes.c_uint32()
    place, corners = numpy.empty((2 * n + 2, 3)), numpy.empty((4 * n, 3), numpy.uint32)
    _call(library.kugel_mesh_cone, doubles("from_", from_), doubles("to", to), number("radius_from", radius_from), number("radius_to", radius_to), n,
          plain("caps", ctypes.c_int, enumerator("caps", "kugel_mesh_caps", caps)), address(place), address(corners), count)
    return place, corners[:count.value].copy()


def capsule(from_: Vector, to: Vector, radius: float, segments: int = 32) -> Mesh:
    """A capsule, or a sphere if from_ and to are the same point; segments: a multiple of 4."""
    n = _count(segments)
    return _make(library.kugel_mesh_capsule, n * n // 2 + 2, n * n, doubles("from_", from_), doubles("to", to), number("radius", radius), n)
