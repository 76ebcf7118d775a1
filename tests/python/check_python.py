"""The Python module beside the native library. Hashes and positions are compared exactly.
usage: check_python.py SOURCE BUILD [PACKAGES]: the folder that holds the module, where it is not the build's; exit 77
with the reason when it cannot run."""
import contextlib
import copy
import ctypes
import gc
import html
import inspect
import io
import math
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import time

source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
packages = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else build / "tools/python"
try:
    import numpy
except ImportError:
    print("skipped: no numpy (Debian: python3-numpy)")
    sys.exit(77)
names = subprocess.run(["nm", "-D", packages / "kugel/libkugel.so"], capture_output=True, text=True).stdout
if "__asan" in names or "__tsan" in names or "__ubsan" in names:
    print("skipped: a sanitized library cannot be loaded by Python")
    sys.exit(77)
sys.path.insert(0, str(packages))
import kugel
from kugel import api

assert pathlib.Path(kugel.__file__).parent.samefile(packages / "kugel"), kugel.__file__

scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)


def compiled(text, *more):
    (folder / "program.c").write_text(text)
    subprocess.run(["gcc", "-w", f"-I{source}/include", "-o", folder / "program", folder / "program.c", *more], check=True)
    return subprocess.run([folder / "program"], capture_output=True, text=True, check=True).stdout.split()


def refused(argument, call, *rest, **named):
    try:
        call(*rest, **named)
    except kugel.Error as error:
        assert error.argument == argument, f"{error.argument!r} is named instead of {argument!r}"
        return
    raise AssertionError(f"{argument} was not refused")


def raises(kind, call, *rest):
    """The error that a call raises."""
    try:
        call(*rest)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def pushed(decide=None):
    """A world in which a moving body is near another, and the handle of the moving one."""
    world = kugel.World()
    world.create_body()
    body = world.create_body(position=(-1.1, 0, 0), velocity=(1, 0, 0))
    world.set_pair_filter(decide)
    return world, body


def test_layout():
    """Struct layouts equal those of the C compiler; each declared function exists."""
    structs = {name: kind for name, kind in vars(api).items()
               if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and hasattr(kind, "_fields_")}
    asked, found = [], []
    for name, kind in structs.items():
        asked.append(f"sizeof({name})")
        found.append(ctypes.sizeof(kind))
        for member, _ in kind._fields_:
            asked.append(f"offsetof({name}, {member})")
            found.append(getattr(kind, member).offset)
    lines = "".join(f'printf("%zu\\n", {expression});' for expression in asked)
    wanted = compiled("#include <kugel/kugel.h>\n#include <stdio.h>\nint main(void){" + lines + "}")
    for expression, a, b in zip(asked, map(int, wanted), found):
        assert a == b, f"{expression}: {a} in C, {b} in Python"
    assert len(structs) > 20 and "kugel_body_state" in structs
    declared = sum(text.read_text().count("\nKUGEL_API ") for text in (source / "include/kugel").glob("*.h"))
    assert len(api.FUNCTIONS) == declared, f"{len(api.FUNCTIONS)} of {declared} functions"


HOST = """
#include <kugel/kugel.h>
#include <stdio.h>
int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_surface_def floor = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    floor.restitution = 0.5;
    kugel_surface_create(world, &floor, NULL);
    for (int i = 0; i < 50; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 0.1 * (i % 7), ball.position[1] = 0.1 * (i % 5), ball.position[2] = 1 + 1.1 * i;
        ball.restitution = 0.7;
        if (kugel_body_create(world, &ball, NULL)) return 1;
    }
    for (int tick = 0; tick < 240; ++tick) kugel_world_step(world, 1.0 / 60);
    printf("%016llx\\n", (unsigned long long)kugel_world_hash(world));
    return 0;
}
"""


def test_same_hash():
    """A program with the library, in C and here."""
    expected = compiled(HOST, str(packages / "kugel/libkugel.so"), f"-Wl,-rpath,{packages}/kugel")[0]
    world = kugel.World(gravity=(0, 0, -9.81))
    world.create_plane(normal=(0, 0, 1), restitution=0.5, friction=0.5)
    i = numpy.arange(50)
    world.create_bodies(numpy.stack([0.1 * (i % 7), 0.1 * (i % 5), 1 + 1.1 * i], 1), restitution=0.7)
    for _ in range(240):
        world.step(1 / 60)
    assert f"{world.hash():016x}" == expected, f"{world.hash():016x} in Python, {expected} in C"


def test_recording():
    """A recording of kugel-run replays with the recorded hashes. Recorded states are copies, views on request."""
    run = [build / "samples/kugel-run", "gas", "--ticks", "20", "--quiet", "--record", folder / "gas.kugel"]
    last = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    player = kugel.Player((folder / "gas.kugel").read_bytes())
    assert player.verify() is None
    row = player.recorded(20)
    assert f"hash 0x{row.hash:016x}" in last
    assert row.bodies and len(row.bodies.ids) == len(row.bodies.position) > 0
    seen = player.recorded(20, copy=False).bodies
    for kept, shown in zip(row.bodies, seen):
        assert numpy.array_equal(kept, shown) and kept.flags.writeable and not shown.flags.writeable
        assert not numpy.shares_memory(kept, shown)
    for tick in -1, 0, 21:
        refused("tick", player.recorded, tick)
    assert "21 is not in 1 ... 20" in str(raises(kugel.Error, player.recorded, 21))


def test_own_recording():
    """A run recorded here replays."""
    chunks = []
    world = kugel.World()
    world.start_recording(chunks.append)
    world.create_bodies([(0, 0, 0), (3, 0, 0)], velocity=[(1, 0, 0), (-1, 0, 0)], restitution=[1.0, 1.0])
    world.mark_recording()
    raises(kugel.Error, world.mark_recording)
    world.create_body(position=(0, 9, 0))
    for _ in range(90):
        world.step(1 / 60)
    world.stop_recording()
    player = kugel.Player(b"".join(chunks))
    assert player.world(0).body_count == 2
    player.cache_keyframes(1 << 20)
    assert player.verify() is None and player.recorded(90).hash == world.hash()
    refused("bytes", player.cache_keyframes, -1)
    plain = kugel.Player(player.rewrite())
    assert plain.verify() is None and plain.recorded(90) == (90, world.hash(), None)
    assert kugel.Player(plain.rewrite()).rewrite() == plain.rewrite()
    assert numpy.array_equal(player.recorded(90).bodies.position, world.read().position)


def test_page():
    """A player's page is that of kugel-replay, also of what is left of a damaged recording; a notebook shows it."""
    whole, title = folder / "page & title.kugel", "page & title.kugel"
    subprocess.run([build / "samples/kugel-run", "cradle", "--ticks", "40", "--quiet", "--record", whole], check=True)
    data = whole.read_bytes()
    if not (packages / "kugel/page.html").exists():
        assert kugel.Player(data)._repr_html_() is None
        return refused("", kugel.Player(data).page)
    damaged = data[:len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1:]
    for recording in data, data[:len(data) // 2], damaged:
        whole.write_bytes(recording)
        subprocess.run([build / "tools/replay/kugel-replay", "view", whole, "-o", folder / "page.html"], capture_output=True)
        page = kugel.Player(recording).page(title)
        assert page == (folder / "page.html").read_text()
    frame = re.fullmatch('<iframe srcdoc="([^"]*)"[^<>]*></iframe>', kugel.Player(data)._repr_html_())
    assert html.unescape(frame[1]) == kugel.Player(data).page()


def test_annotation():
    """Bytes and texts of any length are stored and read, zeros too."""
    for note in "caf\u00e9", b"A\0B", bytearray(b"a" * 1000), b"":
        chunks = []
        world = kugel.World()
        world.start_recording(chunks.append, annotation=note)
        world.step(1)
        world.stop_recording()
        player = kugel.Player(b"".join(chunks))
        assert player.annotation == (note.encode() if isinstance(note, str) else note) and player.info.annotation_size == len(player.annotation)
    raises(TypeError, lambda: kugel.World().start_recording(print, annotation=5))
    assert "write: is called as write(data), got 'a.kugel'" in str(raises(TypeError, kugel.World().start_recording, "a.kugel"))


def test_failing_writer():
    """An exception of the writer is raised after the call."""
    taken = []

    def full(data):
        if len(taken) == 3:
            raise OSError("disk full")
        taken.append(data)

    world = kugel.World()
    world.start_recording(full)
    world.create_body()
    assert world.recording_error is None
    for _ in range(200):
        world.step(1 / 60)
    assert str(world.recording_error) == "disk full"
    try:
        world.stop_recording()
    except OSError as error:
        assert str(error) == "disk full"
    else:
        raise AssertionError("a failed writer was not reported")
    assert world.tick == 200 and kugel.Player(b"".join(taken)).verify() is None
    taken.clear()
    try:
        kugel.World().start_recording(lambda data: 1 / 0)
    except ZeroDivisionError:
        return
    raise AssertionError("a writer that fails at once was not reported")


def test_copies_and_views():
    """States and events are copies, which stay as they are. copy=False gives read-only views: read() reuses its arrays, events are the
    library's memory and keep the world alive."""
    world = kugel.World()
    world.create_bodies([(0, 0, 0), (2, 0, 0)], velocity=[(1, 0, 0), (-1, 0, 0)], restitution=1.0)
    world.create_body(position=(0, 0, 9), type="static", sensor=True)
    kept, seen = world.read(), world.read(copy=False)
    before = copy.deepcopy(kept)
    world.step(0.75)
    assert all(map(numpy.array_equal, kept, before)) and (world.read().position - kept.position)[0, 0] == 0.25
    again = world.read(copy=False)
    for column, same in zip(seen, again):
        assert numpy.shares_memory(column, same) and not column.flags.writeable
    assert numpy.array_equal(seen.position, world.read().position) and not numpy.shares_memory(again.position, world.read().position)
    impacts, shown, count = world.impact_events(), world.impact_events(copy=False), ctypes.c_size_t()
    there = ctypes.cast(kugel.library.kugel_world_impact_events(world._world, count), ctypes.c_void_p).value
    assert shown.ctypes.data == there != impacts.ctypes.data and len(shown) == 1 and not shown.flags.writeable
    assert impacts.flags.writeable and impacts[0] == shown[0] and shown["time"][0] == 0.5 and list(shown["normal"][0]) == [1, 0, 0]
    for name in "begin_events", "end_events", "sleep_events", "wake_events", "sensor_events":
        assert not len(getattr(world, name)()) and not getattr(world, name)(copy=False).flags.writeable
    destroyed = []
    destroy = kugel.library.kugel_world_destroy
    kugel.library.kugel_world_destroy = lambda w: (destroyed.append(1), destroy(w))
    world.step(0.75)
    assert len(world.impact_events()) == 0 and impacts["speed"][0] == 2.0, "kept impacts have changed"
    world.restore(world.save())
    world.set_velocity(world.body(0), (9, 0, 0))
    world.step(1)
    shown = world.impact_events(copy=False)
    speed = shown["speed"][0]
    del world
    assert not destroyed and shown["speed"][0] == speed > 0
    del shown
    assert destroyed
    kugel.library.kugel_world_destroy = destroy
    sheet = kugel.World()
    sheet.create_surface(*kugel.shapes.rectangle())
    definition = sheet.surfaces()[sheet.surface(0)].definition
    assert definition.vertex_count == 4 and not definition.vertices and not definition.triangles


def test_with():
    """A with statement frees the world; a recording ends; later calls are refused, and so is a call that a callback makes."""
    chunks = []
    with kugel.World() as world:
        world.start_recording(chunks.append)
        world.create_body()
        world.step(1)
        assert world and repr(world).startswith("<kugel.World: 1 bodies")
    assert not world and repr(world) == "<kugel.World: freed>"
    for call in (lambda: world.step(1), lambda: len(world), world.read, world.clone, lambda: world.gravity, lambda: world.set_mass(1, 1), world.impact_events):
        error = raises(kugel.Error, call)
        assert (error.status, error.argument) == ("state", "world") and "was freed" in str(error)
    world.destroy()
    with kugel.Player(b"".join(chunks)) as player:
        assert player.verify() is None and player.world().tick == 1
    assert not player and (raises(kugel.Error, player.verify).argument, player.close()) == ("player", None)

    def leave():
        with kugel.World() as broken:
            broken.start_recording(lambda data: written.append(data) if not written else 1 // 0)
            broken.step(1)

    written = []
    raises(ZeroDivisionError, leave)  # the last bytes are not written
    world = kugel.World()
    for test in lambda same, tick: same.destroy(), lambda same, tick: same.overlap_sphere((0, 0, 0), 1, accept=lambda target, body: world.destroy()):
        world.create_body()
        assert raises(kugel.Error, world.sync_test, test).status == "state" and world and world.tick == 0


def test_truth():
    """Results are true if there is something in them; a world is true without bodies; no handle is 0."""
    world = kugel.World(gravity=(0, 0, -1))
    assert world and not len(world) and not world.read() and not world.read_states() and not world.impact_events()
    assert not world.is_valid(0) and world.body(0) is None and not world.nearest((0, 0, 0))
    refused("body", world.get_body, 0)
    world.create_plane()
    body = world.create_body(position=(0, 0, 1))
    assert body and world.read() and world.read_states() and world.nearest((0, 0, 0)) and world.moves() is not None
    while not world.begin_events():
        world.step(1 / 60)
    assert world.begin_events() and not world.begin_events()["b"][0] and world.contacts(body) and not world.contacts()[:0]
    assert not (world.begin_events()["time"] < 0).any()
    raises(ValueError, lambda: bool(world.read().position))  # an array of numbers has numpy's truth


def test_properties():
    """Gravity is read and set; other values of the world are properties."""
    world = kugel.World(gravity=(1, 2, 3))
    assert world.gravity.tolist() == [1, 2, 3]
    world.gravity = (0, 0, -10)
    kept = world.gravity
    world.gravity = world.gravity - (0, 1, 0)
    assert kept.tolist() == [0, 0, -10] and list(world.gravity) == list(world.get_def().gravity) == [0, -1, -10]
    raises(ValueError, lambda: world.gravity.__setitem__(2, 0))  # it would change a copy
    refused("gravity", setattr, world, "gravity", (0, 0))
    refused("gravity", setattr, world, "gravity", (0, 0, math.nan))
    world.create_body()
    world.step(0.5)
    assert (world.tick, world.time, world.body_count, len(world), world.id_end) == (1, 0.5, 1, 1, 1)


def test_words():
    """Results have enumerators by their names, alone, in arrays and in print; the numbers of C are below."""
    world = kugel.World(bounds=dict(min=(0, 0, 0), max=(9, 9, 9), faces=["wall"] * 4 + ["open"] * 2), gravity=(0, 0, -9))
    floor, ball = world.create_plane(), world.create_body(position=(4, 4, 3), restitution=0.5)
    while not world.impact_events():
        world.step(1 / 60)
    impacts = world.impact_events()
    assert impacts["target"].tolist() == ["surface"] and (impacts["target"] == "surface").all() and impacts[0]["target"] == "surface"
    assert [row["target"] for row in impacts] == ["surface"] and impacts[0][1] == "surface" and impacts[impacts["target"] == "body"].size == 0
    assert "'surface'" in repr(impacts) and "'surface'" in str(impacts) and "target='surface'" in repr(impacts[0]) and impacts.tolist()[0][1] == "surface"
    assert impacts.view(numpy.ndarray)["target"][0] == api.KUGEL_TARGET_SURFACE
    assert isinstance(impacts[["time", "target"]][0], kugel.Row) and not isinstance(impacts["speed"], kugel.Table)
    for other in pickle.loads(pickle.dumps(impacts)), copy.deepcopy(impacts), numpy.concatenate([impacts, impacts]), numpy.sort(impacts, order="time"):
        assert isinstance(other, kugel.Table) and other["target"][0] == "surface" and other
    assert pickle.loads(pickle.dumps(impacts[0]))["target"] == "surface"
    assert world.get_def().bounds.faces.tolist() == ["wall"] * 4 + ["open"] * 2 and world.get_body(ball).type == "dynamic"
    assert set(world.read_states()["type"]) == {"dynamic"} and world.nearest((4, 4, -1))["target"][0] == "surface"
    hit = world.ray_closest((4, 4, 8), (0, 0, -1), 20)
    assert hit.target == "body" and "target='body'" in repr(hit) and world.ray_all((8, 8, 8), (0, 0, -1), 20)[0]["target"] == "surface"
    world.set_type(ball, world.get_body(ball).type)  # a result is an argument
    copied = kugel.World(bounds=dict(faces=world.get_def().bounds.faces, max=(9, 9, 9)))
    assert numpy.array_equal(copied.get_def().bounds.faces, world.get_def().bounds.faces) and world.surface(0) == floor


def test_numpy_results():
    """Members of structs that are arrays are numpy's, on the memory of the struct, which is a copy of the world's."""
    world = kugel.World()
    ball = world.create_body(position=(1, 2, 3), velocity=(1, 0, 0), image=(0, 0, 0))
    before = world.get_body(ball)
    world.step(2)
    assert (world.get_body(ball).position - before.position).tolist() == [2, 0, 0] and before.image.dtype == numpy.int32
    position = world.get_body(ball).position  # keeps the struct's memory
    gc.collect()
    assert position.tolist() == [3, 2, 3] and world.energy().momentum.tolist() == [1, 0, 0]
    low, side = world.create_plane(offset=-9), world.create_plane((1, 0, 0), -9, friction=0.25)
    assert list(world.surfaces()) == [low, side] and world.surfaces()[side].definition.friction == 0.25
    assert world.surfaces()[low].definition.position.tolist() == [0, 0, -9] and world.surfaces()[low].definition.shape == "plane"
    world.destroy_surface(low)
    assert list(world.surfaces()) == [side]
    refused("normal", world.create_plane, (0, 0, 2))
    assert isinstance(world.ray_closest((3, 2, 9), (0, 0, -1)).hit.point, numpy.ndarray)


def test_one_error():
    """Bad input is a kugel.Error and a ValueError; where its type or shape is wrong, also a TypeError. It names the argument."""
    assert issubclass(kugel.Error, ValueError) and issubclass(kugel.WrongType, kugel.Error) and issubclass(kugel.WrongType, TypeError)
    world = kugel.World()
    ball = world.create_body()
    wrong_values = (("def.radius", lambda: world.create_body(radius=-1)), ("type", lambda: world.create_body(type="gas")), ("dt", lambda: world.step(0)),
                    ("bounds.faces", lambda: kugel.World(bounds=dict(faces="soft"))), ("targets", lambda: world.overlap_sphere((0, 0, 0), 0, targets="body")),
                    ("mask", lambda: world.set_filter(ball, mask=-1)), ("", lambda: kugel.run("pyle")), ("type", lambda: world.set_type(ball, "gas")),
                    ("def.radius", lambda: world.create_bodies([(0, 0, 9)], radius=[-1])), ("body", lambda: world.get_body(7)))
    wrong_types = (("radius", lambda: world.create_body(radius="1")), ("radus", lambda: world.create_body(radus=1)), ("gravity", lambda: kugel.World(gravity=9.81)),
                   ("position", lambda: world.create_bodies([1, 2, 3])), ("names", lambda: world.read_arrays("masses")), ("decide", lambda: world.set_pair_filter(5)),
                   ("ticks", lambda: world.sync_test(ticks="x")), ("tick", lambda: kugel.run("cradle", tick=2)),
                   ("scene", lambda: kugel.run({"dt": math.nan})), ("vertices", lambda: world.create_surface([1], [2])), ("snapshot", lambda: world.restore(5)),
                   ("heights", lambda: kugel.shapes.height_field([1])), ("caps", lambda: kugel.shapes.cone((0, 0, 0), (0, 0, 1), 1, caps=2.5)))
    for argument, call in wrong_values + wrong_types:
        error = raises(ValueError, call)
        assert isinstance(error, kugel.Error) and error.argument == argument and error.status in ("invalid_argument", "stale_handle"), (argument, error)
        assert isinstance(error, TypeError) == ((argument, call) in wrong_types), error
        assert str(error).startswith(argument) or "row 0: " + argument in str(error), error


def test_wrong_values():
    """Each method and function that gets a wrong value for one of its arguments works or raises a kugel.Error, nothing else."""
    def world():
        made = kugel.World(gravity=(0, 0, -9))
        made.create_bodies([(0, 0, 1), (3, 0, 1)])
        made.create_surface(*kugel.shapes.box((1, 1, 1)), position=(9, 9, 0))
        return made

    chunks = []
    recorded = world()
    recorded.start_recording(chunks.append)
    recorded.step(0.1)
    recorded.stop_recording()
    up, one, place = (0, 0, 1), 1.0, [(0, 0, 1)]
    right = {"body": recorded.body(0), "rotation": (0, 0, 0, 1), "origins": place, "directions": place, "image": (0, 0, 0), "from_": place,
             "to": place, "snapshot": recorded.save(), "type": "static", "decide": None, "input": None, "annotation": b"", "write": len, "bytes": 0, "centers": place,
             "triangles": [(0, 1, 2)], "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "radii": [1], "caps": "both", "position": up, "heights": [[1, 2], [3, 4]]}
    right.update(dict.fromkeys(("index", "id", "key", "side", "group"), 0), **dict.fromkeys(("tick", "count", "user_data", "category", "mask"), 1))
    right.update(dict.fromkeys(("dt", "t_max", "radius", "mass", "restitution", "friction", "rolling_resistance", "tangential_restitution", "gravity_scale", "alpha", "speed", "max_gap", "offset", "dx", "dy",
                                "radius_a", "radius_b", "other_radius", "radius_from", "radius_to"), one), meshes=True, copy=True, segments=8)
    wrong = [None, "x", -1, 1.5, math.nan, 10**30, object(), [], [1, 2], {}, numpy.zeros((2, 2)), b"zz", True, (1, 2, 3, 4, 5), ["x", "y", "z"], [[1, 2, 3], [4, 5]], numpy.array(["a"]),
             1j, lambda *given: None, numpy.datetime64("2020")]
    calls = [(lambda name=name: getattr(world(), name), getattr(kugel.World, name)) for name in dir(kugel.World) if name[0] != "_"]
    calls += [(lambda name=name: getattr(kugel.Player(b"".join(chunks)), name), getattr(kugel.Player, name)) for name in dir(kugel.Player) if name[0] != "_"]
    calls += [(lambda function=function: function, function) for module in (kugel.geometry, kugel.shapes) for name, function in vars(module).items()
              if name[0] != "_" and getattr(function, "__module__", "") == module.__name__ and not isinstance(function, type)]
    tried = 0
    for bound, function in calls:
        parameters = inspect.signature(function).parameters.values() if callable(function) else ()
        names = [p.name for p in parameters if p.name != "self" and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        for name in names:
            for value in wrong:
                try:
                    bound()(**{**{other: right.get(other, up) for other in names}, name: value})
                except kugel.Error:
                    continue
                except Exception as error:
                    raise AssertionError(f"{function.__qualname__}({name}={value!r})") from error
                finally:
                    tried += 1
    assert tried > 4000


def test_many_bodies():
    """create_bodies() has the hash of single calls, with common values and columns of every kind, and is many times faster."""
    count, random = 2000, numpy.random.default_rng(3)
    place = numpy.stack(numpy.unravel_index(numpy.arange(count), (20, 10, 10)), 1) * 2.5
    words = numpy.array(["dynamic", "static", "kinematic"])[random.integers(0, 3, count)]
    columns = {"radius": random.uniform(0.5, 1, count), "mass": random.integers(1, 9, count), "type": words, "spin": random.normal(size=(count, 3)) * (words != "static")[:, None],
               "rotation": numpy.tile((0, 0, 0, 1), (count, 1)), "sensor": random.integers(0, 2, count) == 1, "category": numpy.arange(count, dtype=numpy.uint32),
               "mask": [2**32 - 1] * count, "user_data": [2**64 - 1 - k for k in range(count)], "image": numpy.zeros((count, 3), int)}
    one, many = kugel.World(), kugel.World()
    start = time.process_time()
    single = [one.create_body(position=place[k], restitution=0.5, **{name: column[k] for name, column in columns.items()}) for k in range(count)]
    middle = time.process_time()
    bodies = many.create_bodies(place, restitution=0.5, **columns)
    seconds = time.process_time() - middle
    assert bodies.tolist() == single and many.hash() == one.hash() and kugel.snapshot_difference(one.save(), many.save()) is None
    assert seconds < (middle - start) / 8, f"{seconds} s, single calls {middle - start} s"
    same = kugel.World()
    same.create_bodies(place.tolist(), restitution=0.5, **{name: list(column) for name, column in columns.items()})
    assert same.save() == many.save()
    for argument, wrong in (("radius", [1, "2"]), ("radius", [[1], [2]]), ("category", [1, -1]), ("category", [1.0, 2.0]), ("type", ["static", "gas"]), ("sensor", [0, 2]),
                            ("image", [(0, 0, 0), (0, 0, 2**31)]), ("velocity", [(1, 2), (3, 4)]), ("velocity", [(1, 2, 3), (3, 4)]), ("spin", numpy.zeros((2, 4))),
                            ("mass", [1, 2, 3]), ("colour", [1, 2]), ("user_data", [2**64, 1]), ("position", [(0, 0, 0)])):
        world = kugel.World()
        refused(argument, world.create_bodies, **{"position": [(0, 0, 0), (9, 0, 0)], argument: wrong} if argument != "position" else {"position": [1, 2]})
        assert not len(world), f"{argument}: a body exists"
    world = kugel.World()
    error = raises(kugel.Error, lambda: world.create_bodies(place, radius=numpy.where(numpy.arange(count) == 7, -1, 1)))
    assert str(error).startswith("row 7: def.radius: ") and len(world) == 7
    chunks = []
    world.start_recording(chunks.append)
    world.create_bodies(place + 100)
    world.step(1)
    world.stop_recording()
    assert kugel.Player(b"".join(chunks)).verify() is None


def test_bodies_of_a_game():
    """Properties, sleep, pushes, contacts and moves, with numbers that follow by hand."""
    world = kugel.World(gravity=(0, 0, -10))
    world.create_plane(normal=(0, 0, 1), friction=0.5)
    ball = world.create_body(position=(0, 0, 0.5), user_data=7)
    heavy = world.create_body(position=(9, 0, 9), radius=2, density=3 / (4 * numpy.pi))
    assert abs(world.get_body(heavy).mass - 8) < 1e-12
    world.destroy_body(heavy)
    world.set_mass(ball, 2.0)
    world.set_material(ball, friction=0.25)
    world.set_user_data(ball, 8)
    assert (world.get_body(ball).mass, world.get_body(ball).friction, world.get_body(ball).user_data) == (2, 0.25, 8)
    world.set_spin(ball, (0, 0, 2))
    assert list(world.velocity_at(ball, (0.5, 0, 0.5))) == [0, 1, 0]
    world.set_spin(ball, (0, 0, 0))
    world.set_enabled(ball, False)
    assert not world.get_body(ball).enabled and world.overlap_sphere((0, 0, 0.5), 0).tolist() == []
    world.set_enabled(ball, True)
    world.set_material(ball, 0.5, 0.25, rolling_resistance=0.25, tangential_restitution=-0.5)
    world.set_damping(ball, 0.5, angular=2)
    state = world.get_body(ball)
    assert (state.restitution, state.friction, state.rolling_resistance, state.tangential_restitution) == (0.5, 0.25, 0.25, -0.5)
    assert (state.linear_damping, state.angular_damping) == (0.5, 2)
    for name, value in {"radius": 0.5, "kind": 7, "gravity_scale": 1.0, "sensor": False, "can_sleep": False, "enabled": True, "contact_events": False}.items():
        getattr(world, f"set_{name}")(ball, value)
        assert getattr(world.get_body(ball), name) == value
    for given, found in {"rotation": ("angular_x", "angular_y", "angular_z"), ("linear_z",): ("linear_z",), 9: ("linear_x", "angular_x"), (): ()}.items():
        world.set_locks(ball, given)
        assert world.get_body(ball).locks == found
        other = world.create_body(position=(0, 0, 50), locks=given)
        assert world.get_body(other).locks == found
        world.destroy_body(other)
    assert "locks" in str(raises(kugel.Error, world.set_locks, ball, "up"))
    world.set_damping(ball)
    world.set_can_sleep(ball, True)
    refused("restitution", world.set_material, ball, 1.5)
    refused("tangential_restitution", world.set_material, ball, tangential_restitution=-1.5)
    world.set_pair_material(7, 9, {"restitution": 0.25, "friction": 0.5, "tangential_restitution": 1})
    pair = world.get_pair_material(9, 7)
    assert pair and (pair.restitution, pair.friction, pair.rolling_resistance, pair.tangential_restitution) == (0.25, 0.5, 0, 1) and world.get_pair_material(7, 7) is None
    world.set_pair_material(9, 7, {"restitution": 0.5})  # the others are those of a new body, as in a scene
    pair, other = world.get_pair_material(9, 7), kugel.World()
    usual = other.get_body(other.create_body())
    members = [name for name, *_ in api.kugel_pair_material._fields_]
    assert [getattr(pair, name) for name in members] == [0.5, 0.5, 0, 0]
    world.set_pair_material(9, 7, {})
    pair = world.get_pair_material(9, 7)
    assert all(getattr(pair, name) == getattr(usual, name) for name in members)
    world.set_pair_material(9, 7, None)
    assert world.get_pair_material(7, 9) is None
    refused("kind", world.set_kind, ball, 64)
    refused("kind_b", world.set_pair_material, 0, 64, {})
    refused("material.friction", world.set_pair_material, 0, 1, {"friction": -1})
    refused("bounce", world.set_pair_material, 0, 1, {"bounce": 1})
    for tick in range(20):
        world.step(1 / 60)
    contact, = world.contacts(ball)
    assert contact["a"] == ball and contact["target"] == "surface" and contact["normal"][2] == -1
    assert abs(contact["force"] - 20) < 0.2 and len(world.contacts()) == 1  # the weight, within 1 %
    move, = world.moves()
    assert move["body"] == ball and move["user_data"] == 8
    world.sleep(ball)
    assert world.get_body(ball).asleep and world.moves()["moved"][0]
    world.step(1 / 60)
    assert [(row["stopped"], row["moved"]) for row in world.moves()] == [(True, False)]
    world.wake(ball)
    assert not world.get_body(ball).asleep
    assert world.explode(center=(-1, 0, 0.5), impulse=4.0) == 1 and world.get_body(ball).velocity[0] == 2
    world.apply_impulse(ball, (0, 1, 0), (0.5, 0, 0.5))
    assert abs(world.get_body(ball).spin[2] - 0.5 / (0.4 * 2 * 0.25)) < 1e-12
    world.set_type(ball, "kinematic")
    world.set_target(ball, (3, 2, 1), None, 1 / 60)
    world.step(1 / 60)
    assert numpy.abs(world.read().position[0] - (3, 2, 1)).max() < 1e-12
    refused("body", world.contacts, ball + 1)
    for call in (lambda: world.set_type(ball, "gas"), lambda: world.set_type(ball, api.KUGEL_DYNAMIC, mass="2")):
        try:
            call()
        except (TypeError, ValueError) as error:
            assert "'kinematic'" in str(error) or "mass: " in str(error), error
        else:
            raise AssertionError("accepted")
    world.set_type(ball, api.KUGEL_DYNAMIC, mass=3)
    assert world.get_body(ball).mass == 3
    world.apply_force(ball, (0, 3, 0), (3.5, 2, 1))  # N, 0.5 m beside the centre
    world.gravity = (0, 0, 0)
    before = world.get_body(ball)
    world.step(0.5)
    after = world.get_body(ball)
    assert abs(after.velocity[1] - before.velocity[1] - 0.5) < 1e-12  # 3 N / 3 kg * 0.5 s
    assert abs(after.spin[2] - before.spin[2] - 0.5 * 1.5 / (0.4 * 3 * 0.25)) < 1e-12  # torque 1.5 N m


def test_rotation():
    """A quarter turn about z in a quarter of a second is pi/2 / 0.25 rad/s."""
    world = kugel.World()
    ball = world.create_body(type="kinematic")
    quarter = (0, 0, 0.5**0.5, 0.5**0.5)
    world.set_target(ball, None, quarter, 0.25)
    assert numpy.abs(world.get_spin(ball) - (0, 0, 2 * numpy.pi)).max() < 1e-6
    world.step(0.25)
    assert numpy.abs(world.get_rotation(ball) - quarter).max() < 1e-6
    world.set_rotation(ball, (1, 0, 0, 0))
    assert list(world.get_rotation(ball)) == [1, 0, 0, 0]
    refused("rotation", world.set_rotation, ball, (1, 1, 0, 0))


def test_pair_filter():
    """Excluded bodies pass through each other; a changed restitution holds; a player needs the same callback."""
    def decide(pair, key):
        if key == 2:
            raise ZeroDivisionError
        pair.restitution = 0.5
        return key == 1

    def meet(key, chunks):
        world = kugel.World()
        left, right = world.create_body(position=(-2, 0, 0), velocity=(2, 0, 0)), world.create_body()
        world.start_recording(chunks.append)
        world.set_pair_filter(decide, key)
        assert world.pair_filter_key == key
        world.clone().step(1)
        world.step(1)
        world.stop_recording()
        return world.get_velocity(left)[0], world.get_velocity(right)[0]

    assert meet(0, []) == (2, 0)
    chunks = []
    assert meet(1, chunks) == (0.5, 1.5)  # v (1 - e) / 2 and v (1 + e) / 2
    player = kugel.Player(b"".join(chunks))
    refused("pair_filter", player.verify)
    player.set_pair_filter(decide)
    assert player.verify() is None and player.world().pair_filter_key == 1
    try:
        meet(2, [])
        assert False
    except ZeroDivisionError:
        pass
    player.set_pair_filter(lambda pair, key: 1 / 0)
    try:
        player.verify()
        assert False
    except ZeroDivisionError:
        pass
    world = kugel.World()
    world.set_pair_filter(decide)
    world.set_pair_filter(None)
    assert world.pair_filter_key is None
    refused("key", world.set_pair_filter, decide, -1)
    floor, body, pairs = world.create_plane(normal=(0, 0, 1)), world.create_body(position=(0, 0, 2), velocity=(0, 0, -4)), []
    world.set_pair_filter(lambda pair, key: pairs.append((pair.a, pair.b, pair.surface)) or False)
    world.step(1)
    assert set(pairs) == {(body, 0, floor)} and world.get_velocity(body)[2] == -4


def test_callbacks_without_result():
    """A pair filter and an accept that return nothing let all pairs and targets pass."""
    def change(pair, key):
        pair.restitution = 1

    chunks, moving = [], []
    for decide in None, change, lambda pair, key: 0:
        world, body = pushed()
        world.start_recording(chunks.append)
        world.set_pair_filter(decide)
        world.step(1)
        world.stop_recording()
        moving.append(world.get_velocity(body)[0])
        if decide is change:
            player = kugel.Player(b"".join(chunks))
            player.set_pair_filter(change)
            assert player.verify() is None
        chunks.clear()
    assert moving == [0.5, 0, 1]  # without restitution both go on together; all of it; apart
    seen = []
    found = world.overlap_sphere((0, 0, 0), 9, accept=lambda target, body: seen.append(body))
    assert len(found) == len(world.overlap_sphere((0, 0, 0), 9)) == len(seen) == 2
    assert not world.ray_any((0, 0, -9), (0, 0, 1), accept=lambda target, body: 0)
    assert world.ray_any((0, 0, -9), (0, 0, 1), accept=lambda target, body: None)


def test_failing_pair_filter():
    """The call that called the filter raises what the filter raised, and no later call does."""
    def failing(pair, key):
        raise asked.append(1) or ZeroDivisionError

    def later(world, tick):
        world.set_pair_filter(failing if tick == 2 else None)

    asked = []
    for decide, calls in (failing, None), (None, later):
        world, _ = pushed(decide)
        for _ in range(2):
            asked.clear()
            raises(ZeroDivisionError, lambda: world.sync_test(calls, ticks=3, dt=0.5))
            assert len(asked) == 1 and world.tick == 0  # no pair is decided after the first failure
        world.set_pair_filter(None)
        world.step(1)
    raises(ZeroDivisionError, world.set_pair_filter, failing)  # it is called for the resting contact
    assert world.pair_filter_key is None
    world.step(1)
    world, _ = pushed(failing)
    before = world.save()
    for _ in range(2):
        raises(ZeroDivisionError, world.step, 1)
        assert world.save() == before  # a step that fails is reverted
    step = kugel.library.kugel_world_step
    kugel.library.kugel_world_step = lambda *arguments: step(*arguments) and 0 or api.KUGEL_ERROR_OUT_OF_MEMORY
    raises(ZeroDivisionError, world.step, 1)
    kugel.library.kugel_world_step = step
    world.set_pair_filter(None)
    world.step(1)


def test_interrupted_pair_filter():
    """A later failure does not replace Ctrl-C."""
    errors = [ZeroDivisionError, KeyboardInterrupt]

    def decide(pair, key):
        raise errors.pop()

    world, _ = pushed()
    world.create_bodies([(0, 2, 0), (0, 3.2, 0), (0, 4.4, 0)])
    world.set_pair_filter(decide)
    raises(KeyboardInterrupt, world.step, 1)
    assert errors == [ZeroDivisionError], "decided after Ctrl-C"


def test_sync_test_keeps_filters():
    """Both runs begin with the filter of the first state, which exists as long as C may call it."""
    def filtering(name):
        return lambda pair, key: bool(asked.append(name)) or True

    def calls(world, tick):
        if tick == 1:
            world.set_pair_filter(filtering("later"))
            gc.collect()

    def failing(world, tick):
        calls(world, tick)
        if tick == 2:
            raise ZeroDivisionError

    asked = []
    world, _ = pushed(filtering("first"))
    assert world.sync_test(calls, ticks=3, dt=0.1) is None
    names = [name for k, name in enumerate(asked) if not k or name != asked[k - 1]]
    assert names == ["first", "later"] * 2, names
    asked.clear()
    world.step(0.5)
    assert set(asked) == {"later"}
    world, _ = pushed(filtering("first"))
    raises(ZeroDivisionError, lambda: world.sync_test(failing, ticks=3, dt=0.1))
    gc.collect()
    asked.clear()
    world.step(0.5)
    assert set(asked) == {"first"}


def test_callbacks_use_no_world():
    """What is in a call refuses to be used by the callbacks of the call, with a kugel.Error, and is usable afterwards."""
    def using(use):
        def decide(pair, key):
            errors.append(raises(kugel.Error, use))
            return True
        return decide

    errors = []
    world, body = pushed()
    for use in (lambda: world.create_body(), lambda: world.step(1), lambda: world.get_velocity(body), lambda: len(world),
                lambda: world.set_pair_filter(None), lambda: world.clone()):
        for call in (lambda: world.step(0.1), lambda: world.sync_test(ticks=2, dt=0.1),
                     lambda: world.sync_test(lambda same, tick: same.get_velocity(body), ticks=2, dt=0.1)):
            errors.clear()
            world.set_pair_filter(using(use))
            call()
            assert errors and {(error.status, error.argument) for error in errors} == {("state", "world")}
    assert len(world) == 2

    world = kugel.World(gravity=(0, 0, -10))
    world.create_body(type="static"), world.create_body(position=(0, 0, 1))
    world.step(0.1)
    assert len(world.contacts()) == 1
    errors.clear()
    world.set_pair_filter(using(lambda: world.set_pair_filter(None)))  # decides about the resting contact
    assert errors and world.pair_filter_key == 0

    chunks = []
    world, _ = pushed(lambda pair, key: True)
    world.start_recording(lambda data: chunks.append(data) or errors.append(raises(kugel.Error, lambda: world.hash())))
    world.step(1)
    errors.clear()
    world.stop_recording()
    assert errors and errors[0].argument == "world"
    player = kugel.Player(b"".join(chunks))
    for use in player.verify, lambda: player.recorded(1), lambda: player.world(0), lambda: player.set_pair_filter(bool):
        errors.clear()
        player.set_pair_filter(using(use))
        assert player.verify() is None and player.world().tick == 1
        assert errors and {(error.status, error.argument) for error in errors} == {("state", "player")}


def test_writer_uses_no_world():
    """A writer that a call other than step() flushes into is refused the world as well, and the recording stays whole."""
    for use in (lambda world: world.stop_recording(), lambda world: world.create_body(position=(5, 5, 5)), lambda world: world.hash()):
        def write(data):
            chunks.append(data)
            if armed:
                armed.clear()
                errors.append(raises(kugel.Error, use, world))

        chunks, errors, armed = [], [], []
        world = kugel.World()
        body = world.create_body()
        world.start_recording(write)
        armed.append(1)
        while armed:  # until a chunk is full
            world.apply_force(body, (1, 0, 0))
        world.step(0.01)
        world.stop_recording()
        assert (errors[0].status, errors[0].argument) == ("state", "world")
        assert kugel.Player(b"".join(chunks)).verify() is None and len(world) == 1
    destroy, alive = kugel.library.kugel_world_destroy, [1]
    kugel.library.kugel_world_destroy = lambda w: (alive.clear(), destroy(w))
    world.start_recording(write)
    errors.clear()  # their frames refer to the world
    del world
    kugel.library.kugel_world_destroy = destroy
    assert not alive, "a writer keeps its world alive"


def test_accept_changes_nothing():
    """accept may read the world and make queries; calls that change the world are refused, and the query raises the same."""
    world = kugel.World()
    bodies = world.create_bodies(1.5 * numpy.stack(numpy.meshgrid(*[numpy.arange(3)] * 3), -1).reshape(-1, 3)).tolist()
    index = world.create_surface(shape="ellipsoid", size=(1, 1, 1), position=(50, 0, 0))
    place, seen, before = (1.5, 1.5, 1.5), [], (world.save(), world.hash())
    queries = (lambda **more: world.overlap_sphere(place, 9, **more), lambda **more: world.ray_closest((-9, 0, 0), (1, 0, 0), 20, **more),
               lambda **more: world.rays_closest((-9, 0, 0), (1, 0, 0), 20, **more), lambda **more: world.nearest(place, 9, **more))
    changes = (lambda: world.destroy_body(bodies[0]), lambda: world.step(0.1), lambda: world.restore(before[0]),
               lambda: world.create_bodies([(90, 0, 0)]), lambda: world.set_mass(bodies[0], 2), lambda: world.destroy_surface(index),
               lambda: setattr(world, "gravity", (0, 0, 1)), lambda: world.set_pair_filter(None), lambda: world.explode(radius=9, impulse=1),
               lambda: world.start_recording(print))
    for query in queries:
        for change in changes:
            error = raises(kugel.Error, lambda: query(accept=lambda target, body: change()))
            assert (error.status, error.argument) == ("state", "world")
        query(targets="bodies", accept=lambda target, body: seen.append((len(queries[0](targets="bodies")), world.get_body(body).radius)))
    assert set(seen) == {(27, 0.5)}
    assert world.hash() == before[1]
    world.step(0.1)


def test_values_and_arrays():
    """Single values and arrays equal the rows of states(); user data is stored; a stale handle is refused."""
    world = kugel.World()
    first, ball = world.create_bodies([(0, 0, 0), (1, 2, 3)], velocity=(4, 5, 6), spin=(0, 0, 1), radius=[0.5, 0.25], user_data=9)
    world.step(0.5)
    row = world.read_states()[1]
    for name in ("position", "velocity", "spin", "rotation"):
        assert numpy.array_equal(getattr(world, f"get_{name}")(ball), row[name]), name
    assert world.get_user_data(ball) == 9 and world.user_data == 0
    world.user_data = 2**64 - 1
    assert world.user_data == world.clone().user_data == 2**64 - 1
    world.set_user_data(ball, 2**63)
    place = [(0, 0, 0), (5, 0, 0)]
    for wide in [2**63 + 5, 7], numpy.array([2**63 + 5, 7], numpy.uint64):
        other = kugel.World()
        assert [other.get_user_data(body) for body in other.create_bodies(place, user_data=wide)] == [2**63 + 5, 7]
    raises(TypeError, lambda: kugel.World().create_bodies(place, user_data=[0.5, 7]))
    arrays = world.read_arrays()
    assert list(arrays) == [name for name, *_ in api.kugel_body_arrays._fields_] and list(arrays["bodies"]) == [first, ball]
    for name in ("position", "velocity", "spin", "rotation", "radius", "mass", "asleep", "user_data", "image"):
        assert numpy.array_equal(arrays[name], world.read_states()[name]), name
    assert list(world.read_arrays("radius")) == ["radius"] and list(world.read_arrays("radius")["radius"]) == [0.5, 0.25]
    assert kugel.World().read_arrays("position")["position"].shape == (0, 3)
    try:
        world.read_arrays("masses")
        assert False
    except TypeError as error:
        assert "'masses'" in str(error) and "'radius'" in str(error)
    world.destroy_body(ball)
    for call in (world.get_position, world.get_rotation, world.get_user_data, world.contacts):
        refused("body", call, ball)


def test_write_arrays():
    """write_arrays() has the bits of single calls, for some bodies and for all; wrong columns are refused by name."""
    count, random = 200, numpy.random.default_rng(4)
    one, many = kugel.World(), kugel.World()
    place = numpy.stack(numpy.unravel_index(numpy.arange(count), (10, 5, 4)), 1) * 2.5
    bodies = [world.create_bodies(place) for world in (one, many)][1]
    columns = {"position": place + random.uniform(0, 0.5, place.shape), "velocity": random.normal(size=place.shape), "spin": random.normal(size=place.shape),
               "rotation": numpy.tile((0, 1, 0, 0), (count, 1)), "radius": random.uniform(0.2, 0.5, count), "mass": numpy.arange(1, count + 1)}
    for row, body in enumerate(bodies.tolist()):
        for name, column in columns.items():
            getattr(one, f"set_{name}")(body, column[row])
    many.write_arrays(bodies[::-1], **{name: column[::-1] for name, column in columns.items()})
    assert many.hash() == one.hash() and kugel.snapshot_difference(one.save(), many.save()) is None
    before = many.read_arrays("position", "mass")
    many.write_arrays(**before), many.write_arrays(iter(bodies[:2].tolist()), radius=[0.25, 0.3]), many.write_arrays(), many.write_arrays([], mass=[])
    assert many.read_arrays("radius")["radius"][:3].tolist() == [0.25, 0.3, columns["radius"][2]]
    for argument, wrong in (("columns", dict(masses=[1] * count)), ("mass", dict(mass=[1])), ("position", dict(position=place[:, :2])), ("radius", dict(radius=["1"] * count)),
                            ("bodies", dict(bodies=[0.5], mass=[1])), ("bodies", dict(bodies=[-1], mass=[1])), ("bodies", dict(bodies=7)), ("mass", dict(bodies=bodies[:1], mass=[-1]))):
        refused(argument, many.write_arrays, **wrong)
    many.destroy_body(int(bodies[1]))
    error = raises(kugel.Error, lambda: many.write_arrays(bodies, mass=columns["mass"]))
    assert error.argument == "bodies" and "row 1: " in str(error) and error.status == "stale_handle"


def test_images():
    """Unwrapped positions go on in straight lines across periodic faces; images are set and refused by name."""
    faces = ["periodic", "periodic", "wall", "wall", "open", "open"]
    world = kugel.World(bounds=dict(min=(0, -5, 0), max=(10, 5, 0), faces=faces))
    ball, other = world.create_bodies([(1, 0, 3), (9, 2, -3)], velocity=[(4, 0, 1), (-7, 0, 0)])
    for _ in range(10):
        world.step(1)
    assert numpy.abs(world.unwrapped() - [(41, 0, 13), (-61, 2, -3)]).max() < 1e-12
    assert list(world.get_body(ball).image) == [4, 0, 0] and world.read_states()["image"].tolist() == [[4, 0, 0], [-7, 0, 0]]
    world.set_image(other, (-2, 0, 0))
    assert world.read_arrays("image")["image"].tolist() == [[4, 0, 0], [-2, 0, 0]]
    refused("image", world.set_image, other, (0, 1, 0))
    refused("image", world.set_image, other, (2**31, 0, 0))
    world.create_body(position=(5, 0, 0), image=(3, 0, 0))
    assert world.unwrapped()[2, 0] == 35


def test_between_ticks():
    """Positions half way, across a periodic face too; rotations on the shorter arc."""
    world = kugel.World(bounds=dict(min=(0, 0, 0), max=(10, 10, 10), faces="periodic"))
    middle = world.interpolate_positions([(1, 1, 1), (9.5, 1, 1)], [(2, 1, 1), (0.5, 1, 1)], 0.5)
    assert numpy.array_equal(middle, [(1.5, 1, 1), (10, 1, 1)])
    turned = kugel.interpolate_rotations([(0, 0, 0, 1)], [(0, 0, -1, 0)], 0.5)
    assert numpy.abs(turned - [(0, 0, -(0.5**0.5), 0.5**0.5)]).max() < 1e-6
    refused("alpha", world.interpolate_positions, [(0, 0, 0)], [(1, 0, 0)], 1.5)
    try:
        world.interpolate_positions([(0, 0, 0)], [(1, 0, 0), (2, 0, 0)], 0.5)
        assert False
    except TypeError as error:
        assert "n x 3" in str(error)


def test_snapshot_and_ray():
    world = kugel.World(gravity=(0, 0, -9.81))
    ball = world.create_body(position=(0, 0, 10))
    saved, before = world.save(), world.hash()
    world.step(1 / 60)
    after = world.hash()
    world.restore(saved)
    assert world.hash() == before != after
    world.step(1 / 60)
    assert world.hash() == after
    world.restore(saved)
    hit = world.ray_closest((0, 0, 0), (0, 0, 20))
    assert hit.body == ball and abs(hit.hit.t_enter - 0.475) < 1e-15  # (10 - 0.5) / 20
    assert world.ray_closest((5, 0, 0), (0, 0, 20)) is None
    world.destroy_body(ball)
    refused("body", world.get_body, ball)


def test_refusals():
    """Errors name the argument."""
    refused("substeps", kugel.World, substeps=-1)
    world = kugel.World()
    refused("def.radius", world.create_body, radius=-1)
    refused("dt", world.step, 0)
    refused("dt", world.step, float("nan"))
    refused("substeps", kugel.World, substeps=2**32 + 4)
    refused("bounds.faces", kugel.World, bounds={"faces": [2**32] * 6})
    refused("category", world.create_body, category=2**32 + 1)
    refused("mask", world.create_body, mask=-1)
    assert len(world) == 0 and world.tick == 0
    try:
        kugel.World().create_bodies([(0, 0, 0), (0, 0, math.nan)])
    except kugel.Error as error:
        assert str(error).startswith("row 1: def.position: ") and error.argument == "def.position", error
    for call, word in ((lambda: kugel.World(gravty=(0, 0, 1)), "'gravity'"), (lambda: world.create_body(position=(1, 2)), "3 values"),
                       (lambda: world.create_bodies([(0, 0, 0)], radius=[1, 2]), "radius: takes a row for each"), (lambda: world.step("x"), "dt: "),
                       (lambda: kugel.World(gravity=9.81), "gravity: takes 3 values"), (lambda: kugel.World(substeps=1.5), "substeps: "),
                       (lambda: world.create_body(radius=None), "radius: "), (lambda: world.create_body(sensor="no"), "sensor: "),
                       (lambda: world.create_body(position=("a", 0, 0)), "position: ")):
        try:
            call()
        except TypeError as error:
            assert word in str(error), error
        else:
            raise AssertionError(f"{word}: accepted")


def test_named_arguments():
    """An error of a type or a number of values names the argument."""
    world, shapes = kugel.World(), kugel.shapes
    body, mesh = world.create_body(), world.create_surface(*shapes.box((1, 1, 1)))
    for call, message in ((lambda: world.apply_force(body, (1, 2)), "force: takes 3 values, got 2: (1, 2)"),
                          (lambda: world.apply_angular_impulse(body, 1), "impulse: takes 3 values, got 1"),
                          (lambda: world.apply_force(body, (1, 2, 3), 5), "point: takes 3 values, got 5"),
                          (lambda: world.apply_impulse(body, (1, "x", 3), (0, 0, 0)), "impulse: must be real number, not str, got 'x'"),
                          (lambda: world.set_rotation(body, (0, 0, 1)), "rotation: takes 4 values, got 3: (0, 0, 1)"),
                          (lambda: setattr(world, "gravity", (0, 0)), "gravity: takes 3 values"), (lambda: world.ray_closest((0, 0), (1, 0, 0)), "origin: takes"),
                          (lambda: world.set_surface_motion(mesh, (0, 0)), "velocity: takes 3 values, got 2: (0, 0)"),
                          (lambda: world.set_surface_target(mesh, (0, 0), None, 1), "position: takes 3 values, got 2: (0, 0)"),
                          (lambda: world.set_image(body, (1, 2)), "image: takes 3 values"), (lambda: shapes.box(1), "half: takes 3 values"),
                          (lambda: shapes.disc((0, 0, 0), (0, 0, 1), "r"), "radius: must be real number"),
                          (lambda: kugel.Player(5), "recording: takes the bytes of a recording, got 5"), (lambda: world.restore(5), "snapshot: takes bytes, got 5"),
                          (lambda: kugel.Player("a.kugel"), "recording: takes the bytes of a recording, got 'a.kugel'"),
                          (lambda: world.interpolate_positions([[0, 0]], [[0, 0]], 0.5), "from_: takes an array of n x 3 numbers")):
        error = raises(TypeError, call)
        assert str(error).startswith(message), error
    refused("position", world.set_position, body, (10**400, 0, 0))


def test_limits():
    world, small = kugel.World(limits={"bodies": 2}), kugel.World(limits={"bytes": 10**6, "bodies": 1})
    assert world.get_def().limits.bodies == 2 and world.get_def().limits.bytes == 0
    chunks = []
    world.start_recording(chunks.append)
    world.create_body(), world.create_body(position=(3, 0, 0))
    world.step(1 / 60)
    world.stop_recording()
    refused("body", world.create_body)
    assert "has 2 bodies; limits.bodies is 1" in str(raises(kugel.Error, lambda: small.restore(world.save())))
    recording = b"".join(chunks)
    assert "limits.bodies" in str(raises(kugel.Error, kugel.Player(recording, limits={"bodies": 1}).verify))
    assert "limits.bytes allows 1" in str(raises(kugel.Error, lambda: kugel.Player(recording, limits={"bytes": 1})))
    assert kugel.Player(recording, limits={"bodies": 2}).verify() is None


def test_unusual_arrays():
    """Iterators are rows, empty lists no rows; arrays in the place of one number or of other shapes are named."""
    world = kugel.World()
    bodies = world.create_bodies(((9.0 * i, 0, 0) for i in range(3)), radius=(0.5 + i for i in range(3)), velocity=iter([(0, 0, 1)] * 3))
    assert list(world.read_arrays("radius")["radius"]) == [0.5, 1.5, 2.5] and len(world.create_bodies([])) == len(world.rays_closest([], [])) == 0
    world.set_image(bodies[0], (n for n in (0, 0, 0)))
    first = (0, 0, -5), (0, 0, 1)
    assert world.rays_closest([first[0]] * 2, first[1], [9, 1])["hit"]["hit"].tolist() == [True, False]
    for call, word in ((lambda: world.step(numpy.array([1, 2])), "dt: takes one value, got 2"), (lambda: world.get_body(bodies), "body: takes one value"),
                       (lambda: world.create_body(radius=numpy.zeros(2)), "radius: takes one value"), (lambda: world.create_bodies([1, 2, 3]), "n x 3"),
                       (lambda: world.create_bodies(numpy.zeros((2, 3, 3))), "n x 3"), (lambda: world.read_arrays(["radius"]), "is none of"),
                       (lambda: world.rays_closest(numpy.zeros((2, 3)), numpy.ones((3, 3))), "n x 3"), (lambda: world.rays_closest([(0, 0)], [(1, 0)]), "n x 3"),
                       (lambda: world.rays_closest([first[0]] * 2, first[1], [1, 2, 3]), "t_max"), (lambda: world.set_image(bodies[0], None), "3 values")):
        assert word in str(raises(TypeError, call))
    for call in (lambda: world.create_body(position=(10**400, 0, 0)), lambda: world.set_position(bodies[0], (10**400, 0, 0)), lambda: world.step(10**400)):
        assert "too large" in str(raises(kugel.Error, call))
    world.__del__()  # the memory is freed once
    raises(kugel.Error, lambda: world.step(0.1))


def test_wide_numbers():
    """Handles, indices and ticks that C would cut to its width are refused, as fractions are."""
    world = kugel.World()
    body, mesh = world.create_body(), world.create_surface([(0, 0, -9), (1, 0, -9), (0, 1, -9)], [(0, 1, 2)])
    player = kugel.run("cradle", ticks=2)
    for argument, call, *rest in (("body", world.set_velocity, body + 2**64, (1, 0, 0)), ("body", world.get_body, -1),
                                  ("body", world.contacts, body + 2**64), ("surface", world.destroy_surface, mesh + 2**64),
                                  ("surface", world.set_surface_motion, mesh - 2**64, (1, 0, 0)), ("index", world.surface, 2**32),
                                  ("surface", world.set_surface_pose, mesh + 2**64, (1, 0, 0)),
                                  ("surface", world.set_surface_target, mesh + 2**64, (1, 0, 0), None, 1), ("id", world.body, 2**32),
                                  ("side", world.plane_side, (0, 0, 1), 0, 2**32), ("count", world.nearest, (0, 0, 0), -1),
                                  ("tick", player.recorded, 2**64 + 1), ("tick", player.hash, -1), ("tick", player.world, 2**64)):
        refused(argument, call, *rest)
    assert list(world.get_velocity(body)) == [0, 0, 0] and list(world.surfaces()) == [mesh]
    for call in (lambda: world.set_velocity(float(body), (1, 0, 0)), lambda: player.world(1.5), lambda: world.create_body(position={}),
                 lambda: world.create_body(position={1: 0, 2: 0, 3: 0}), lambda: world.set_position(body, {1: 0, 2: 0, 3: 0}),
                 lambda: world.set_rotation(body, {1, 2, 3, 4}), lambda: world.set_pair_filter(5), lambda: player.set_pair_filter(0)):
        try:
            call()
        except TypeError:
            continue
        raise AssertionError("accepted")


def test_refused_queries():
    """An error of a query names the wrong argument, or those of which one is wrong."""
    world, out, nan = kugel.World(), (0, 0, 0), float("nan")
    world.create_body()
    refused("origin, direction or t_max", world.ray_closest, (nan, 0, 0), (1, 0, 0))
    refused("t_max", world.ray_all, out, (1, 0, 0), -1)
    refused("origins, directions or t_max", world.rays_closest, out, (1, 0, 0), nan)
    refused("origin, direction, t_max or radius", world.cast_closest, out, (nan, 0, 0), 1)
    refused("radius", world.cast_closest, out, (1, 0, 0), -1)
    refused("radius", world.overlap_sphere, out, nan)
    refused("center or radius", world.overlap_sphere, (nan, 0, 0), 1)
    refused("min or max", world.overlap_box, (1, 0, 0), out)
    refused("center, semi_axes or rotation", world.overlap_ellipsoid, out, (1, 1, nan))
    refused("point or max_gap", world.nearest, out, 1, nan)
    refused("normal or offset", world.plane_side, (0, 0, 3), 0, 1)
    refused("side", world.plane_side, (0, 0, 1), 0, 2)
    periodic = kugel.World(bounds=dict(max=(1, 1, 1), faces="periodic"))
    refused("origin, direction or t_max", periodic.ray_any, out, (1, 0, 0), 1e9)  # too many boxes
    refused("alpha", world.interpolate_positions, [out], [out], 2)
    snapshot = world.save()
    refused("expected", kugel.snapshot_difference, b"", snapshot)
    refused("found", kugel.snapshot_difference, snapshot, snapshot[1:])


def test_copies():
    """A copy is a world of its own; what cannot be copied says so."""
    world = kugel.World()
    ball = world.create_body(velocity=(1, 0, 0))
    copies = [copy.copy(world), copy.deepcopy(world), copy.deepcopy({"worlds": [world]})["worlds"][0]]
    world.step(1 / 60)
    for other in copies:
        other.step(1 / 60)
        assert other.hash() == world.hash()
    before = world.hash()
    copies[0].set_velocity(ball, (9, 0, 0))
    del copies, other
    gc.collect()
    assert world.hash() == before and world.clone().hash() == before
    player = kugel.run("cradle", ticks=2)
    for call in (lambda: pickle.dumps(world), lambda: pickle.dumps(player), lambda: copy.copy(player), lambda: copy.deepcopy(player)):
        try:
            call()
        except TypeError as error:
            assert "kugel." in str(error)
            continue
        raise AssertionError("copied")


def test_errors_of_other_processes():
    """An error is the same after pickling: a pool of processes passes it on so."""
    world = kugel.World()
    for call in (lambda: world.step(-1), lambda: world.get_body(7), lambda: world.create_bodies([[0, 0, 0], [9, 0, 0]], radius=[1, -1]),
                 lambda: world.step("x")):
        try:
            call()
            assert False
        except kugel.Error as error:
            for other in pickle.loads(pickle.dumps(error)), copy.copy(error):
                assert type(other) is type(error) and str(other) == str(error)
                assert (other.status, other.argument) == (error.status, error.argument)


def test_interrupted_callbacks():
    """Ctrl-C during a callback ends the call, as any exception does."""
    def interrupted(*arguments):
        raise KeyboardInterrupt

    world = kugel.World()
    world.create_bodies([[0, 0, 0], [0.9, 0, 0]])
    calls = [lambda: world.step(1), lambda: world.overlap_sphere((0, 0, 0), 1, accept=interrupted),
             lambda: world.sync_test(interrupted), lambda: world.start_recording(interrupted)]
    world.set_pair_filter(interrupted)
    for call in calls:
        try:
            call()
            assert False
        except KeyboardInterrupt:
            world.set_pair_filter(None)
    world.step(1)
    refused("world", world.stop_recording)


def test_deltas_take_bytes():
    """Any bytes, as restore() does; a text or a number is refused."""
    world = kugel.World()
    world.create_body(velocity=(1, 0, 0))
    base = world.save()
    world.step(1)
    now = world.save()
    delta = kugel.make_delta(bytearray(base), memoryview(now))
    assert kugel.apply_delta(numpy.frombuffer(base, numpy.uint8), bytearray(delta)) == now
    assert kugel.snapshot_difference(memoryview(base), bytearray(now)).field == "tick"
    world.restore(numpy.frombuffer(now, numpy.uint8)[:])
    for wrong in "text", 3:  # bytes(3) are three zeros
        for call in (kugel.make_delta, kugel.apply_delta, kugel.snapshot_difference):
            raises(TypeError, call, base, wrong)
            raises(TypeError, call, wrong, base)
        raises(TypeError, world.restore, wrong)
        raises(TypeError, kugel.Player, wrong)


def test_hooks():
    """A world keeps references to its callbacks."""
    said = []
    write = dict(api.kugel_log._fields_)["write"]
    world = kugel.World(log={"write": write(lambda user, status, text: said.append(text))})
    taken = [write(lambda user, status, text: said.append(b"of another")) for _ in range(100)]  # reuses the memory of a released one
    refused("def.radius", world.create_body, radius=-1)
    assert len(said) == 1 and b"radius" in said[0] and len(taken) == 100, said


def test_names():
    """Enumerators by their names, one or many; a wrong one is refused with all names."""
    world = kugel.World(bounds=dict(min=(0, 0, 0), max=(9, 9, 9), faces="wall"))
    assert list(world.get_def().bounds.faces) == ["wall"] * 6
    mixed = kugel.World(bounds=dict(min=(0, 0, 0), max=(9, 9, 9), faces=["periodic", "periodic", "wall", "open", "open", 0]))
    assert list(mixed.get_def().bounds.faces) == ["periodic"] * 2 + ["wall"] + ["open"] * 3
    bodies = [world.create_body(position=(2 * k + 1, 4, 4), type=name) for k, name in enumerate(("dynamic", "static", "kinematic"))]
    assert [world.get_body(body).type for body in bodies] == ["dynamic", "static", "kinematic"]
    for call in (lambda: kugel.World(bounds={"faces": "soft"}), lambda: world.create_body(type="wall")):
        try:
            call()
        except ValueError as error:
            assert "'periodic'" in str(error) or "'kinematic'" in str(error), error
        else:
            raise AssertionError("accepted")


def test_unknown_members():
    """A member that a struct lacks is refused with the one that may be meant, a value of another kind with its name."""
    for name, wanted in (("pair_filter", "did you mean set_pair_filter()?"), ("colour", "has no 'colour'")):
        error = raises(AttributeError, lambda: setattr(kugel.World(), name, (0, 0, -1)))
        assert wanted in str(error), error
    for members, wanted in (({"gravitiy": (0, 0, 1)}, "has no 'gravitiy'; did you mean 'gravity'?"),
                            ({"threads": 2}, "has no 'threads'; did you mean tasks=dict(threads=...)?"),
                            ({"nonsense": 1}, "has no 'nonsense'"), ({"tasks": 2}, "tasks: takes a dict, got 2")):
        error = raises(TypeError, lambda: kugel.World(**members))
        assert str(error).endswith(wanted), error
    assert kugel.World(tasks=dict(threads=2)).get_def().tasks.threads == 2


def test_reprs():
    world = kugel.World()
    body = world.create_body(position=(1, 2, 3), type="static")
    assert repr(world) == "<kugel.World: 1 bodies, tick 0, 0 s>", world
    assert "type='static', position=(1.0, 2.0, 3.0)" in repr(world.get_body(body)), world.get_body(body)
    world.create_plane(normal=(0, 0, 1), friction=0.5)
    assert repr(world.read()) == "<kugel.Bodies: ids, position, velocity and spin of 1 bodies>"
    assert "bounds=kugel_bounds(min=" in repr(world.get_def()) and "faces=('open', 'open'" in repr(world.get_def())
    assert kugel.__version__ == f"{api.KUGEL_VERSION_MAJOR}.{api.KUGEL_VERSION_MINOR}.{api.KUGEL_VERSION_PATCH}"


def test_all_methods():
    """Each method says what it does. (tests/house/check-languages compares them with the functions of C.)"""
    for kind in (kugel.World, kugel.Player):
        silent = [name for name in dir(kind) if name[0] != "_" and not getattr(kind, name).__doc__]
        assert not silent, silent


def test_setters():
    world = kugel.World()
    ball = world.create_body(radius=1, mass=2)
    world.gravity = (0, 0, -1)
    world.set_filter(ball, category=4, mask=3, group=7)
    world.apply_angular_impulse(ball, (0, 0, 0.8))
    state = world.get_body(ball)
    assert (state.category, state.mask, state.group) == (4, 3, 7) and abs(state.spin[2] - 1) < 1e-15  # I = 0.8 kg m^2
    world.apply_torque(ball, (0, 0, 0.8))
    world.step(0.5)
    row = world.read_states()[0]
    assert abs(row["spin"][2] - 1.5) < 1e-12 and abs(row["velocity"][2] + 0.5) < 1e-12 and row["radius"] == 1
    assert list(world.get_def().gravity) == [0, 0, -1] and world.id_end == 1 and world.body(0) == ball
    twin = world.clone()
    twin.destroy_body(ball)
    assert world.is_valid(ball) and not twin.is_valid(ball) and twin.body(0) is None
    world.report_impacts_above(100)
    assert not len(world.impulse_sums())
    world.sum_impulses()
    met = []
    world.create_bodies([(5, 0, 0), (8, 0, 0)], velocity=[(1, 0, 0), (-1, 0, 0)])
    for _ in range(4):
        world.step(0.5)
        assert not len(world.impact_events())
        met += [row for row in world.impulse_sums() if row["impacts"]]
    (row,) = met  # 1 kg each, without restitution
    assert row["target"] == "body" and numpy.allclose(row["impulse"], (1, 0, 0)) and row["along"] == 1
    assert world.stats().impacts_total == 1 and world.step_times()[1].steps == 0
    assert world.sleep_events().dtype == world.wake_events().dtype


def test_surfaces():
    """A ball comes to rest on a sheet of triangles, which then goes, moves and carries it."""
    world = kugel.World(gravity=(0, 0, -9.81))
    sheet = numpy.array([(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0), (0, 0, 9)], float)
    index = world.create_surface(sheet, [(0, 1, 2), (0, 2, 3)], position=(0, 0, 1), friction=0.25, one_sided=True)
    roof = world.create_surface(sheet[:3, ::-1], numpy.array([[2, 1, 0]], "int64"), position=(100, 0, 0))
    assert (index, roof) == (world.surface(0), world.surface(1)) and world.surface(2) is None and (index & 0xffffffff, roof & 0xffffffff) == (0, 1)
    ball = world.create_body(position=(0.5, -0.5, 1.5), radius=0.5)
    world.step(1 / 60)
    touch = world.begin_events()[0]
    assert touch["target"] == "surface" and touch["index"] == 0 and touch["triangle"] < 2
    for _ in range(30):
        world.step(1 / 60)
    contact, = world.contacts(ball)
    assert contact["target"] == "surface" and abs(contact["force"] - 9.81) < 0.1
    found = world.surfaces()
    assert list(found) == [index, roof] and (found[index].vertices == sheet).all() and found[index].triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert found[index].definition.friction == 0.25 and found[index].definition.one_sided and found[index].info.open_edges == 4
    assert list(found[index].definition.position) == [0, 0, 1] and found[index].info.facets == 1
    before, saved = world.hash(), world.save()
    light = world.save(meshes=False)
    assert len(light) < len(saved)
    world.step(0.01)
    world.restore(light)
    assert world.hash() == before
    twin = kugel.World()
    twin.restore(saved)
    assert twin.hash() == before and (twin.surfaces()[roof].vertices == sheet[:3, ::-1]).all()
    world.destroy_surface(roof)
    assert world.is_valid(index) and not world.is_valid(roof)
    refused("surface", world.set_surface_pose, roof, (0, 0, 1))
    refused("surface", world.destroy_surface, ball)  # of another kind
    refused("body", world.destroy_body, index)
    world.set_surface_motion(index, (0, 0, 0.5))
    for _ in range(60):
        world.step(1 / 60)
    move, = world.surface_moves()
    assert (move["surface"], move["moved"], move["placed"], move["stopped"]) == (index, True, False, False)
    assert abs(move["position"][2] - 1.5) < 1e-9
    assert abs(world.get_body(ball).position[2] - 2) < 0.02 and abs(world.surfaces()[index].definition.position[2] - 1.5) < 1e-9
    quarter = (0, 0, 0.5**0.5, 0.5**0.5)
    world.set_surface_target(index, (0, 0, 1.75), quarter, 0.5)
    for _ in range(2):
        world.step(0.25)
    moved = world.surfaces()[index].definition
    assert numpy.abs(numpy.subtract((*moved.position, *moved.rotation), (0, 0, 1.75, *quarter))).max() < 1e-14
    world.set_surface_target(index, None, numpy.array(moved.rotation), dt=1)
    moved = world.surfaces()[index].definition
    assert abs(moved.velocity[2] - 0.5) < 1e-12 and list(moved.spin) == [0, 0, 0]
    for argument, *rest in (("position", None, None, 1), ("rotation", None, (0, 0, 0, 2), 1), ("dt", None, quarter, 0)):
        refused(argument, world.set_surface_target, index, *rest)
    world.set_surface_pose(index, (0, 0, 1), (0, 0, 1, 0))
    assert not len(world.contacts(ball)) and list(world.surfaces()) == [index]
    for wrong, name in (((sheet, [(0, 1, 9)]), "surface.triangles"), ((sheet * numpy.nan, [(0, 1, 2)]), "surface.vertices")):
        try:
            world.create_surface(*wrong)
            raise AssertionError("accepted")
        except kugel.Error as error:
            assert error.argument == name, error
    for wrong in ((sheet.ravel(), [(0, 1, 2)]), (sheet, [(0.0, 1.0, 2.0)]), (sheet, [(0, 1, -1)]), (sheet, numpy.empty((0, 3), int))):
        try:
            world.create_surface(*wrong)
            raise AssertionError("accepted")
        except TypeError:
            pass


def test_user_data_of_surfaces():
    """They are given, read, set and cloned, and are not part of the state."""
    world = kugel.World()
    ball, other = (world.create_surface(shape="capsule", size=(1, 0, 0), **given) for given in ({"user_data": 4}, {}))
    assert (world.get_surface_user_data(ball), world.get_surface_user_data(other)) == (4, 0)
    before = world.hash()
    world.set_surface_user_data(other, 2**64 - 1)
    assert world.surfaces()[other].definition.user_data == world.clone().get_surface_user_data(other) == 2**64 - 1
    assert world.hash() == before
    refused("user_data", world.set_surface_user_data, other, 2**64)
    refused("user_data", world.create_surface, shape="plane", user_data=-1)
    world.destroy_surface(other)
    refused("surface", world.set_surface_user_data, other, 1)
    refused("surface", world.get_surface_user_data, other)


def test_areas():
    """A ball flies through a solid box that is a sensor, and is listed while it is inside."""
    world = kugel.World()
    area = world.create_surface(shape="box", size=(1, 2, 3), position=(0, 0, 1), sensor=True)
    ball = world.create_body(position=(-3, 0, 1), velocity=(4, 0, 0), radius=0.5)
    found = []
    for _ in range(12):
        world.step(0.125)
        events = world.sensor_events()
        found += [(world.time - 0.125 + event["time"], bool(event["entered"]), int(event["body"]), int(event["surface"])) for event in events]
        x = world.get_position(ball)[0]
        assert world.surface_bodies(area).tolist() == ([ball] if abs(x) <= 1.5 else [])
    assert found == [(0.375, True, ball, area), (1.125, False, ball, area)], found
    assert world.surfaces()[area].definition.sensor
    refused("surface", world.surface_bodies, world.create_surface(shape="plane"))


def test_solid_shapes():
    """A ball bounces back from the tip of an ellipsoid at the time of the closed form."""
    world = kugel.World()
    index = world.create_surface(shape="ellipsoid", size=(1, 1, 2), restitution=1, friction=0)
    world.create_body(position=(0, 0, 5), velocity=(0, 0, -2), radius=0.5, restitution=1, friction=0)
    world.step(2)
    impact, = world.impact_events()
    assert abs(impact["time"] - 1.25) < 1e-12 and impact["target"] == "surface"
    surface = world.surfaces()[index]
    assert surface.definition.shape == "ellipsoid" and list(surface.definition.size) == [1, 1, 2]
    assert abs(surface.vertices[:, 2].max() - 2) < 1e-12
    for wrong, kind in (({"shape": "ellipsoid", "size": (1, 0, 1)}, kugel.Error), ({"shape": "ball"}, ValueError),
                        ({"shape": "capsule", "size": (1, 1, 0), "vertices": [(0, 0, 0)]}, TypeError)):
        try:
            world.create_surface(**wrong)
            raise AssertionError("accepted")
        except kind:
            pass


def test_shapes():
    """Volumes are those of the formulas; a ball rests on a height field; values out of range are refused."""
    shapes = kugel.shapes

    def volume(mesh):
        a, b, c = (mesh[0][mesh[1][:, k]] for k in range(3))
        return (a * numpy.cross(b, c)).sum() / 6
    sides = 32 / 2 * math.sin(2 * math.pi / 32)  # area of a polygon of radius 1
    assert abs(volume(shapes.box((1, 2, 3))) - 48) < 1e-12
    assert abs(volume(shapes.cone((0, 0, 0), (0, 0, 3), 1)) - sides) < 1e-12
    assert abs(volume(shapes.cone((0, 0, 0), (0, 0, 1), 2, 2)) - 4 * sides) < 1e-12
    assert abs(volume(shapes.capsule((0, 0, -1), (0, 0, 1), 1, 64)) - math.pi * (4 / 3 + 2)) < 0.05
    assert len(shapes.cone((0, 0, 0), (0, 0, 1), 2, 1, caps="none")[1]) == 64 and len(shapes.rectangle()[1]) == 2
    assert (shapes.disc((0, 0, 1), (0, 0, 2), 1)[0][:, 2] == 1).all()
    place, corners = shapes.height_field(numpy.arange(6).reshape(2, 3), 2, 5)
    assert (place[5] == (4, 5, 5)).all() and corners.shape == (4, 3)
    world = kugel.World(gravity=(0, 0, -9.81))
    world.create_surface(*shapes.height_field(numpy.ones((4, 4)), origin=(-1.5, -1.5, 0)), friction=0.5)
    ball = world.create_body(position=(0.2, 0.1, 2), radius=0.25)
    for _ in range(240):
        world.step(1 / 60)
    assert abs(world.get_body(ball).position[2] - 1.25) < 1e-3
    for wrong, name in ((lambda: shapes.box((1, -1, 1)), "box"), (lambda: shapes.disc((0, 0, 0), (0, 0, 1), 1, 2), "disc"),
                        (lambda: shapes.disc((0, 0, 0), (0, 0, 1), 1, -1), "segments"), (lambda: shapes.disc((0, 0, 0), (0, 0, 1), 1, 2**32 + 8), "segments"),
                        (lambda: shapes.capsule((0, 0, 0), (0, 0, 1), 1, 1024 - 2**32), "segments"), (lambda: shapes.capsule((0, 0, 0), (0, 0, 1), 1, 1028), "capsule"),
                        (lambda: shapes.cone((0, 0, 0), (0, 0, 1), 1, segments=2**32 + 8), "segments"), (lambda: shapes.cone((0, 0, 0), (0, 0, 0), 1), "cone"),
                        (lambda: shapes.capsule((0, 0, 0), (0, 0, 1), 1, 30), "capsule"), (lambda: shapes.height_field([[1, 2]]), "height_field")):
        try:
            wrong()
        except kugel.Error as error:
            assert error.argument == name, error
            continue
        raise AssertionError(f"a wrong {name} was made")
    for wrong in (lambda: shapes.height_field([1, 2]), lambda: shapes.box(1), lambda: world.set_position(ball, (1, 2))):
        try:
            wrong()
        except TypeError as error:
            assert "takes" in str(error) and "got" in str(error), error
            continue
        raise AssertionError("a wrong shape was made")


def test_geometry():
    """Each function has the answer of C for its arguments in their order, and names them if they are refused."""
    geometry, random = kugel.geometry, numpy.random.default_rng(5)
    names = [name[6:] for name in re.findall(r"(?<=kugel_status )kugel_\w+(?=\()", (source / "include/kugel/geometry.h").read_text())]
    assert len(names) > 15 and all(callable(getattr(geometry, name)) for name in names)
    for name in names:
        function, raw = getattr(geometry, name), getattr(kugel.library, f"kugel_{name}")
        parameters = function.__code__.co_varnames[:function.__code__.co_argcount]
        given = {}
        for parameter, kind in zip(parameters, raw.argtypes):
            vector = random.uniform(-1, 1, 4 if parameter == "rotation" else 3)
            vector = vector / numpy.linalg.norm(vector) if parameter in ("normal", "rotation") else vector
            vector = abs(vector) + (parameter == "max") if parameter in ("max", "semi_axes", "half") else -abs(vector) if parameter == "min" else vector
            given[parameter] = float(random.uniform(0.5, 2)) if kind is ctypes.c_double else vector
        answer, *others = raw.argtypes[len(parameters):]
        expected, rest = answer._type_(), [kind._type_() for kind in others]
        values = [value if isinstance(value, float) else (ctypes.c_double * len(value))(*value) for value in given.values()]
        assert raw(*values, expected, *rest) == api.KUGEL_OK, name
        found = function(**given)
        if rest:
            found, face = found
            assert face == rest[0].value
        assert found == expected.value if isinstance(found, bool) else bytes(found) == bytes(expected), name
        refused(f"{', '.join(parameters[:-1])} or {parameters[-1]}", function, **{**given, **{p: -1.0 for p in given if p in ("radius", "radius_a", "dt", "t_max")},
                **{p: (9, 9, 9) for p in given if p in ("normal", "max") and p == "normal"}, **{p: (-1, -1, -1) for p in given if p == "semi_axes"}})
        for parameter in given:
            assert raises(kugel.WrongType, lambda: function(**{**given, parameter: "x"})).argument == parameter
    start = random.normal(size=3) * 3
    assert geometry.ray_ellipsoid(start, -start, math.inf, (0, 0, 0), (1, 1, 1)).t_enter == geometry.ray_sphere(start, -start, math.inf, (0, 0, 0), 1).t_enter
    assert geometry.ray_sphere((2, 0, 0), (-1, 0, 0), 1, (0, 0, 0), 1).hit and not geometry.ray_sphere((2, 0, 0), (-1, 0, 0), 0.5, (0, 0, 0), 1).hit
    assert geometry.plane_sphere((0, 0, 1), 0, (0, 0, 3), 1).distance == 2 and geometry.ray_plane((0, 0, 1), (0, 0, -1), math.inf, (0, 0, 1), 0).relation == "crossing"


def test_queries():
    """Each query against numpy over 2000 spheres of radius 0.5."""
    place = numpy.random.default_rng(1).uniform(-10, 10, (2000, 3))
    world = kugel.World()
    bodies = world.create_bodies(place, type="static")
    world.prepare_queries()
    far = numpy.linalg.norm(place, axis=1)

    def handles(rows, expected):
        assert sorted(rows["body"]) == sorted(bodies[expected]) and expected.any(), (rows["body"], bodies[expected])

    axis = numpy.linalg.norm(place[:, 1:], axis=1)  # distance from the x axis
    on = (axis < 0.5) & (place[:, 0] > 0)
    handles(world.ray_all((0, 0, 0), (20, 0, 0)), on)
    first = place[:, 0] - numpy.sqrt(numpy.maximum(0.25 - axis**2, 0))
    hit = world.ray_closest((0, 0, 0), (20, 0, 0))
    assert hit and hit.body == bodies[numpy.where(on, first, 99).argmin()]
    assert world.ray_any((0, 0, 0), (20, 0, 0)) and not world.ray_any((0, 0, 50), (20, 0, 0))
    batch = world.rays_closest([(0, 0, 0), (0, 0, 50)], (20, 0, 0))
    assert list(batch["body"]) == [hit.body, 0] and batch["hit"]["t_enter"][0] == hit.hit.t_enter
    assert world.ray_closest((0, 0, 0), (20, 0, 0), accept=lambda target, body: body != hit.body).body != hit.body
    # what it touches at the start is met where it is entered by a thousandth of the radius more
    entered = (far > 2.502) | (numpy.minimum(far, 2.5) - axis > 0.002)
    swept = (axis < 2.5) & (place[:, 0] > 0) & (place[:, 0] < 20) & entered
    rows = world.cast_all((0, 0, 0), (20, 0, 0), 2.0)
    assert set(bodies[swept]) <= set(rows["body"]) and (numpy.diff(rows["contact"]["time"]) >= 0).all()
    assert world.cast_closest((0, 0, 0), (20, 0, 0), 2.0).body == rows["body"][0] and world.cast_any((0, 0, 0), (20, 0, 0), 2.0)
    handles(world.overlap_sphere((0, 0, 0), 4), far < 4.5)
    handles(world.overlap_ellipsoid((0, 0, 0), (4, 4, 4)), far < 4.5)
    handles(world.overlap_box((-30, -30, 0), (30, 30, 30)), place[:, 2] > -0.5)
    assert len(world.overlap_sphere((0, 0, 0), 99)) == 2000  # more than the first room for results
    handles(world.overlap_sphere(place[7], 0), numpy.linalg.norm(place - place[7], axis=1) < 0.5)
    near = world.nearest((0, 0, 0), 5)
    assert list(near["body"]) == list(bodies[far.argsort()[:5]]) and abs(near["gap"] - far[far.argsort()[:5]] + 0.5).max() < 1e-12
    assert len(world.nearest((0, 0, 0), 5, max_gap=near["gap"][1])) == 2
    assert len(world.nearest((0, 0, 0), 2**32 - 1)) == 2000  # memory for the targets that there are
    handles(world.plane_side((0, 0, 1), 2, 1), place[:, 2] > 2.5)
    shield = world.create_surface(shape="ellipsoid", position=(5, 0, 0), size=(1, 2, 3), category=1 << 20, mask=1 << 20)
    for x in (5, 6):  # only queries find it
        world.set_surface_pose(shield, (x, 0, 0))
        assert abs(world.ray_closest((0, 0, 0), (1, 0, 0), 20, targets="surfaces").hit.t_enter - (x - 1)) < 1e-12
    floor = world.create_plane(normal=(0, 0, 1), offset=-30)
    down, ground = (0, 0, -1), "surface"
    hit = world.ray_closest((50, 0, 0), down, 40)
    assert hit and not hit.body and (hit.target, world.surface(hit.index), hit.hit.t_enter) == (ground, floor, 30)
    assert world.cast_closest((50, 0, 0), down, 2, 40).contact.time == 28
    assert world.ray_closest((50, 0, 0), down, 40, targets="bodies") is None
    assert world.ray_closest((50, 0, 0), down, 40, targets=("bodies", "surfaces")).target == ground
    assert world.nearest((50, 0, 0), max_gap=30)["target"][0] == ground
    try:
        world.ray_closest((50, 0, 0), down, targets="floors")
        raise AssertionError("no error")
    except ValueError as error:
        assert "floors" in str(error)
    raises = {"accept": lambda target, body: 1 // 0, "targets": "bodies"}  # the ellipsoid is nearer than all bodies
    for call in (lambda: world.ray_closest((0, 0, 0), (20, 0, 0), **raises), lambda: world.overlap_sphere((0, 0, 0), -1)):
        try:
            call()
        except (ZeroDivisionError, kugel.Error):
            continue
        raise AssertionError("no error")


def test_scenes():
    """Built-in scenes, files and dicts have the bits of kugel-run."""
    assert "pile" in kugel.scenes()
    printed = subprocess.run([build / "samples/kugel-run", "pile", "--ticks", "5", "--quiet"], capture_output=True, text=True).stdout
    player = kugel.run("pile", ticks=5)
    assert f"0x{player.world().hash():016x}" in printed and player.world(3).tick == 3
    assert player.hash(5) == player.world().hash() and repr(player).startswith("<kugel.Player: 5 ticks")
    refused("tick", player.world, 6)
    assert len(kugel.run({"format": "kugel-scene", "version": 1, "ticks": 2, "bodies": [{"position": [0, 0, 0]}]}).world()) == 1
    scene = {"format": "kugel-scene", "version": 1, "ticks": numpy.int64(2), "bodies": [{"position": numpy.zeros(3)}]}
    assert kugel.run(scene, dt=numpy.float64(0.5), check=True).world().time == 1
    for check in False, numpy.False_, numpy.True_:
        assert kugel.run(scene, check=check).world().tick == 2
    for wrong in numpy.nan, {1}:
        try:
            kugel.run({**scene, "dt": wrong})
            assert False
        except (TypeError, ValueError) as error:
            assert "JSON compliant" in str(error) or "{1}" in str(error), error
    for name in "pyle", "--version":
        try:
            kugel.run(name)
        except ValueError as error:
            assert name in str(error), error
            continue
        raise AssertionError(f"{name}: accepted")
    for option, near in ("tick", "'ticks'"), ("thread", "'threads'"), ("no_state", "'no_states'"), ("colour", "no option 'colour'"):
        assert near in str(raises(TypeError, lambda: kugel.run("cradle", **{option: 3}))), option
    for option in "list", "help", "version":
        assert f"--{option}" in str(raises(ValueError, lambda: kugel.run("cradle", **{option: True})))


def test_types():
    """mypy accepts the module, the sample and right calls, and refuses each wrong call. The module runs without typing_extensions."""
    code = "import sys; sys.modules['typing_extensions'] = None; import kugel; kugel.World(slop=0.5).create_body(radius=2)"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(packages)}, check=True)
    path = {**os.environ, "MYPYPATH": str(packages), "MYPY_CACHE_DIR": str(folder / "mypy")}
    check = lambda *files: subprocess.run([sys.executable, "-m", "mypy", *files], env=path, cwd=folder, capture_output=True, text=True)
    version = check("--version")
    if "No module named mypy" in version.stderr:
        print("skipped: types: no mypy (Debian: mypy)")
        return
    numbers = tuple(map(int, re.findall(r"\d+", version.stdout)[:2]))
    options = ["--strict"] + (["--enable-incomplete-feature=Unpack"] if numbers < (1, 7) else [])  # types of keyword arguments
    done = check(*options, packages / "kugel", source / "samples/sample_speeds.py")
    assert done.returncode == 0, done.stdout + done.stderr
    calls = source / "tests/python/typed_calls.py"
    wrong = {number for number, line in enumerate(calls.read_text().split("\n"), 1) if line.endswith("# wrong")}
    printed = check(*options, "--no-pretty", calls).stdout
    found = {int(number) for number in re.findall(r"typed_calls\.py:(\d+): error:", printed)}
    assert found == wrong and len(wrong) > 20, f"not refused: {sorted(wrong - found)}, refused: {sorted(found - wrong)}\n{printed}"


def test_verify_again():
    """A recording is verified from its start each time."""
    chunks = []
    world = kugel.World()
    world.start_recording(chunks.append)
    world.create_body(velocity=(1, 0, 0))
    for _ in range(3):
        world.step(1)
    world.stop_recording()
    player, steps = kugel.Player(b"".join(chunks)), []
    step = kugel.library.kugel_player_step
    kugel.library.kugel_player_step = lambda *arguments: steps.append(step(*arguments)) or steps[-1]
    for count in 3, 6:
        assert player.verify() is None and steps.count(api.KUGEL_PLAY_TICK) == count
    kugel.library.kugel_player_step = step


def test_stepped_player():
    """A recording is played tick by tick and sought; its worlds have the recorded hashes."""
    chunks, hashes = [], []
    world = kugel.World(gravity=(0, 0, -9.81))
    world.create_plane(normal=(0, 0, 1))
    world.start_recording(chunks.append)
    world.create_bodies([(0, 0, 1), (0, 0.1, 2.5)])
    for _ in range(40):
        world.step(1 / 60)
        hashes.append(world.hash())
    world.stop_recording()
    player = kugel.Player(b"".join(chunks))
    for tick in range(40):
        assert player.tick == tick and player.step() == "tick"
        if tick % 10 == 0:
            assert player.world(player.tick).hash() == hashes[tick] and player.tick == tick + 1
    assert [player.step(), player.step(), player.tick] == ["end", "end", 40]
    player.seek(7)
    assert player.step() == "tick" and player.tick == 8 and player.world(8).hash() == hashes[7]
    refused("tick", player.seek, 41)
    refused("tick", player.seek, -1)
    assert player.tick == 8

    chunks, world = [], kugel.World()
    world.create_bodies([(0, 0, 0), (2.5, 0, 0)], velocity=[(1, 0, 0), (0, 0, 0)], restitution=1.0)
    world.set_pair_filter(lambda pair, key: True)
    world.start_recording(chunks.append)
    for _ in range(3):
        world.step(1)
    world.stop_recording()
    player = kugel.Player(b"".join(chunks))
    player.set_pair_filter(lambda pair, key: False)  # they meet at 1.5 s
    steps = [player.step() for _ in range(4)]
    assert steps[0] == "tick" and steps[3] == "end" and player.tick == 3
    assert [(row.tick, row.body, row.field, row.expected, row.found) for row in steps[1:3]] == [(2, 0, "position.x", 1.5, 2), (3, 0, "position.x", 1.5, 3)]
    assert player.verify().tick == 2


def test_sample():
    """The sample checks itself."""
    path = {**os.environ, "PYTHONPATH": str(packages)}
    done = subprocess.run([sys.executable, source / "samples/sample_speeds.py"], env=path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_example():
    """The module's own example runs. (Those of the pages: tests/docs/check_docs.py.)"""
    example = "\n".join(line[4:] for line in kugel.__doc__.splitlines() if line.startswith("    "))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(example, "the example of kugel", "exec"), {})
    assert "0x" in out.getvalue()


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok:", name[5:])
