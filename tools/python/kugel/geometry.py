"""Geometric tests of spheres, planes, ellipsoids and rays as pure functions, without a world. kugel/geometry.h has their
conventions, accuracy and sources.

Lengths in m, times in s; `rotation` is a unit quaternion x, y, z, w, None: no rotation. A ray is origin + t * direction,
t in 0 ... t_max, which may be math.inf; the segment from p to q is the ray (p, q - p, 1), a point a ray of direction 0. A plane
has the points normal . x = offset. Results are structs of C, in which no hit is hit.hit == False; they have the bits of C. A
sweep is a sphere (center, radius) that moves at velocity for dt."""
from __future__ import annotations

import ctypes
from typing import Any, Mapping, Optional, TypeVar

from . import api
from .values import Error, Vector, doubles, library, number

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


# Spheres.


def ray_sphere(origin: Vector, direction: Vector, t_max: float, center: Vector, radius: float) -> api.kugel_hit:
    """A ray against a sphere."""
    return _ask(library.kugel_ray_sphere, api.kugel_hit(), locals())


def line_sphere(origin: Vector, direction: Vector, center: Vector, radius: float) -> api.kugel_line_hit:
    """An infinite line against a sphere: both roots, which may be negative."""
    return _ask(library.kugel_line_sphere, api.kugel_line_hit(), locals())


def overlap_spheres(center_a: Vector, radius_a: float, center_b: Vector, radius_b: float) -> api.kugel_overlap:
    """Gap, normal and nearest points of two spheres."""
    return _ask(library.kugel_overlap_spheres, api.kugel_overlap(), locals())


def overlap_sphere_box(center: Vector, radius: float, min: Vector, max: Vector) -> api.kugel_overlap:
    """Gap, normal and nearest points of a sphere and a solid box along the axes."""
    return _ask(library.kugel_overlap_sphere_box, api.kugel_overlap(), locals())


# Planes.


def ray_plane(origin: Vector, direction: Vector, t_max: float, normal: Vector, offset: float) -> api.kugel_plane_hit:
    """A ray against a plane."""
    return _ask(library.kugel_ray_plane, api.kugel_plane_hit(), locals())


def plane_sphere(normal: Vector, offset: float, center: Vector, radius: float) -> api.kugel_plane_gap:
    """The distance of a sphere from a plane."""
    return _ask(library.kugel_plane_sphere, api.kugel_plane_gap(), locals())


def plane_sphere_circle(normal: Vector, offset: float, center: Vector, radius: float) -> api.kugel_circle:
    """The circle in which a plane cuts a sphere."""
    return _ask(library.kugel_plane_sphere_circle, api.kugel_circle(), locals())


# Ellipsoids.


def ray_ellipsoid(origin: Vector, direction: Vector, t_max: float, center: Vector, semi_axes: Vector,
                  rotation: Rotation = None) -> api.kugel_hit:
    """A ray against an ellipsoid."""
    return _ask(library.kugel_ray_ellipsoid, api.kugel_hit(), locals())


def ellipsoid_nearest(point: Vector, center: Vector, semi_axes: Vector, rotation: Rotation = None) -> api.kugel_overlap:
    """The point of an ellipsoid's surface nearest to a point."""
    return _ask(library.kugel_ellipsoid_nearest, api.kugel_overlap(), locals())


# Moving spheres: the first contact within dt.


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
