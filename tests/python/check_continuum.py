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


def test_shaken_bed():
    """The virial theorem, d/dt sum(m z v) = sum(m v^2 + z F): over a time T, V T times the stress
    is the virial of weight and floor, and the change of the left side. Steps of 1/60 s have several
    substeps, and contacts last for parts of a step."""
    for friction, amplitude in (0, 0.02), (0, 0.05), (0.5, 0.02):
        dt, stress = 1 / 60, None
        world = box((3, 3, 30), "wall", gravity=(0, 0, -G), sleep=False)
        place = lattice((4, 4, 6), 0.65, (0.5, 0.5, 1))
        place += numpy.random.default_rng(1).uniform(-0.05, 0.05, (96, 3))
        world.create_bodies(place, radius=0.3, restitution=0.5, friction=friction)
        floor = world.create_surface(*kugel.shapes.box((5, 5, 0.25)), position=(1.5, 1.5, 0),
                                     friction=friction, restitution=0.5)
        world.sum_impulses()
        for tick in range(120 + 360):
            if tick == 120:
                stress, virial = continuum.Stress(world, 1), 0.0
                z, v = world.read().position[:, 2], world.read().velocity[:, 2]
                before = (z * v).sum()
            low = 0.25 + amplitude * numpy.sin(10 * numpy.pi * dt * numpy.array([tick, tick + 1]))
            world.set_surface_target(floor, (1.5, 1.5, low[1] - 0.25), (0, 0, 0, 1), dt)
            world.step(dt)
            if stress:
                stress.add()
                sums, last = world.impulse_sums(), z
                z = world.read().position[:, 2]
                on_floor = sums["impulse"][sums["target"] == "surface"][:, 2].sum()
                virial += on_floor * low.mean() + G * dt * (z + last).sum() / 2
        expected = (virial + (z * world.read().velocity[:, 2]).sum() - before) / stress.time
        # means over steps of the floor's height, and of the kinetic part, err by 0.1 %
        assert abs(stress.total[2, 2] / expected - 1) < 0.003, (stress.total[2, 2], expected)
        assert stress.contact[2, 2] > 0.3 * expected and stress.collisional[2, 2] > 0.1 * expected


def test_sheared_gas():
    """Rough balls between two planes whose surfaces run in opposite directions: the shear stress is
    the force on the planes, and the stress is symmetric, as spins are steady. 3,000 steps: 1 %."""
    length, dt = 8.0, 1 / 50
    world = kugel.World(bounce_threshold=0, slop=0, sleep=False,
                        bounds=dict(min=(0, 0, -1), max=(length, length, length + 1),
                                    faces=["periodic"] * 4 + ["open"] * 2))
    for way, offset in (1, 0), (-1, -length):
        plane = world.create_plane(normal=(0, 0, way), offset=offset, friction=1, restitution=0.8)
        world.set_surface_tangent_velocity(plane, (-4 * way, 0, 0))
    rows = numpy.random.default_rng(1)
    place = lattice((8,) * 3, 1, (0.5,) * 3)[rows.permutation(512)[:400]]
    world.create_bodies(place, velocity=rows.normal(size=(400, 3)), radius=0.45, restitution=0.8,
                        friction=0.8)
    for _ in range(3000):
        world.step(dt)
    stress, force = continuum.Stress(world, length**3), numpy.zeros((2, 3))
    for tick in range(3000):
        world.step(dt)
        stress.add()
        sums = world.impulse_sums()
        sums = sums[sums["target"] == "surface"]
        for index in range(2):
            force[index] += sums["impulse"][sums["index"] == index].sum(0)
    on_planes = (force[0] - force[1]) / 2 / stress.time / length**2
    assert abs(stress.total[0, 2] / on_planes[0] + 1) < 0.01, (stress.total, on_planes)
    assert abs(stress.total[2, 2] / on_planes[2] + 1) < 0.01, (stress.total, on_planes)
    assert abs(stress.total - stress.total.T).max() < 0.01 * abs(stress.total[0, 2]), stress.total
    heights = numpy.linspace(-1, length + 1, 101)
    stress = continuum.Stress(world, length**3)
    fields = continuum.Fields(world, "z", heights, 1.0, across=length**2)
    for _ in range(50):
        world.step(dt)
        stress.add(), fields.add()
    for i, k in lattice((3, 3, 1), 1, (0, 0, 0))[:, :2].astype(int):
        mean = trapezoid(fields.collisional[:, i, k], heights) / length
        assert abs(mean - stress.collisional[i, k]) < 1e-4 * stress.pressure


def test_oblique_impact():
    """The stress of one impact is the whole impulse times the branch between the centres, with a
    wall that to the wall."""
    for wall in False, True:
        material = dict(friction=0.3, restitution=0.5)
        world = kugel.World(bounds=dict(min=(-9, -9, -9), max=(9, 9, 9), faces="wall", **material))
        place = (0, 0, -8.4 if wall else 1.1)
        ball = world.create_body(position=place, velocity=(3, 1, -2), mass=2, **material)
        other = None if wall else world.create_body(friction=0.3)
        before, stress = world.get_velocity(ball), continuum.Stress(world)
        world.step(0.01)
        stress.add()
        assert (stress.collisional == 0).all()
        world.step(0.09)
        stress.add()
        impulse = 2 * (world.get_velocity(ball) - before)
        impact, = world.impact_events()
        assert abs(numpy.cross(impulse, impact["normal"])).max() > 0.1 * impact["impulse"]
        assert wall or numpy.allclose(-impulse, world.get_velocity(other), atol=1e-12)
        expected = impulse[:, None] * (0.5 if wall else 1) * -impact["normal"] / (18**3 * 0.1)
        assert numpy.allclose(stress.collisional, expected, rtol=1e-9, atol=1e-16)
        assert (stress.contact == 0).all()


def test_groove():
    """A ball at rest on two slopes of one mesh: m g / sqrt(2) along each normal, by hand."""
    for events in True, False:
        world = kugel.World(gravity=(0, 0, -G))
        corners = [(-3, -3, 3), (-3, 3, 3), (0, -3, 0), (0, 3, 0), (3, -3, 3), (3, 3, 3)]
        world.create_surface(corners, [(0, 2, 1), (1, 2, 3), (2, 4, 3), (3, 4, 5)], friction=0)
        ball = world.create_body(position=(0, 0, 0.5**0.5 + 1e-3), mass=2, contact_events=events)
        for _ in range(200):
            world.step(1 / 60)
        stress = continuum.Stress(world, 1)
        world.step(1 / 60)
        stress.add()
        expected = numpy.diag([1, 0, 1]) * 0.5 * 2 * G / 2**0.5
        assert numpy.allclose(stress.contact, expected, atol=1e-3 * G), stress.contact
        assert (stress.collisional == 0).all()
        place = world.get_body(ball).position
        world.destroy_body(ball)
        assert world.create_body(position=place) != ball  # in its place, and with its id
        world.step(1 / 60)
        stress.add()


def test_contact_that_ends():
    """A ball slides off a table in the middle of a step, with and without events: what the table
    bore counts."""
    for events in True, False:
        world = kugel.World(gravity=(0, 0, -G), substeps=8)
        world.create_surface([(-9, -3, 0), (-9, 3, 0), (0, -3, 0), (0, 3, 0)],
                             [(0, 2, 1), (1, 2, 3)], friction=0)
        ball = world.create_body(position=(-3, 0, 0.5), mass=2, contact_events=events, friction=0)
        for _ in range(60):
            world.step(1 / 60)
        world.set_velocity(ball, (3, 0, 0))
        while world.contacts():
            before, stress = world.get_velocity(ball), continuum.Stress(world, 1)
            world.step(1 / 60)
            stress.add()
        assert len(world.end_events()) == events
        impulse = 2 * (world.get_velocity(ball) - before + (0, 0, G / 60))
        assert impulse[2] > 0.1 * 2 * G / 60, "it did not end in the middle"
        assert abs(stress.contact[2, 2] * stress.time / (0.5 * impulse[2]) - 1) < 1e-3, events


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
    meeting = kugel.World()
    meeting.create_body(), meeting.create_body(position=(2, 0, 0), velocity=(-2, 0, 0))
    stress = continuum.Stress(meeting, 1)
    meeting.sum_impulses(False)
    for _ in range(2):
        meeting.step(0.3)
        stress.add() if meeting.tick == 1 else refused("world", stress.add)
    assert fields.density[0] > 0 and fields.density[1] == 0 and numpy.isnan(fields.velocity[1]).all() and numpy.isnan(fields.temperature[1])
    assert (fields.stress == 0).all()


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok:", name[5:])
