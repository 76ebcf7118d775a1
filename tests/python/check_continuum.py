"""Stress, fabric and fields of the Python module, against theory.
usage: check_continuum.py SOURCE BUILD; exit 77 with the reason when it cannot run."""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
packages = build / "tools/python"
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
from kugel import continuum, observables

G = 9.81


def refused(argument, call, *rest, **named):
    try:
        call(*rest, **named)
    except kugel.Error as error:
        assert error.argument == argument, f"{error.argument!r} is named instead of {argument!r}"
        return
    raise AssertionError(f"{argument} was not refused")


def lattice(count, spacing, start):
    """Places of a simple lattice, m."""
    return numpy.stack(numpy.meshgrid(*(s + spacing * numpy.arange(n) for n, s in zip(count, start)), indexing="ij"), -1).reshape(-1, 3)


def box(size, faces, **more):
    return kugel.World(bounds=dict(min=(0, 0, 0), max=size, faces=faces, restitution=1, friction=0), **more)


def gas(eta, faces="periodic", cells=6, drift=(0, 0, 0)):
    """Elastic, smooth spheres of 1 m and 1 kg at a packing fraction, whose places have become random."""
    length = cells * (numpy.pi / 6 / eta)**(1 / 3)
    world = box((length,) * 3, faces, bounce_threshold=0, slop=0)
    velocity = numpy.random.default_rng(2).normal(size=(cells**3, 3))
    velocity += drift - velocity.mean(0)
    world.create_bodies(lattice((cells,) * 3, length / cells, (length / cells / 2,) * 3), velocity=velocity, restitution=1, friction=0)
    for _ in range(60):
        world.step(1 / 20)
    return world


def pile():
    """Rough grains of several sizes at rest on the floor of a box that is periodic along x and y."""
    rows = numpy.random.default_rng(4)
    world = box((6, 6, 40), ["periodic"] * 4 + ["wall"] * 2, gravity=(0, 0, -G))
    place = lattice((5, 5, 12), 1.2, (0.6, 0.6, 0.7)) + rows.uniform(-0.05, 0.05, (300, 3))
    world.create_bodies(place, radius=rows.uniform(0.35, 0.5, 300), density=2000, friction=0.3)
    for _ in range(900):
        world.step(1 / 60)
    return world


def trapezoid(y, x):
    return float(((y[1:] + y[:-1]) / 2 * numpy.diff(x)).sum())


def test_column():
    """Three equal balls on top of each other: forces of m g, 2 m g and 3 m g, by hand."""
    world = box((4, 4, 9), "wall", gravity=(0, 0, -G))
    world.create_bodies([(2, 2, 0.5), (2, 2, 1.5), (2, 2, 2.5)], mass=2.0, friction=0)
    for _ in range(200):
        world.step(1 / 60)
    net = continuum.contact_network(world)
    assert sorted(zip(net.a, net.b)) == [(0, -1), (0, 1), (1, 2)], net
    force = numpy.sort(abs(net.force[:, 2]))
    assert numpy.allclose(force, 2 * G * numpy.arange(1, 4), rtol=1e-3), force
    stress = continuum.Stress(world)
    world.step(1 / 60)
    stress.add()
    work = (3 * 0.5 + 2 * 1 + 1 * 1) * 2 * G  # force times branch
    expected = numpy.zeros((3, 3))
    expected[2, 2] = work / (4 * 4 * 9)
    assert numpy.allclose(stress.contact, expected, atol=1e-3 * expected[2, 2]) and abs(stress.kinetic).max() < 1e-9
    found = continuum.fabric(world)
    assert found.contacts == 2 and abs(found.tensor - numpy.diag([0, 0, 1])).max() < 1e-6
    assert found.coordination == 5 / 3 and found.mechanical == 2
    assert continuum.fabric(world, above=2.5 * 2 * G).contacts == 0 and continuum.fabric(kugel.World()).coordination == 0
    refused("above", continuum.fabric, world, -1)


def test_written_network():
    """Contacts as rows are those of kugel-replay, and lines have their ends and forces."""
    chunks, world = [], box((3, 3, 9), ["periodic"] * 4 + ["wall"] * 2, gravity=(0, 0, -G))
    world.start_recording(chunks.append)
    world.create_bodies(lattice((2, 2, 4), 1.1, (0.4, 0.4, 0.6)) + 0.02 * numpy.sin(numpy.arange(48).reshape(16, 3)), radius=0.5)
    world.mark_recording()
    for _ in range(60):
        world.step(1 / 60)
    world.stop_recording()
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "a.kugel").write_bytes(b"".join(chunks))
        continuum.write_network(world, here / "a.csv")
        continuum.write_network(world, str(here / "a.vtp"))
        done = subprocess.run([build / "tools/replay/kugel-replay", "export", here / "a.kugel", "--tick", "60", "--format", "contacts", "-o", "-"],
                              capture_output=True, text=True, check=True)
        found, expected = ([line.split(",") for line in text.split()] for text in ((here / "a.csv").read_text(), done.stdout))
        assert len(found) == len(expected) == len(world.contacts()) + 1 > 12 and found[0] == expected[0]
        for row, other in zip(found[1:], expected[1:]):
            assert row[0] == other[0] and row[2:5] == other[2:5] and row[5:8] == other[5:8], (row, other)
            assert numpy.allclose(numpy.array(row[8:], float), numpy.array(other[8:], float), rtol=1e-7, atol=1e-12), (row, other)
        piece = xml.etree.ElementTree.parse(here / "a.vtp").find(".//Piece")
        column = {array.get("Name"): numpy.array(array.text.split(), float) for array in piece.iter("DataArray")}
        net = continuum.contact_network(world)
        ends = column["Points"].reshape(-1, 2, 3)
        assert int(piece.get("NumberOfLines")) == len(net.a) == len(ends) and numpy.allclose(ends[:, 0] - ends[:, 1], net.branch)
        start = observables.nearest_image(ends[:, 0] - world.read().position[net.a], observables.periodic_box(world))
        assert abs(start).max() < 1e-9 and (column["force"] == world.contacts()["force"]).all()
        assert (column["connectivity"] == numpy.arange(2 * len(ends))).all() and (column["offsets"] == 2 + 2 * numpy.arange(len(ends))).all()
        refused("path", continuum.write_network, world, here / "a.gsd")


def test_hydrostatic_pile():
    """The stress of a pile at rest is the weight above it, at each height that is a width from the floor; its integral is the
    sum of m g z; the density's integral is the mass. No shear stress on horizontal planes, which nothing holds."""
    world = pile()
    heights = numpy.linspace(-2, 20, 441)
    fields, stress = continuum.Fields(world, "z", heights, 1.0), continuum.Stress(world)
    for _ in range(30):
        world.step(1 / 60)
        fields.add(), stress.add()
    mass, position = world.read_arrays("mass", "position").values()
    assert abs(trapezoid(fields.density, heights) * 36 / mass.sum() - 1) < 1e-5
    weight = numpy.array([trapezoid(fields.density[k:], heights[k:]) for k in range(len(heights))]) * G
    inside = (heights > 1.0) & (weight > 0.02 * weight[0])
    found = fields.stress[:, 2, 2]
    assert inside.sum() > 50 and abs(found[inside] / weight[inside] - 1).max() < 0.01, abs(found[inside] / weight[inside] - 1).max()
    assert abs(fields.stress[inside][:, 2, :2]).max() < 0.02 * weight[0]
    work = G * float((mass * position[:, 2]).sum())
    assert abs(stress.total[2, 2] * 36 * 40 / work - 1) < 0.01, stress.total[2, 2] * 36 * 40 / work
    assert abs(trapezoid(found, heights) * 36 / work - 1) < 0.01
    assert abs(fields.solid_fraction * 2000 - fields.density).max() < 1e-9
    middle = (heights > 2) & (heights < 5)
    assert 0.5 < fields.solid_fraction[middle].mean() < 0.7
    found = continuum.fabric(world)
    assert abs(numpy.trace(found.tensor) - 1) < 1e-12 and 4 < found.mechanical < 6.5 and found.coordination <= found.mechanical, found


def test_ideal_gas():
    """Bodies that pass through each other: the stress is n T, without drift; fields have the drift as velocity."""
    rows, count, drift = numpy.random.default_rng(6), 4000, numpy.array([5.0, -2, 9])
    world = box((8, 9, 10), "periodic", bounce_threshold=0)
    velocity = rows.normal(0, 2, (count, 3))
    velocity += drift - velocity.mean(0)
    place = rows.uniform(0, (8, 9, 10), (count, 3))
    world.create_bodies(place, velocity=velocity, radius=0.1, mass=3.0, mask=0)
    stress = continuum.Stress(world)
    slabs, cells = numpy.linspace(0, 10, 40, endpoint=False), lattice((16, 18, 20), 0.5, (0, 0, 0))
    profile, grid = continuum.Fields(world, "z", slabs, 2.0), continuum.Fields(world, "xyz", cells, 2.0)
    plane = continuum.Fields(world, "xz", cells.reshape(16, 18, 20, 3)[:, 0, :, ::2].reshape(-1, 2), 2.0)
    for _ in range(2):
        world.step(1 / 60)
        for each in stress, profile, grid, plane:
            each.add()
    exact = 3.0 * (velocity - drift).T @ (velocity - drift) / 720
    n, T = count / 720, observables.temperature(world)
    assert numpy.allclose(stress.kinetic, exact, rtol=1e-12) and (stress.contact == 0).all() and (stress.collisional == 0).all()
    assert abs(stress.pressure / (n * T * (count - 1) / count) - 1) < 1e-12
    assert numpy.allclose(stress.kinetic, n * T * numpy.eye(3), atol=0.1 * n * T)  # 4,000 bodies: 2.2 %
    for fields in profile, grid, plane:  # points that fill the box: means over them are integrals
        assert abs(fields.density.mean() / (3 * n) - 1) < 1e-3 and abs(fields.number_density.mean() / n - 1) < 1e-3
        momentum = (fields.density[:, None] * fields.velocity).mean(0)
        assert numpy.allclose(momentum, 3 * n * drift, rtol=1e-3, atol=0.01 * n)
        whole = (fields.kinetic + fields.density[:, None, None] * fields.velocity[:, :, None] * fields.velocity[:, None, :]).mean(0)
        assert numpy.allclose(whole, exact + 3 * n * drift[:, None] * drift, rtol=2e-3, atol=0.02 * n * T)
    assert abs(profile.temperature.mean() / (T / 3) - 1) < 0.02 and abs(profile.velocity - drift).max() < 0.5
    some = cells[::97]
    by_hand = numpy.zeros(len(some))
    for at in place + velocity / 60, place + velocity / 30:
        apart = numpy.linalg.norm(observables.nearest_image(some[:, None] - at[None], (8, 9, 10)), axis=2) / 2
        by_hand += 0.5 * numpy.where(apart < 1, 105 / (16 * numpy.pi * 8) * (1 + 3 * apart) * (1 - apart)**3, 0).sum(1)
    assert numpy.allclose(grid.number_density[::97], by_hand, rtol=1e-9)


def test_hard_spheres():
    """The pressure is Carnahan and Starling's, and that of Collisions; the mean of the field is the stress. About 6,000
    pairs: 2 %. Between walls the pressure is that on the walls."""
    eta, world = 0.25, gas(0.25, drift=(3, 0, 0))
    length = world.get_def().bounds.max[0]
    stress, collisions = continuum.Stress(world), observables.Collisions(world)
    fields = continuum.Fields(world, "xyz", lattice((9,) * 3, length / 9, (0, 0, 0)), 0.4 * length)
    for tick in range(160):
        world.step(1 / 20)
        for each in stress, collisions, fields:
            each.add()
    n_kT = len(world) / length**3 * observables.temperature(world)
    z = (1 + eta + eta**2 - eta**3) / (1 - eta)**3
    assert abs(stress.pressure / (n_kT * z) - 1) < 0.03, stress.pressure / (n_kT * z)
    assert abs(stress.pressure / collisions.pressure() - 1) < 1e-12
    assert abs(stress.total - stress.pressure * numpy.eye(3)).max() < 0.1 * stress.pressure
    assert numpy.allclose(fields.collisional.mean(0), stress.collisional, rtol=0, atol=1e-3 * stress.pressure)
    assert abs(numpy.trace(fields.stress.mean(0)) / 3 / stress.pressure - 1) < 0.02
    flow = (fields.density[:, None] * fields.velocity).mean(0) / fields.density.mean()
    assert numpy.allclose(flow, (3, 0, 0), atol=0.01), flow
    walls = gas(0.15, "wall", 5)
    stress, collisions = continuum.Stress(walls), observables.Collisions(walls)
    for tick in range(800):
        walls.step(1 / 20)
        stress.add(), collisions.add()
    assert abs(stress.pressure / collisions.wall_pressure() - 1) < 0.01, stress.pressure / collisions.wall_pressure()


def test_refusals():
    world = box((4, 4, 4), ["periodic"] * 4 + ["open"] * 2)
    world.create_body(position=(1, 1, 1))
    refused("volume", continuum.Stress, world)
    for volume in (0, -1, numpy.nan, numpy.inf):
        refused("volume", continuum.Stress, world, volume)
    for axes in ("", "zx", "xx", "w", 3):
        refused("axes", continuum.Fields, world, axes, [1.0], 1.0)
    refused("across", continuum.Fields, world, "x", [1.0], 1.0)
    refused("across", continuum.Fields, world, "x", [1.0], 1.0, 0)
    refused("points", continuum.Fields, world, "xy", [[1.0]], 1.0)
    for width in (0, -1, numpy.nan, 2.1):
        refused("width", continuum.Fields, world, "x", [1.0], width, 4)
    fields, stress = continuum.Fields(world, "z", [1.0, 9.0], 1.0), continuum.Stress(world, 64)
    refused("time", lambda: fields.density)
    refused("world", fields.add)
    world.step(0.1), world.step(0.1)
    refused("world", fields.add)
    refused("world", stress.add)
    fields = continuum.Fields(world, "z", [1.0, 9.0], 1.0)
    world.step(0.1)
    fields.add()
    refused("world", fields.add)
    assert fields.density[0] > 0 and fields.density[1] == 0 and numpy.isnan(fields.velocity[1]).all() and numpy.isnan(fields.temperature[1])
    assert (fields.stress == 0).all()


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok:", name[5:])
