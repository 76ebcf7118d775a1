"""Geometric tests of spheres, planes, ellipsoids and rays as pure functions, without a world. kugel/geometry.h has their
conventions, accuracy and sources.

Lengths in m, times in s; `rotation` is a unit quaternion x, y, z, w, None: no rotation. A ray is origin + t * direction,
t >= 0; a segment goes from p to q, t in 0 ... 1; a plane has the points normal . x = offset. Results are structs of C, in
which no hit is hit.hit == False; they have the bits of C. Functions of many rays or spheres return t_enter, -1 for a miss. A
sweep is a sphere (center, radius) that moves at velocity for dt."""
from __future__ import annotations

import ctypes
from typing import Any, Mapping, Optional, TypeVar

import numpy

from . import api
from .values import Error, Rows, Vector, WrongType, address, doubles, library, number, numbers

Rotation = Optional[Vector]
Answer = TypeVar("Answer")


def _given(name: str, value: Any, kind: Any) -> Any:
    """An argument for C: a number, or 3 or 4 of them."""
    if kind is ctypes.c_double:
        return number(name, value)
    return None if value is None and name == "rotation" else doubles(name, value, 4 if name == "rotation" else 3)


def _refused(status: int, names: Any) -> Error:
    """The error of a test, which cannot tell which argument is wrong."""
    *first, last = names
    return Error(status, f"{', '.join(first)} or {last}")


def _ask(function: Any, answer: Answer, given: Mapping[str, Any], *more: Any) -> Answer:
    """The answer of a test; `given` are the arguments by their names, in the order of C."""
    values = (_given(name, value, kind) for (name, value), kind in zip(given.items(), function.argtypes))
    if status := function(*values, answer, *more):
        raise _refused(status, given)
    return answer


def _ask_all(function: Any, count: int, values: tuple[Any, ...], *names: str) -> Rows:
    """t_enter of many tests; `values` are in the order of C, `names` those of the arguments."""
    out = numpy.empty(count)
    if status := function(*values, address(out)):
        raise _refused(status, names)
    return out


# Spheres.


def point_sphere(point: Vector, center: Vector, radius: float) -> bool:
    """True if the point is in the sphere or on its surface."""
    return bool(_ask(library.kugel_point_sphere, ctypes.c_bool(), locals()).value)


def ray_sphere(origin: Vector, direction: Vector, center: Vector, radius: float) -> api.kugel_hit:
    """A ray against a sphere."""
    return _ask(library.kugel_ray_sphere, api.kugel_hit(), locals())


def segment_sphere(p: Vector, q: Vector, center: Vector, radius: float) -> api.kugel_hit:
    """A segment against a sphere."""
    return _ask(library.kugel_segment_sphere, api.kugel_hit(), locals())


def line_sphere(origin: Vector, direction: Vector, center: Vector, radius: float) -> api.kugel_line_hit:
    """An infinite line against a sphere: both roots, which may be negative."""
    return _ask(library.kugel_line_sphere, api.kugel_line_hit(), locals())


def ray_sphere_facing(origin: Vector, direction: Vector, center: Vector, radius: float) -> api.kugel_hit:
    """ray_sphere() by the plane through the centre that is perpendicular to the ray."""
    return _ask(library.kugel_ray_sphere_facing, api.kugel_hit(), locals())


def overlap_spheres(center_a: Vector, radius_a: float, center_b: Vector, radius_b: float) -> api.kugel_overlap:
    """Gap, normal and nearest points of two spheres."""
    return _ask(library.kugel_overlap_spheres, api.kugel_overlap(), locals())


def overlap_sphere_box(center: Vector, radius: float, min: Vector, max: Vector) -> api.kugel_overlap:
    """Gap, normal and nearest points of a sphere and a solid box along the axes."""
    return _ask(library.kugel_overlap_sphere_box, api.kugel_overlap(), locals())


# Planes.


def ray_plane(origin: Vector, direction: Vector, normal: Vector, offset: float) -> api.kugel_plane_hit:
    """A ray against a plane."""
    return _ask(library.kugel_ray_plane, api.kugel_plane_hit(), locals())


def segment_plane(p: Vector, q: Vector, normal: Vector, offset: float) -> api.kugel_plane_hit:
    """A segment against a plane."""
    return _ask(library.kugel_segment_plane, api.kugel_plane_hit(), locals())


def plane_sphere(normal: Vector, offset: float, center: Vector, radius: float) -> api.kugel_plane_gap:
    """The distance of a sphere from a plane."""
    return _ask(library.kugel_plane_sphere, api.kugel_plane_gap(), locals())


def plane_sphere_circle(normal: Vector, offset: float, center: Vector, radius: float) -> api.kugel_circle:
    """The circle in which a plane cuts a sphere."""
    return _ask(library.kugel_plane_sphere_circle, api.kugel_circle(), locals())


# Ellipsoids.


def point_ellipsoid(point: Vector, center: Vector, semi_axes: Vector, rotation: Rotation = None) -> bool:
    """True if the point is in the ellipsoid or on its surface."""
    return bool(_ask(library.kugel_point_ellipsoid, ctypes.c_bool(), locals()).value)


def ray_ellipsoid(origin: Vector, direction: Vector, center: Vector, semi_axes: Vector, rotation: Rotation = None) -> api.kugel_hit:
    """A ray against an ellipsoid."""
    return _ask(library.kugel_ray_ellipsoid, api.kugel_hit(), locals())


def segment_ellipsoid(p: Vector, q: Vector, center: Vector, semi_axes: Vector, rotation: Rotation = None) -> api.kugel_hit:
    """A segment against an ellipsoid."""
    return _ask(library.kugel_segment_ellipsoid, api.kugel_hit(), locals())


def ellipsoid_nearest(point: Vector, center: Vector, semi_axes: Vector, rotation: Rotation = None) -> api.kugel_overlap:
    """The point of an ellipsoid's surface nearest to a point."""
    return _ask(library.kugel_ellipsoid_nearest, api.kugel_overlap(), locals())


# Many rays, many spheres: n x 3 and n.


def ray_spheres(origin: Vector, direction: Vector, centers: Any, radii: Any) -> Rows:
    """One ray against n spheres."""
    places, sizes = numbers("centers", centers, -1, 3), numbers("radii", radii, -1)
    if len(places) != len(sizes):
        raise WrongType("radii", f"takes {len(places)} numbers, one for each sphere, got {len(sizes)}")
    ray = doubles("origin", origin), doubles("direction", direction)
    return _ask_all(library.kugel_ray_spheres, len(places), (*ray, len(places), address(places), address(sizes)), "origin", "direction", "centers", "radii")


def _rays(origins: Any, directions: Any) -> tuple[Rows, Rows]:
    starts, along = numbers("origins", origins, -1, 3), numbers("directions", directions, -1, 3)
    if len(starts) != len(along):
        raise WrongType("directions", f"takes {len(starts)} rows, one for each ray, got {len(along)}")
    return starts, along


def rays_sphere(origins: Any, directions: Any, center: Vector, radius: float) -> Rows:
    """n rays against one sphere."""
    starts, along = _rays(origins, directions)
    values = (len(starts), address(starts), address(along), doubles("center", center), number("radius", radius))
    return _ask_all(library.kugel_rays_sphere, len(starts), values, "origins", "directions", "center", "radius")


def rays_ellipsoid(origins: Any, directions: Any, center: Vector, semi_axes: Vector, rotation: Rotation = None) -> Rows:
    """n rays against one ellipsoid."""
    starts, along = _rays(origins, directions)
    shape = doubles("center", center), doubles("semi_axes", semi_axes), None if rotation is None else doubles("rotation", rotation, 4)
    return _ask_all(library.kugel_rays_ellipsoid, len(starts), (len(starts), address(starts), address(along), *shape),
                    "origins", "directions", "center", "semi_axes", "rotation")


# Moving spheres: the first contact within dt.


def sweep_sphere_sphere(center: Vector, velocity: Vector, radius: float, other_center: Vector, other_radius: float, dt: float) -> api.kugel_contact:
    """A moving sphere against one at rest."""
    return _ask(library.kugel_sweep_sphere_sphere, api.kugel_contact(), locals())


def sweep_spheres(center_a: Vector, velocity_a: Vector, radius_a: float, center_b: Vector, velocity_b: Vector, radius_b: float,
                  dt: float) -> api.kugel_contact:
    """Two moving spheres; b is the target."""
    return _ask(library.kugel_sweep_spheres, api.kugel_contact(), locals())


def sweep_sphere_plane(center: Vector, velocity: Vector, radius: float, normal: Vector, offset: float, dt: float) -> api.kugel_contact:
    """A moving sphere against the solid half space normal . x <= offset."""
    return _ask(library.kugel_sweep_sphere_plane, api.kugel_contact(), locals())


def sweep_sphere_box(center: Vector, velocity: Vector, radius: float, min: Vector, max: Vector, dt: float) -> tuple[api.kugel_contact, int]:
    """A moving sphere inside a box. @return the contact, and the face: 0 ... 5, or -1 for a miss."""
    given, contact, face = locals(), api.kugel_contact(), ctypes.c_int()
    return _ask(library.kugel_sweep_sphere_box, contact, given, face), face.value


def sweep_sphere_ellipsoid(center: Vector, velocity: Vector, radius: float, other_center: Vector, semi_axes: Vector, rotation: Rotation,
                           dt: float) -> api.kugel_contact:
    """A moving sphere against an ellipsoid."""
    return _ask(library.kugel_sweep_sphere_ellipsoid, api.kugel_contact(), locals())


def sweep_sphere_segment(center: Vector, velocity: Vector, radius: float, p: Vector, q: Vector, dt: float) -> api.kugel_contact:
    """A moving sphere against a segment."""
    return _ask(library.kugel_sweep_sphere_segment, api.kugel_contact(), locals())


def sweep_sphere_capsule(center: Vector, velocity: Vector, radius: float, p: Vector, q: Vector, other_radius: float, dt: float) -> api.kugel_contact:
    """A moving sphere against a capsule: all points within other_radius of the segment."""
    return _ask(library.kugel_sweep_sphere_capsule, api.kugel_contact(), locals())


def sweep_sphere_triangle(center: Vector, velocity: Vector, radius: float, a: Vector, b: Vector, c: Vector, dt: float) -> api.kugel_contact:
    """A moving sphere against a triangle, from both sides."""
    return _ask(library.kugel_sweep_sphere_triangle, api.kugel_contact(), locals())


def sweep_sphere_disc(center: Vector, velocity: Vector, radius: float, other_center: Vector, normal: Vector, other_radius: float,
                      dt: float) -> api.kugel_contact:
    """A moving sphere against a flat round disc, from both sides."""
    return _ask(library.kugel_sweep_sphere_disc, api.kugel_contact(), locals())


def sweep_sphere_oriented_box(center: Vector, velocity: Vector, radius: float, other_center: Vector, half: Vector, rotation: Rotation,
                              dt: float) -> api.kugel_contact:
    """A moving sphere against a solid box with half lengths `half`."""
    return _ask(library.kugel_sweep_sphere_oriented_box, api.kugel_contact(), locals())
