"""The Python module beside the native library. Hashes and positions are compared exactly.
usage: check_python.py SOURCE BUILD [PACKAGES]: the folder that holds the module, where it is not the build's; exit 77
with the reason when it cannot run."""
import contextlib
import ctypes
import io
import os
import pathlib
import subprocess
import sys
import tempfile

source, build = map(pathlib.Path, sys.argv[1:3])
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


def test_same_hash():
    """The consumer of tests/embed, in C and here."""
    host = (source / "tests/embed/consumer/host.c").read_text()
    expected = compiled(host, str(packages / "kugel/libkugel.so"), f"-Wl,-rpath,{packages}/kugel")[0]
    world = kugel.World(gravity=(0, 0, -9.81))
    world.add_plane(normal=(0, 0, 1), restitution=0.5, friction=0.5)
    i = numpy.arange(50)
    world.add_bodies(numpy.stack([0.1 * (i % 7), 0.1 * (i % 5), 1 + 1.1 * i], 1), restitution=0.7)
    for _ in range(240):
        world.step(1 / 60)
    assert f"{world.hash:016x}" == expected, f"{world.hash:016x} in Python, {expected} in C"


def test_recording():
    """A recording of kugel-run replays with the recorded hashes; recorded rows are views and equal the positions of a run."""
    run = [build / "samples/kugel-run", "gas", "--ticks", "20", "--quiet", "--record", folder / "gas.kugel"]
    last = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    player = kugel.Player((folder / "gas.kugel").read_bytes())
    assert player.verify() is None
    row = player.recorded(20)
    assert f"hash 0x{row.hash:016x}" in last
    assert row.bodies.position.base is not None and not row.bodies.position.flags.writeable
    assert not row.bodies.position.flags.owndata, "a copy"
    assert len(row.bodies.ids) == len(row.bodies.position) > 0
    refused("tick", player.recorded, 21)


def test_own_recording():
    """A run recorded here replays."""
    chunks = []
    world = kugel.World()
    world.record(chunks.append)
    world.add_bodies([(0, 0, 0), (3, 0, 0)], velocity=[(1, 0, 0), (-1, 0, 0)], restitution=[1.0, 1.0])
    for _ in range(90):
        world.step(1 / 60)
    world.record_end()
    player = kugel.Player(b"".join(chunks))
    assert player.verify() is None and player.recorded(90).hash == world.hash
    assert numpy.array_equal(player.recorded(90).bodies.position, world.read().position)


def test_failing_writer():
    """An exception of the writer is raised after the call."""
    taken = []

    def full(data):
        if len(taken) == 3:
            raise OSError("disk full")
        taken.append(data)

    world = kugel.World()
    world.record(full)
    world.add_body()
    for _ in range(200):
        world.step(1 / 60)
    try:
        world.record_end()
    except OSError as error:
        assert str(error) == "disk full"
    else:
        raise AssertionError("a failed writer was not reported")
    assert world.tick == 200 and kugel.Player(b"".join(taken)).verify() is None
    taken.clear()
    try:
        kugel.World().record(lambda data: 1 / 0)
    except ZeroDivisionError:
        return
    raise AssertionError("a writer that fails at once was not reported")


def test_views():
    """read() reuses its arrays; events are views of the library's memory and keep the world alive."""
    world = kugel.World()
    world.add_bodies([(0, 0, 0), (2, 0, 0)], velocity=[(1, 0, 0), (-1, 0, 0)], restitution=1.0)
    first = world.read()
    before = first.position.copy()
    world.step(0.75)
    second = world.read()
    assert numpy.shares_memory(first.position, second.position)
    assert not numpy.array_equal(before, first.position), "read() gave a copy"
    impacts = world.impacts()
    count = ctypes.c_size_t()
    there = ctypes.cast(kugel.library.kugel_world_impacts(world._world, count), ctypes.c_void_p).value
    assert impacts.ctypes.data == there and len(impacts) == 1 and not impacts.flags.owndata
    assert impacts["time"][0] == 0.5 and impacts["speed"][0] == 2.0 and list(impacts["normal"][0]) == [1, 0, 0]
    destroyed = []
    destroy = kugel.library.kugel_world_destroy
    kugel.library.kugel_world_destroy = lambda w: (destroyed.append(1), destroy(w))
    del world
    assert not destroyed and impacts["impulse"][0] == 2.0
    del impacts
    assert destroyed
    kugel.library.kugel_world_destroy = destroy


def test_bodies_of_a_game():
    """Properties, sleep, pushes, contacts and moves, with numbers that follow by hand."""
    world = kugel.World(gravity=(0, 0, -10))
    world.add_plane(normal=(0, 0, 1), friction=0.5)
    ball = world.add_body(position=(0, 0, 0.5), user_data=7)
    world.set_properties(ball, mass=2.0, friction=0.25, user_data=8)
    assert (world.state(ball).mass, world.state(ball).friction, world.state(ball).user_data) == (2, 0.25, 8)
    refused("restitution", world.set_properties, ball, restitution=1.5)
    try:
        world.set_properties(ball, colour=1)
        assert False
    except TypeError:
        pass
    for tick in range(20):
        world.step(1 / 60)
    contact, = world.contacts(ball)
    assert contact["a"] == ball and contact["target"] == api.KUGEL_TARGET_PLANE and contact["normal"][2] == -1
    assert abs(contact["force"] - 20) < 0.2 and len(world.contacts()) == 1  # the weight, within 1 %
    move, = world.moves()
    assert move["body"] == ball and move["user_data"] == 8
    world.sleep(ball)
    assert world.state(ball).asleep and len(world.moves()) == 0
    world.wake(ball)
    assert not world.state(ball).asleep
    assert world.explode(center=(-1, 0, 0.5), impulse=4.0) == 1 and world.state(ball).velocity[0] == 2
    world.apply_impulse_at(ball, (0, 1, 0), (0.5, 0, 0.5))
    assert abs(world.state(ball).spin[2] - 0.5 / (0.4 * 2 * 0.25)) < 1e-12
    world.set_type(ball, api.KUGEL_KINEMATIC)
    world.set_target(ball, (3, 2, 1), 1 / 60)
    world.step(1 / 60)
    assert numpy.abs(world.read().position[0] - (3, 2, 1)).max() < 1e-12


def test_snapshot_and_ray():
    world = kugel.World(gravity=(0, 0, -9.81))
    ball = world.add_body(position=(0, 0, 10))
    saved, before = world.save(), world.hash
    world.step(1 / 60)
    after = world.hash
    world.restore(saved)
    assert world.hash == before != after
    world.step(1 / 60)
    assert world.hash == after
    world.restore(saved)
    hit = world.ray((0, 0, 0), (0, 0, 20))
    assert hit.body == ball and abs(hit.hit.t_enter - 0.475) < 1e-15  # (10 - 0.5) / 20
    assert world.ray((5, 0, 0), (0, 0, 20)) is None
    world.remove_body(ball)
    refused("body", world.state, ball)


def test_refusals():
    """Errors name the argument."""
    refused("substeps", kugel.World, substeps=-1)
    world = kugel.World()
    refused("def.radius", world.add_body, radius=-1)
    refused("dt", world.step, 0)
    refused("dt", world.step, float("nan"))
    refused("substeps", kugel.World, substeps=2**32 + 4)
    refused("faces", kugel.World, bounds={"faces": [2**32] * 6})
    refused("category", world.add_body, category=2**32 + 1)
    refused("mask", world.add_body, mask=-1)
    assert len(world) == 0 and world.tick == 0
    for call, word in ((lambda: kugel.World(gravty=(0, 0, 1)), "'gravity'"), (lambda: world.add_body(position=(1, 2)), "3 values"),
                       (lambda: world.add_bodies([(0, 0, 0)], radius=[1, 2]), "a row for each"), (lambda: world.step("x"), "dt: "),
                       (lambda: kugel.World(gravity=9.81), "gravity takes 3 values"), (lambda: kugel.World(substeps=1.5), "substeps: "),
                       (lambda: world.add_body(radius=None), "radius: "), (lambda: world.add_body(sensor="no"), "sensor: "),
                       (lambda: world.add_body(position=("a", 0, 0)), "position: ")):
        try:
            call()
        except TypeError as error:
            assert word in str(error), error
        else:
            raise AssertionError(f"{word}: accepted")


def test_hooks():
    """A world keeps references to its callbacks."""
    said = []
    write = dict(api.kugel_log._fields_)["write"]
    world = kugel.World(log={"write": write(lambda user, status, text: said.append(text))})
    taken = [write(lambda user, status, text: said.append(b"of another")) for _ in range(100)]  # reuses the memory of a released one
    refused("def.radius", world.add_body, radius=-1)
    assert len(said) == 1 and b"radius" in said[0] and len(taken) == 100, said


def test_verify_again():
    """A recording is verified from its start each time."""
    chunks = []
    world = kugel.World()
    world.record(chunks.append)
    world.add_body(velocity=(1, 0, 0))
    for _ in range(3):
        world.step(1)
    world.record_end()
    player, steps = kugel.Player(b"".join(chunks)), []
    step = kugel.library.kugel_player_step
    kugel.library.kugel_player_step = lambda *arguments: steps.append(1) or step(*arguments)
    assert player.verify() is None and len(steps) == 4  # the last call reaches the end
    assert player.verify() is None and len(steps) == 8
    kugel.library.kugel_player_step = step


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
