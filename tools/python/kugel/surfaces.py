"""Surfaces of a world, which bodies collide with: meshes of triangles and solid shapes."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import numpy.typing

from . import api
from .values import (Error, Rows, Vector, WorldOwner, WrongType, address, check, doubles, fill, index_of, items_at,
                     library, number, numbers, plain)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Surface(NamedTuple):
    """A surface as the world has it; arrays are copies."""
    definition: api.kugel_surface_def
    """place, motion and material; its pointers are null"""
    vertices: Rows
    """m, in the surface's frame, n x 3; equal ones are welded: triangles use the first of them. Those of a solid shape show it"""
    triangles: Rows
    """indices of vertices, n x 3"""
    info: api.kugel_surface_info
    """what the world found in the mesh: open edges, dropped triangles ..."""


def _corners(triangles: Any) -> Rows:
    """Indices of vertices, n x 3; other numbers are refused."""
    rows = numbers("triangles", triangles, -1, 3)
    if not len(rows) or numpy.asarray(triangles).dtype.kind not in "iu" or rows.min() < 0 or rows.max() > 0xffffffff:
        raise WrongType("triangles", "takes whole numbers of 32 bits, three for each triangle")
    return rows.astype(numpy.uint32)


class SurfaceMethods(WorldOwner):
    """The methods of World that add, move and read surfaces."""

    def add_surface(self, vertices: numpy.typing.ArrayLike | None = None, triangles: numpy.typing.ArrayLike | None = None,
                    **surface: Unpack[api.SurfaceDef]) -> int:
        """A mesh that bodies collide with: vertices (m, n x 3) and triangles (indices of vertices, n x 3; counterclockwise
        seen from the front). Or a solid shape without them: shape="plane", "ellipsoid", "capsule" or "cone", with
        size=(...) (m) as kugel_surface_shape tells. Other members of kugel_surface_def are keyword arguments: position=(0, 0, 0) (m),
        rotation=(0, 0, 0, 1) (unit quaternion x, y, z, w), one_sided=False, velocity (m/s), spin (rad/s), tangent_velocity (m/s), restitution,
        friction, rolling_resistance, category, mask, group, user_data. The arrays are copied. @return its index."""
        index, definition = ctypes.c_uint32(), fill(library.kugel_surface_def_default(), surface)
        if definition.shape == "mesh":
            place, corners = numbers("vertices", vertices, -1, 3), _corners(triangles)
            definition.vertices, definition.vertex_count = address(place), len(place)
            definition.triangles, definition.triangle_count = address(corners), len(corners)
        elif vertices is not None or triangles is not None:
            raise WrongType("shape", f"a solid {definition.shape} has no vertices and triangles")
        self._do(library.kugel_world_add_surface(self._changing, definition, index))
        return index.value

    def remove_surface(self, index: int) -> None:
        """Remove a surface with its resting contacts. Its index is free again."""
        self._do(library.kugel_world_remove_surface(self._changing, index_of(index)))

    def place_surface(self, index: int, position: Vector, rotation: Vector = (0, 0, 0, 1)) -> None:
        """Put a surface elsewhere: position (m) and rotation (unit quaternion x, y, z, w) of its frame. Its resting contacts
        end; bodies are not carried along."""
        self._do(library.kugel_world_place_surface(self._changing, index_of(index), doubles("position", position), doubles("rotation", rotation, 4)))

    def set_surface_motion(self, index: int, velocity: Vector, spin: Vector = (0, 0, 0)) -> None:
        """Let a surface move from the next step on: velocity of its frame's origin (m/s) and spin about it (rad/s)."""
        self._do(library.kugel_world_set_surface_motion(self._changing, index_of(index), doubles("velocity", velocity), doubles("spin", spin)))

    def set_surface_tangent_velocity(self, index: int, velocity: Vector) -> None:
        """Let the material of a surface run along it (m/s, in its frame), as a conveyor belt; the surface stays where it is."""
        self._do(library.kugel_world_set_surface_tangent_velocity(self._changing, index_of(index), doubles("velocity", velocity)))

    def set_surface_material(self, index: int, restitution: float = 0, friction: float = 0.5, rolling_resistance: float = 0) -> None:
        """Set the material of a surface; bodies that rest on it wake."""
        values = number("restitution", restitution), number("friction", friction), number("rolling_resistance", rolling_resistance)
        self._do(library.kugel_world_set_surface_material(self._changing, index_of(index), *values))

    def set_surface_target(self, index: int, position: Vector | None, rotation: Vector | None, dt: float) -> None:
        """Set the motion of a surface so that after one step of dt (s), or after several that take dt together, it is at
        position (m) with rotation (unit quaternion x, y, z, w). None: the velocity, or the spin, stays as it is."""
        place = None if position is None else doubles("position", position)
        turn = None if rotation is None else doubles("rotation", rotation, 4)
        seconds = number("dt", dt)
        self._do(library.kugel_world_set_surface_target(self._changing, index_of(index), place, turn, seconds))

    def set_surface_user_data(self, index: int, user_data: int) -> None:
        """Set a surface's 64 bits for the host, initially those of add_surface; they are not part of the state."""
        value = plain("user_data", ctypes.c_uint64, user_data)
        self._do(library.kugel_world_set_surface_user_data(self._changing, index_of(index), value))

    def get_surface_user_data(self, index: int) -> int:
        """A surface's 64 bits for the host."""
        user_data = ctypes.c_uint64()
        if status := library.kugel_world_get_surface_user_data(self._world, index_of(index), user_data):
            raise Error(status, "index", "there is no such surface")
        return user_data.value

    def surfaces(self) -> dict[int, Surface]:
        """The surfaces by index, with their present places and copies of their meshes."""
        found = {}
        for index in range(library.kugel_world_surface_end(self._world)):
            definition, info = api.kugel_surface_def(), api.kugel_surface_info()
            status = library.kugel_world_get_surface(self._world, index, definition, info)
            if status == api.KUGEL_ERROR_INVALID_ARGUMENT:
                continue  # a free index
            check(status)
            vertices = items_at(definition.vertices, 3 * definition.vertex_count, ctypes.c_double, self, True).reshape(-1, 3)
            triangles = items_at(definition.triangles, 3 * definition.triangle_count, ctypes.c_uint32, self, True).reshape(-1, 3)
            definition.vertices = definition.triangles = None  # they would point to memory that the world may free
            found[index] = Surface(definition, vertices, triangles, info)
        return found
