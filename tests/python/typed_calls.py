"""Calls for a type checker: it must refuse the lines that end with "# wrong", and no others. check_python.py compares them."""
from typing import Any

import numpy

import kugel

bounds: kugel.api.Bounds = {"min": (0, 0, 0), "max": (9, 9, 9), "faces": "periodic"}
settings: dict[str, Any] = {"substeps": 2}
world = kugel.World(gravity=(0, 0, -9.81), bounds=dict(min=(0, 0, 0), max=(1, 1, 1), faces="wall"), tasks=dict(threads=2), sleep=False)
kugel.World(gravity=numpy.zeros(3), bounds={"faces": ["open", "wall", "open", "open", "open", "open"]}, substeps=numpy.int64(3))
kugel.World(bounds=bounds, slop=numpy.float32(0.5), **settings)
kugel.World(gravty=(0, 0, -9.81))  # wrong
kugel.World(gravity=-9.81)  # wrong
kugel.World(substeps="2")  # wrong
kugel.World(bounds=dict(min=(0, 0, 0), mx=(1, 1, 1)))  # wrong
kugel.World(bounds=dict(faces="walls"))  # wrong
kugel.World(bounds={"faces": ["wall", "opened"]})  # wrong
kugel.World(faces="wall")  # wrong

ball = world.create_body(position=[0, 0, 1], radius=1, type="kinematic", user_data=2**63, sensor=True, image=(0, 0, 0))
world.create_body(type=kugel.api.KUGEL_STATIC, velocity=numpy.ones(3), mass=numpy.float64(2))
world.create_body(radus=1)  # wrong
world.create_body(radius="1")  # wrong
world.create_body(type="fixed")  # wrong
world.create_body(position=("0", 0, 0))  # wrong
world.create_body(category=1.5)  # wrong
world.create_body(cookie=1)  # wrong

rows = numpy.zeros((4, 3))
world.create_bodies(rows, velocity=rows, radius=[0.5, 1, 1, 2], friction=0.5, type="static", spin=(0, 0, 1))
world.create_bodies([(0, 0, 0)], type=["dynamic"], mass=numpy.ones(1), rotation=[(0, 0, 0, 1)])
world.create_bodies(rows, radii=[1, 1, 1, 1])  # wrong
world.create_bodies(rows, radius=["1"])  # wrong
world.create_bodies(rows, type="soft")  # wrong

world.create_plane(normal=(0, 0, 1), offset=-1)
world.create_plane(normal=(0, 0, 1), distance=-1)  # wrong
world.create_surface(*kugel.shapes.box((1, 1, 1)), friction=0.5)
world.create_surface(shape="capsule", size=(1, 2, 0), one_sided=False)
world.create_surface(shape="ball")  # wrong
world.create_surface(shape="capsule", sizes=(1, 2, 0))  # wrong
box = world.create_surface(*kugel.shapes.box((1, 1, 1)))
world.destroy_surface(box)
world.destroy_surface(ball)  # wrong
world.destroy_body(box)  # wrong
world.destroy_body(world.create_bodies(rows)[0])
world.destroy_body(world.get_body(ball).body)
world.is_valid(box), world.is_valid(ball)
world.explode(center=(0, 0, 0), impulse=1, mask=3)
world.explode(centre=(0, 0, 0))  # wrong

world.nearest((0, 0, 0), 3, max_gap=2, targets=("bodies", "faces"), accept=lambda target, handle: handle != ball)
world.ray_closest((0, 0, 0), (0, 0, 1), mask=1, targets="surfaces", sensors=True)
world.ray_any((0, 0, 0), (0, 0, 1), targets="body")  # wrong
world.overlap_sphere((0, 0, 0), 0, targets=["bodies", "floor"])  # wrong
world.overlap_sphere((0, 0, 0), 1, masks=1)  # wrong
world.overlap_box((0, 0, 0), (1, 1, 1), accept=True)  # wrong

world.start_recording(print, annotation="a", ring_ticks=5, states=False)
world.start_recording(print, ring=5)  # wrong
world.start_recording(print, states="no")  # wrong
world.sync_test(lambda same, tick: None, ticks=3, dt=0.5)
world.sync_test(tick=3)  # wrong

kept, seen = world.read(), world.read(copy=False).position
impacts: kugel.Table = world.impact_events(copy=False)
world.impact_events(False)  # wrong
world.end_events(view=True)  # wrong
with kugel.World() as other:
    other.gravity = (0, 0, -1)
    down: float = other.gravity[2]
other.set_gravity((0, 0, -1))  # wrong
with kugel.Player(b"") as player:
    player.recorded(1, copy=False)

state: kugel.api.kugel_body_state = world.get_body(ball)
height: float = state.position[2] - world.surfaces()[world.create_plane()].definition.position[2]
state.type == "static"
state.type == "soft"  # wrong
try:
    world.step(0)
except ValueError as error:
    assert isinstance(error, kugel.Error) and error.argument == "dt"
world.state(ball)  # wrong
world.step("x")  # wrong
