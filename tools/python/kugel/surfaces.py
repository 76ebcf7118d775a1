"""Surfaces of a world, which bodies collide with: meshes of triangles and solid shapes."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import numpy.typing

from . import api
from .api import SurfaceHandle
from .values import (Error, Rows, Vector, WorldOwner, WrongType, address, check, default, doubles, fill, handle_of,
                     items_at, library, number, numbers, plain)

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

    def create_surface(self, vertices: numpy.typing.ArrayLike | None = None, triangles: numpy.typing.ArrayLike | None = None,
                    **definition: Unpack[api.SurfaceDef]) -> SurfaceHandle:
        """A mesh that bodies collide with: vertices (m, n x 3) and triangles (indices of vertices, n x 3; counterclockwise
        seen from the front). Or a solid shape without them: shape="plane", "ellipsoid", "capsule", "cone" or "box", with
        size=(...) (m) as kugel_surface_shape tells. Other members of kugel_surface_def are keyword arguments: position=(0, 0, 0) (m),
        rotation=(0, 0, 0, 1) (unit quaternion x, y, z, w), one_sided=False, velocity (m/s), spin (rad/s), tangent_velocity (m/s), restitution,
        friction, rolling_resistance, tangential_restitution, category, mask, group, user_data. The arrays are copied. @return its handle."""
        surface, settings = ctypes.c_uint64(), fill(default(api.kugel_surface_def), definition)
        if settings.shape == "mesh":
            place, corners = numbers("vertices", vertices, -1, 3), _corners(triangles)
            settings.vertices, settings.vertex_count = address(place), len(place)
            settings.triangles, settings.triangle_count = address(corners), len(corners)
        elif vertices is not None or triangles is not None:
            raise WrongType("shape", f"a solid {settings.shape} has no vertices and triangles")
        self._do(library.kugel_surface_create(self._changing, settings, surface))
        return SurfaceHandle(surface.value)

    def create_plane(self, normal: Vector = (0, 0, 1), offset: float = 0, **definition: Unpack[api.SurfaceDef]) -> SurfaceHandle:
        """A surface of shape "plane": free where normal . x >= offset (normal: unit; offset: m). By default the floor z >= 0.
        Other keyword arguments as for create_surface: friction=0.5, restitution, category ... @return its handle."""
        settings, surface = api.kugel_surface_def(), ctypes.c_uint64()
        library.kugel_surface_def_init_plane(settings, ctypes.sizeof(settings), doubles("normal", normal), number("offset", offset))
        self._do(library.kugel_surface_create(self._changing, fill(settings, definition), surface))
        return SurfaceHandle(surface.value)

    def destroy_surface(self, surface: SurfaceHandle) -> None:
        """Remove a surface with its resting contacts. Its handle becomes stale."""
        self._do(library.kugel_surface_destroy(self._changing, handle_of("surface", surface)))

    def set_surface_pose(self, surface: SurfaceHandle, position: Vector, rotation: Vector = (0, 0, 0, 1)) -> None:
        """Put a surface elsewhere: position (m) and rotation (unit quaternion x, y, z, w) of its frame. Its resting contacts
        end; bodies are not carried along."""
        self._do(library.kugel_surface_set_pose(self._changing, handle_of("surface", surface), doubles("position", position), doubles("rotation", rotation, 4)))

    def set_surface_motion(self, surface: SurfaceHandle, velocity: Vector, spin: Vector = (0, 0, 0)) -> None:
        """Let a surface move from the next step on: velocity of its frame's origin (m/s) and spin about it (rad/s)."""
        self._do(library.kugel_surface_set_motion(self._changing, handle_of("surface", surface), doubles("velocity", velocity), doubles("spin", spin)))

    def set_surface_tangent_velocity(self, surface: SurfaceHandle, velocity: Vector) -> None:
        """Let the material of a surface run along it (m/s, in its frame), as a conveyor belt; the surface stays where it is."""
        self._do(library.kugel_surface_set_tangent_velocity(self._changing, handle_of("surface", surface), doubles("velocity", velocity)))

    def set_surface_material(self, surface: SurfaceHandle, restitution: float = 0, friction: float = 0.5, rolling_resistance: float = 0,
                             tangential_restitution: float = 0) -> None:
        """Set the material of a surface; bodies that rest on it wake."""
        values = (number("restitution", restitution), number("friction", friction), number("rolling_resistance", rolling_resistance),
                  number("tangential_restitution", tangential_restitution))
        self._do(library.kugel_surface_set_material(self._changing, handle_of("surface", surface), *values))

    def set_surface_filter(self, surface: SurfaceHandle, category: int = 1, mask: int = 0xFFFFFFFF, group: int = 0) -> None:
        """Set category, mask and group of a surface, as in kugel_surface_def; bodies that touch it wake."""
        words = (plain(name, ctypes.c_uint32, value) for name, value in (("category", category), ("mask", mask), ("group", group)))
        self._do(library.kugel_surface_set_filter(self._changing, handle_of("surface", surface), *words))

    def set_surface_kind(self, surface: SurfaceHandle, kind: int) -> None:
        """Set the kind of material of a surface, 0 ... 63: see World.set_pair_material. Bodies that rest on it wake."""
        self._do(library.kugel_surface_set_kind(self._changing, handle_of("surface", surface), plain("kind", ctypes.c_uint32, kind)))

    def set_surface_target(self, surface: SurfaceHandle, position: Vector | None, rotation: Vector | None, dt: float) -> None:
        """Set the motion of a surface so that after one step of dt (s), or after several that take dt together, it is at
        position (m) with rotation (unit quaternion x, y, z, w). None: the velocity, or the spin, stays as it is."""
        place = None if position is None else doubles("position", position)
        turn = None if rotation is None else doubles("rotation", rotation, 4)
        seconds = number("dt", dt)
        self._do(library.kugel_surface_set_target(self._changing, handle_of("surface", surface), place, turn, seconds))

    def set_surface_user_data(self, surface: SurfaceHandle, user_data: int) -> None:
        """Set a surface's 64 bits for the host, initially those of create_surface; they are not part of the state."""
        value = plain("user_data", ctypes.c_uint64, user_data)
        self._do(library.kugel_surface_set_user_data(self._changing, handle_of("surface", surface), value))

    def get_surface_user_data(self, surface: SurfaceHandle) -> int:
        """A surface's 64 bits for the host."""
        user_data = ctypes.c_uint64()
        if status := library.kugel_surface_get_user_data(self._world, handle_of("surface", surface), user_data):
            raise Error(status, "surface", "does not exist")
        return user_data.value

    def surface(self, index: int) -> SurfaceHandle | None:
        """The handle of the surface with an index, as in events of the last step, or None."""
        return SurfaceHandle(library.kugel_world_surface(self._world, plain("index", ctypes.c_uint32, index))) or None

    def surfaces(self) -> dict[SurfaceHandle, Surface]:
        """The surfaces by their handles, in the order of their indices, with their present places and copies of their meshes."""
        found = {}
        for index in range(library.kugel_world_surface_end(self._world)):
            handle = self.surface(index)
            if handle is None:
                continue
            definition, info = api.kugel_surface_def(), api.kugel_surface_info()
            check(library.kugel_surface_get(self._world, handle, definition, info))
            vertices = items_at(definition.vertices, 3 * definition.vertex_count, ctypes.c_double, self, True).reshape(-1, 3)
            triangles = items_at(definition.triangles, 3 * definition.triangle_count, ctypes.c_uint32, self, True).reshape(-1, 3)
            definition.vertices = definition.triangles = None  # they would point to memory that the world may free
            found[handle] = Surface(definition, vertices, triangles, info)
        return found
