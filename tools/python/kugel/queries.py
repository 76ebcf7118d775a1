"""Queries of a world between two steps. They report targets: bodies in each periodic image that they meet, walls and
surfaces. A result has its kind in "target" (as kugel_target), its "index", and "body", which is 0 for other kinds.

Keyword arguments of all but contact queries are a filter, members of kugel_filter: category, mask, group, sensors (True:
sensors are found as well), targets ("bodies", or several of "bodies", "faces", "surfaces"; by default all), and
accept, a callable accept(target, handle) that returns whether the target passes: a word of kugel_target, and the handle
of a body or surface or the index of another target. With None it passes. It may read the world, not change it.
Lists are arrays with members of a C struct, as in found["gap"]; hits have theirs in found["hit"]["point"]."""
from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy

from . import api
from .api import BodyHandle, SurfaceHandle
from .tables import Table, table
from .values import (Error, Filter, Vector, WorldOwner, WrongType, address, all_results, check, check_body, doubles, handle_of,
                     invalid, library, number, numbers, plain)

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _length(name: str, value: float) -> Any:
    length = number(name, value)
    if not length >= 0:
        raise invalid(name, f"must be >= 0, got {length}")
    return length


def _ray(origin: Vector, direction: Vector, t_max: float) -> api.kugel_ray:
    return api.kugel_ray(doubles("origin", origin), doubles("direction", direction), _length("t_max", t_max))


# names of arguments for errors that cannot tell which of them is wrong
RAY = "origin, direction or t_max"
CAST = "origin, direction, t_max or radius"


class Queries(WorldOwner):
    """The queries of World."""

    def _first(self, function: Any, names: str, arguments: tuple[Any, ...], hit: Any, filter: Mapping[str, Any]) -> Any:
        taken = Filter(filter)
        taken.check(self._query(function, *arguments, taken.c, hit), names)
        return hit

    def _all(self, function: Any, names: str, arguments: tuple[Any, ...], kind: Any, filter: Mapping[str, Any]) -> Table:
        taken = Filter(filter)
        rows = all_results(lambda *room: self._query(function, *arguments, taken.c, *room), kind, names)
        taken.check(api.KUGEL_OK, names)
        return rows

    def prepare_queries(self) -> None:
        """Build the index that the first query after a step would build."""
        check(library.kugel_world_prepare_queries(self._world))

    # Rays: up to t_max lengths of direction, which must be finite in a world with periodic faces.

    def ray_closest(self, origin: Vector, direction: Vector, t_max: float = math.inf, **filter: Unpack[api.Filter]) -> Optional[api.kugel_ray_hit]:
        """The first target on a ray from origin (m) along direction (m), up to t_max lengths of it: its kugel_ray_hit, or None. A
        segment from p to q is ray_closest(p, q - p, 1). In a world with periodic faces t_max must be finite."""
        hit = self._first(library.kugel_world_ray_closest, RAY, (_ray(origin, direction, t_max),), api.kugel_ray_hit(), filter)
        return hit if hit.hit.hit else None

    def ray_any(self, origin: Vector, direction: Vector, t_max: float = math.inf, **filter: Unpack[api.Filter]) -> bool:
        """True if a target is on the ray."""
        return bool(self._first(library.kugel_world_ray_any, RAY, (_ray(origin, direction, t_max),), ctypes.c_bool(), filter).value)

    def ray_all(self, origin: Vector, direction: Vector, t_max: float = math.inf, **filter: Unpack[api.Filter]) -> Table:
        """All targets on the ray by (t_enter, target, index), members of kugel_ray_hit."""
        return self._all(library.kugel_world_ray_all, RAY, (_ray(origin, direction, t_max),), api.kugel_ray_hit, filter)

    def rays_closest(self, origins: Any, directions: Any, t_max: Any = math.inf, **filter: Unpack[api.Filter]) -> Table:
        """ray_closest() for many: n x 3 each, t_max one number or n; members of kugel_ray_hit; ["hit"]["hit"] is False for no hit."""
        starts, along = numbers("origins", origins, -1, 3, one=True), numbers("directions", directions, -1, 3, one=True)
        if len(starts) != len(along) and 1 not in (len(starts), len(along)):
            raise WrongType("origins and directions", f"take arrays of n x 3, got {starts.shape} and {along.shape}")
        starts, along = numpy.broadcast_arrays(starts, along)
        reach = numbers("t_max", t_max, -1, one=True)
        if len(reach) not in (1, len(starts)):
            raise WrongType("t_max", f"takes one number or {len(starts)}, got {len(reach)}")
        rays, taken = numpy.empty(len(starts), api.kugel_ray), Filter(filter)
        rays["origin"], rays["direction"], rays["t_max"] = starts, along, reach
        hits = table(len(rays), api.kugel_ray_hit)
        taken.check(self._query(library.kugel_world_rays_closest, len(rays), address(rays, api.kugel_ray), taken.c,
                                address(hits, api.kugel_ray_hit)), "origins, directions or t_max")
        return hits

    # Moving spheres: centre origin (m), path t_max * direction.

    def cast_closest(self, origin: Vector, direction: Vector, radius: float, t_max: float = 1.0, **filter: Unpack[api.Filter]) -> Optional[api.kugel_cast_hit]:
        """The first target that a moving sphere (radius, m) meets: its kugel_cast_hit, or None."""
        arguments = (_ray(origin, direction, t_max), _length("radius", radius))
        hit = self._first(library.kugel_world_cast_closest, CAST, arguments, api.kugel_cast_hit(), filter)
        return hit if hit.contact.hit else None

    def cast_any(self, origin: Vector, direction: Vector, radius: float, t_max: float = 1.0, **filter: Unpack[api.Filter]) -> bool:
        """True if a target is on the sphere's path."""
        arguments = (_ray(origin, direction, t_max), _length("radius", radius))
        return bool(self._first(library.kugel_world_cast_any, CAST, arguments, ctypes.c_bool(), filter).value)

    def cast_all(self, origin: Vector, direction: Vector, radius: float, t_max: float = 1.0, **filter: Unpack[api.Filter]) -> Table:
        """All targets on the sphere's path by (time, target, index), members of kugel_cast_hit."""
        return self._all(library.kugel_world_cast_all, CAST, (_ray(origin, direction, t_max), _length("radius", radius)), api.kugel_cast_hit, filter)

    # Volumes and planes: members of kugel_found, gap in m.

    def overlap_sphere(self, center: Vector, radius: float, **filter: Unpack[api.Filter]) -> Table:
        """Targets that touch a sphere (m), by (target, index); with radius 0 those that contain a point."""
        return self._all(library.kugel_world_overlap_sphere, "center or radius", (doubles("center", center), _length("radius", radius)), api.kugel_found, filter)

    def overlap_box(self, min: Vector, max: Vector, **filter: Unpack[api.Filter]) -> Table:
        """Targets that touch a box along the axes (m), by (target, index)."""
        return self._all(library.kugel_world_overlap_box, "min or max", (doubles("min", min), doubles("max", max)), api.kugel_found, filter)

    def overlap_ellipsoid(self, center: Vector, semi_axes: Vector, rotation: Optional[Vector] = None, **filter: Unpack[api.Filter]) -> Table:
        """Targets that touch an ellipsoid (m; rotation: unit quaternion x, y, z, w), by (target, index)."""
        turned = None if rotation is None else doubles("rotation", rotation, 4)
        return self._all(library.kugel_world_overlap_ellipsoid, "center, semi_axes or rotation", (doubles("center", center), doubles("semi_axes", semi_axes), turned), api.kugel_found, filter)

    def nearest(self, point: Vector, count: int = 1, max_gap: float = numpy.inf, **filter: Unpack[api.Filter]) -> Table:
        """The `count` targets nearest to a point (m), by their gap, which is at most `max_gap` (m)."""
        taken, written = Filter(filter), ctypes.c_size_t()
        counts = (library.kugel_world_body_count, library.kugel_world_surface_end)
        targets = 6 + sum(count(self._world) for count in counts)  # 6 faces
        rows = table(int(min(plain("count", ctypes.c_uint32, count), targets)), api.kugel_found)
        taken.check(self._query(library.kugel_world_nearest, doubles("point", point), number("max_gap", max_gap), taken.c, len(rows),
                                address(rows, api.kugel_found), written), "point or max_gap")
        found: Table = rows[:written.value]
        return found

    def plane_side(self, normal: Vector, offset: float, side: int, **filter: Unpack[api.Filter]) -> Table:
        """Bodies in front of a plane (side 1: normal . x > offset, m), behind it (-1), or cut by it (0), by id."""
        if plain("side", ctypes.c_int, side) not in (-1, 0, 1):
            raise invalid("side", f"must be -1, 0 or 1, got {side}")
        return self._all(library.kugel_world_plane_side, "normal or offset", (doubles("normal", normal), number("offset", offset), side), api.kugel_found, filter)

    def sensor_bodies(self, sensor: BodyHandle) -> Any:
        """The bodies that are in a sensor now, by id: an array of handles."""
        return self._sensed(library.kugel_world_sensor_bodies, "sensor", sensor, "body")

    def surface_bodies(self, surface: SurfaceHandle) -> Any:
        """The bodies that are in a surface that is a sensor now, by id: an array of handles."""
        return self._sensed(library.kugel_surface_bodies, "surface", surface, "surface")

    def _sensed(self, function: Any, name: str, sensor: Any, kind: str) -> Any:
        capacity, count, given = 64, ctypes.c_size_t(), handle_of(name, sensor)
        while True:
            bodies = numpy.empty(capacity, numpy.uint64)
            status = function(self._world, given, capacity, address(bodies), count)
            if status == api.KUGEL_ERROR_INVALID_ARGUMENT:
                raise Error(status, name, "is not a sensor")
            if status:
                raise Error(status, kind)
            if count.value <= capacity:
                return bodies[:count.value]
            capacity = count.value

    # Resting contacts: members of kugel_resting_contact, point and gap in m, force and friction in N.

    def contacts(self, body: Optional[int] = None) -> Table:
        """Resting contacts of a body, which is ["a"] in each, or of the world, where ["a"] has the lower id."""
        def call(*room: Any) -> int:
            if body is None:
                return int(library.kugel_world_contacts(self._world, *room))
            check_body(library.kugel_body_contacts(self._world, handle_of("body", body), *room))
            return api.KUGEL_OK

        return all_results(call, api.kugel_resting_contact, "")
