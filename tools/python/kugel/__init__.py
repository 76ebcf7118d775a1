"""kugel from Python: worlds of moving spheres, whose states are numpy arrays.

    import kugel
    world = kugel.World(gravity=(0, 0, -9.81))
    world.create_plane(normal=(0, 0, 1), friction=0.5)
    ball = world.create_body(position=(0, 0, 10), restitution=0.5)
    for tick in range(600):
        world.step(1 / 60)
    print(world.read().position, hex(world.hash()))

Units are SI: m, s, kg, rad. Every name of the C headers is in kugel.api, and kugel.library is the library itself, for
what has no method here. kugel.observables has pressure, g(r), S(k), mean squared displacement and others,
kugel.continuum stress, fabric and fields by coarse graining, kugel.shapes meshes of boxes, discs, cones, capsules and
height fields, kugel.geometry tests of rays and spheres without a world. The headers have ranges and details of each function.

Enumerators are given and read by their names: type="kinematic", impacts["target"] == "surface". Results are copies; with
copy=False some methods return views of memory that a later call overwrites. A refused call raises kugel.Error, which
is a ValueError, and leaves the world as it was, but create_bodies() keeps the bodies before the row that the world
refused. If a value has a wrong type, the error is a kugel.WrongType, which is a TypeError as well.

The library is KUGEL_LIBRARY of the environment, else libkugel.so beside this file, else the system's."""
from . import api, continuum, geometry, observables, shapes
from .api import BodyHandle, SurfaceHandle
from .bodies import Bodies
from .player import Player, Recorded
from .rollback import apply_delta, check_snapshot, make_delta, snapshot_difference
from .scenes import reduced_gas, run, scenes
from .servo import Servo
from .surfaces import Surface
from .sweeps import reproduce, sweep
from .tables import Row, Table
from .values import Error, WrongType, library
from .world import World, interpolate_rotations

__version__ = api.KUGEL_VERSION_STRING
__all__ = ["Bodies", "BodyHandle", "Error", "Player", "Recorded", "Row", "Servo", "Surface", "SurfaceHandle", "Table", "World", "WrongType", "api", "apply_delta", "check_snapshot", "continuum", "geometry",
           "interpolate_rotations", "library", "make_delta", "observables", "reduced_gas", "reproduce", "run", "scenes", "shapes", "snapshot_difference", "sweep"]
