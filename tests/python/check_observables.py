"""The observables of the Python module, against theory and against plain loops; deltas and the sync test.
usage: check_observables.py SOURCE BUILD; exit 77 with the reason when it cannot run."""
import pathlib
import subprocess
import sys
import time

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
from kugel import observables

random = numpy.random.default_rng(1)
INF = numpy.inf


def refused(argument, call, *rest, **named):
    try:
        call(*rest, **named)
    except kugel.Error as error:
        assert error.argument == argument, f"{error.argument!r} is named instead of {argument!r}"
        return
    raise AssertionError(f"{argument} was not refused")


def fcc(cells, length):
    """4 cells^3 places on a face-centred lattice in a cube, m."""
    corner = numpy.stack(numpy.meshgrid(*[numpy.arange(cells)] * 3, indexing="ij"), -1).reshape(-1, 1, 3)
    inner = numpy.array([(0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)]) + 0.25
    return ((corner + inner) * length / cells).reshape(-1, 3)


def gas(cells, eta, faces="periodic", speed=1.0):
    """Elastic, smooth spheres of radius 0.5 m and 1 kg at a packing fraction; no total momentum."""
    count = 4 * cells**3
    length = (count * numpy.pi / 6 / eta)**(1 / 3)
    world = kugel.World(bounce_threshold=0, slop=0, bounds=dict(min=(0, 0, 0), max=(length,) * 3, faces=faces, restitution=1, friction=0))
    velocity = random.normal(0, speed, (count, 3))
    world.create_bodies(fcc(cells, length), velocity=velocity - velocity.mean(0), radius=0.5, restitution=1, friction=0)
    return world


def images_loop(a, b, box):
    """The distance of two places by trying all 27 images."""
    finite = [length if numpy.isfinite(length) else 0.0 for length in box]
    return min(numpy.linalg.norm(a - b + [i * finite[0], j * finite[1], k * finite[2]])
               for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1))


def test_kinetic_energy():
    """The sums of the library to rounding, and a body by hand."""
    world = kugel.World()
    world.create_body(velocity=(3, 0, 4), spin=(0, 2, 0), mass=2.0, radius=0.5)
    world.create_body(position=(9, 0, 0), velocity=(9, 0, 0), type="kinematic")
    assert observables.kinetic_energy(world) == (25.0, 0.5 * 0.4 * 2 * 0.25 * 4)
    fluid = gas(4, 0.1)
    energy = observables.kinetic_energy(fluid)
    assert abs(sum(energy) / fluid.energy().kinetic - 1) < 1e-12
    # no total momentum: the centre of mass is at rest
    assert abs(observables.temperature(fluid) / (2 * energy.translation / (3 * (len(fluid) - 1))) - 1) < 1e-12
    moved = gas(4, 0.1)
    before = observables.temperature(moved)
    for body in moved.read_states():
        moved.set_velocity(body["body"], body["velocity"] + (100, 0, 0))
    assert abs(observables.temperature(moved) / before - 1) < 1e-9  # relative to the centre
    refused("world", observables.temperature, kugel.World())


def test_pressure_and_rate():
    """Carnahan and Starling: Z = (1 + e + e^2 - e^3) / (1 - e)^3; Enskog's rate 4 n d^2 g(d) sqrt(pi k T / m). About
    30,000 pairs: the virial has an error near 1 %, and 864 bodies shift both by less."""
    eta, world = 0.2, gas(6, 0.2)
    for _ in range(60):
        world.step(1 / 20)
    collisions = observables.Collisions(world)
    for _ in range(200):
        world.step(1 / 20)
        collisions.add()
    kT, volume = observables.temperature(world), len(world) * numpy.pi / 6 / eta
    z = (1 + eta + eta**2 - eta**3) / (1 - eta)**3
    found = collisions.pressure() * volume / (len(world) * kT)
    assert abs(found / z - 1) < 0.02, (found, z)
    assert abs(collisions.pressure(2 * volume) / collisions.pressure() - 0.5) < 1e-12 and collisions.walls == 0
    contact = (1 - eta / 2) / (1 - eta)**3
    rate = 4 * len(world) / volume * contact * numpy.sqrt(numpy.pi * kT)
    assert abs(collisions.rate / rate - 1) < 0.02, (collisions.rate, rate)
    refused("faces", collisions.wall_pressure)
    refused("time", observables.Collisions(world).pressure)


def test_drift():
    """A gas that drifts has the numbers of its copy at rest: pressure, displacements, velocities. Rounding grows tenfold an
    impact of a body, of which there are some five. Bodies that do not move freely are left out."""
    found = []
    for drift in (0, 0, 0), (5, -3, 70):
        world = kugel.World(bounce_threshold=0, slop=0, bounds=dict(min=(0, 0, 0), max=(9, 9, 9), faces="periodic"))
        rows = numpy.random.default_rng(7)
        velocity = rows.normal(size=(108, 3))
        mass = rows.uniform(1, 3, 108)
        velocity += drift - mass @ velocity / mass.sum()
        world.create_bodies(fcc(3, 9.0), velocity=velocity, mass=mass, radius=0.5, restitution=1, friction=0)
        collisions, path = observables.Collisions(world), observables.Trajectory(world)
        path.add()
        for _ in range(30):
            world.step(1 / 10)
            collisions.add()
            path.add()
        found.append((collisions.pressure(), collisions.rate, *path.mean_squared_displacement(20).y, *path.velocity_autocorrelation(20).y))
        kept = path.mean_squared_displacement(20, drift=True).y - path.mean_squared_displacement(20).y
        by_mass = numpy.average(path.position[20] - path.position[0], axis=0, weights=mass)
        assert numpy.allclose(by_mass, numpy.multiply(drift, 2), atol=1e-9), by_mass
        assert numpy.allclose(kept, numpy.dot(drift, drift) * (0.1 * numpy.arange(20))**2, rtol=0.02, atol=1e-9), kept
    assert found[0][1] > 1 and numpy.allclose(*found, rtol=1e-7), numpy.divide(*found)
    world = kugel.World(bounds=dict(min=(0, 0, 0), max=(9, 9, 9), faces=["wall"] * 2 + ["periodic"] * 4))
    world.create_body(position=(5, 5, 5), velocity=(1, 2, 3), mass=2)
    world.create_body(position=(2, 2, 2), type="static"), world.create_body(position=(8, 8, 8), type="kinematic", velocity=(9, 0, 0))
    collisions, path = observables.Collisions(world), observables.Trajectory(world)
    path.add()
    world.step(0.1)
    collisions.add(), path.add()
    assert abs(collisions.pressure(1.0) - 2 * 1 / 3) < 1e-15  # along x, where walls are; no drift along y and z
    assert abs(path.mean_squared_displacement(drift=True).y[1] - 0.14) < 1e-12 and abs(path.mean_squared_displacement().y[1]) < 1e-24
    fixed = kugel.World()
    fixed.create_body(type="static")
    path = observables.Trajectory(fixed)
    path.add(), fixed.step(0.1), path.add()
    refused("world", path.mean_squared_displacement)


def test_near_pairs():
    """Cells against plain loops: boxes with and without periodic axes, thin boxes, several reaches, bodies outside of their
    box, in one place, in a line, far apart and far from the origin; unlike radii."""
    rows = numpy.random.default_rng(5)
    for box in ((INF,) * 3, (4, 5, 6), (INF, 5, 6), (4, INF, INF), (4, 5, 0.9), (40, 3, INF)):
        finite = numpy.where(numpy.isfinite(box), box, 5.0)
        for place in (rows.uniform(0, finite, (150, 3)), rows.uniform(-2, 3, (80, 3)) * finite, numpy.repeat(rows.uniform(0, finite, (9, 3)), 4, 0),
                      fcc(2, 4.0) + 1e6, rows.uniform(0, 1, (60, 3)) * (4, 0, 0), rows.normal(0, 1, (50, 3))**7, numpy.zeros((3, 3)), numpy.zeros((1, 3))):
            difference = observables.nearest_image(place[:, None] - place[None], box)
            apart = numpy.linalg.norm(difference, axis=2)
            upper = numpy.triu_indices(len(place), 1)
            for radius in (numpy.full(len(place), 0.2), rows.uniform(0.01, 0.3, len(place)), 10**rows.uniform(-3, 0, len(place))):
                for gap in (0.05, -0.1, 0.0):
                    near = apart <= radius[:, None] + radius[None] + gap
                    numpy.fill_diagonal(near, False)
                    assert numpy.array_equal(observables.coordination_numbers(place, radius, box, gap), near.sum(1)), (box, gap)
            if numpy.isfinite(box).all():
                for reach in (0.1, 0.25, 0.44):
                    g = observables.pair_correlation(place, box, reach, 1).y if len(place) > 1 else None
                    pairs = numpy.count_nonzero(apart[upper] <= reach)
                    ideal = len(upper[0]) * 4 / 3 * numpy.pi * reach**3 / numpy.prod(box)
                    assert g is None or abs(g[0] * ideal - pairs) < 1e-9 * (1 + pairs), (box, reach)
    place, start = rows.uniform(0, 24, (8000, 3)), time.process_time()
    observables.pair_correlation(place, (24,) * 3, 3.0)
    assert time.process_time() - start < 1, "0.05 s without a load; all pairs take more than 1 s"


def test_wall_pressure():
    """One ball between two walls: 2 m v impulse every 2 L / v seconds on each of two faces; and a thin gas, whose wall
    pressure is n k T to a few percent (about 5,000 impacts: 1.5 %; 2 % of the volume are bodies)."""
    ball = kugel.World(bounce_threshold=0, slop=0, bounds=dict(min=(0, 0, 0), max=(3, 3, 3), faces="wall", restitution=1, friction=0))
    ball.create_body(position=(1.5, 1.5, 1.5), velocity=(4, 0, 0), restitution=1, friction=0, radius=0.5)
    collisions = observables.Collisions(ball)
    for _ in range(100):
        ball.step(0.1)
        collisions.add()
    # 10 s at 4 m/s are 20 paths of 2 m: 20 impacts of 8 N s on 6 faces of 9 m^2
    assert collisions.walls == 20 and abs(collisions.wall_pressure() - 20 * 8 / (6 * 9) / 10) < 1e-9
    thin = gas(5, 0.005, "wall", 4.0)
    collisions = observables.Collisions(thin)
    for _ in range(400):
        thin.step(1 / 20)
        collisions.add()
    side = thin.get_def().bounds.max[0]
    inner = len(thin) * observables.temperature(thin) / (side - 1)**3  # centres are 0.5 m inside
    assert abs(collisions.wall_pressure() / inner - 1) < 0.06, (collisions.wall_pressure(), inner)
    free = kugel.World()
    free.create_body()
    collisions = observables.Collisions(free)
    free.step(1)
    collisions.add()
    refused("volume", collisions.pressure)
    for volume in (0, -1, numpy.nan, INF):
        refused("volume", collisions.pressure, volume)


def test_pressure_between_walls():
    """Both pressures of a box with walls agree, that of the faces and the virial: their difference is the change of the sum of
    m x . v, with random signs about sqrt(27) kg * 3 m * 2 m/s, over 80 s: 0.5 % of 2 K = 81 J."""
    side = 6.0
    world = kugel.World(bounce_threshold=0, bounds=dict(min=(0, 0, 0), max=(side,) * 3, faces="wall", restitution=1, friction=0))
    place = numpy.stack(numpy.meshgrid(*[numpy.arange(1.0, 6, 2)] * 3), -1).reshape(-1, 3)
    bodies = world.create_bodies(place, velocity=numpy.random.default_rng(3).normal(size=(27, 3)), restitution=1, friction=0)
    collisions = observables.Collisions(world)
    for _ in range(4000):
        world.step(0.02)
        collisions.add()
    walls = collisions.wall_pressure()
    assert abs(collisions.pressure() / walls - 1) < 0.01, (collisions.pressure(), walls)
    assert abs(collisions.pressure(side**2 * (side - 1)) / collisions.pressure() - 1) < 1e-12
    world.set_radius(bodies[0], 0.4)
    refused("volume", collisions.pressure)
    assert collisions.pressure(125.0) > 0


def test_changed_bodies():
    """Radii are those of the impacts' step; an impact of a body that was removed since is refused, and nothing is counted."""
    world = kugel.World(bounce_threshold=0, bounds=dict(min=(0, 0, 0), max=(20,) * 3, faces="periodic"))
    bodies = world.create_bodies([(2, 5, 5), (6, 5, 5)], velocity=[(1, 0, 0), (-1, 0, 0)], restitution=1, friction=0)
    collisions = observables.Collisions(world)
    for body in bodies:
        world.set_radius(body, 1)
    while not collisions.pairs:
        world.step(0.1)
        collisions.add()
    # the impulse 2 N s at a distance of 2 m, and 2 K = 2 J over the time
    assert abs(collisions.pressure() - (2 * collisions.time + 2 * 2) / (3 * collisions.time * 20**3)) < 1e-15
    for body, x, v in zip(bodies, (2, 6), (1, -1)):
        world.set_position(body, (x, 5, 5)), world.set_velocity(body, (v, 0, 0))
    world.step(2)
    world.destroy_body(bodies[1])
    before = collisions.pairs, collisions.time
    refused("world", collisions.add)
    assert (collisions.pairs, collisions.time) == before


def test_missed_impacts():
    """A step without add(), a second add() in a step, a world that was set back, and impacts that are not reported are
    refused, and nothing is counted."""
    world = gas(3, 0.2)
    collisions = observables.Collisions(world)
    refused("world", collisions.add)  # no step
    start = world.save()
    world.step(1)
    collisions.add()
    before = collisions.pairs, collisions.time
    assert before[0] > 0
    refused("world", collisions.add)
    world.restore(start)
    refused("world", collisions.add)
    for _ in range(3):
        world.step(1)
    refused("world", collisions.add)
    assert (collisions.pairs, collisions.time) == before
    world.report_impacts_above(1.0)
    slow = observables.Collisions(world)
    world.step(1)
    try:
        slow.add()
        assert False, "counted"
    except kugel.Error as error:
        assert "report_impacts_above(0)" in str(error) and error.status == "state", error
    assert slow.pairs == 0 and slow.time == 0


def test_pair_correlation():
    """Loops over all pairs and images, exactly; an ideal gas has g = 1; hard spheres have g = 0 inside and near Carnahan
    and Starling's value at contact."""
    box = numpy.array([4.0, 5.0, 6.0])
    place = random.uniform(0, box, (40, 3))
    found = observables.pair_correlation(place, box, 2.0, 8)
    for pair in [(1e-18, 1, 1), (-1e-18, 1, 1)], [(-1e-18, 1, 1), (1e-18, 1, 1)], [(1, 1, 1)] * 2:
        pair = numpy.concatenate([pair, 9 + numpy.zeros((3, 3)) + numpy.eye(3)])  # -1e-18 % 20 is 20
        assert observables.pair_correlation(pair, (20,) * 3, 1, 1).y[0] * 10 * 4 / 3 * numpy.pi / 8000 > 0.9
    count = numpy.zeros(8)
    for i in range(40):
        for j in range(i):
            d = images_loop(place[i], place[j], box)
            if d <= 2.0:
                count[min(int(d / 0.25), 7)] += 1
    shell = 4 / 3 * numpy.pi * numpy.diff((0.25 * numpy.arange(9))**3)
    expected = count / (40 * 39 / 2 * shell / box.prod())
    assert numpy.allclose(found.y, expected, rtol=1e-12) and numpy.allclose(found.x, 0.25 * numpy.arange(8) + 0.125)
    ideal = observables.pair_correlation(random.uniform(0, box, (2000, 3)), box, 2, 10)
    assert ideal.x[-1] < 2 and abs(ideal.y[3:] - 1).max() < 0.02  # at least 50,000 pairs a bin
    eta, world, sum_of_g = 0.2, gas(6, 0.2), 0.0
    lengths = observables.periodic_box(world)
    for _ in range(10):
        for _ in range(20):
            world.step(1 / 20)
        g = observables.pair_correlation(world.read().position, lengths, 2.0, 40)
        sum_of_g = sum_of_g + g.y / 10
    assert sum_of_g[:19].max() == 0  # to 0.95 m; the diameter is 1 m
    contact = (1 - eta / 2) / (1 - eta)**3
    line = numpy.polyfit(g.x[20:24], sum_of_g[20:24], 1)
    assert abs(numpy.polyval(line, 1.0) / contact - 1) < 0.06, (numpy.polyval(line, 1.0), contact)
    rows = numpy.random.default_rng(7)
    found, more = observables.pair_correlation(place[:3], box), rows.uniform(0, box, (2000, 3))
    assert abs(found.x[-1] - 2 * 99.5 / 100) < 1e-12  # half of the box, else three spacings
    found, few = observables.pair_correlation(more, box), 3 * (4 * 5 * 6 / 2000)**(1 / 3)
    assert abs(found.x[-1] - few * 99.5 / 100) < 1e-12
    assert numpy.array_equal(found.y, observables.pair_correlation(more, box, few).y)
    more = rows.uniform(0, 24, (8000, 3))
    took = []
    for _ in range(3):
        start = time.process_time()
        observables.pair_correlation(more, (24,) * 3)
        took.append(time.process_time() - start)
    assert min(took) < 0.3, f"{took} s, without a load 0.04 s; half of the box takes 0.5 s"
    refused("box", observables.pair_correlation, place, (1, 1, INF))
    refused("r_max", observables.pair_correlation, place, box, 2.5)
    refused("position", observables.pair_correlation, place[:, :2], box)


def test_structure_factor():
    """Loops over wave vectors; an ideal gas has S = 1; a lattice has S = n at its Bragg peaks, and 0 elsewhere."""
    box = numpy.array([3.0, 4.0, 5.0])
    place, k_max = random.uniform(0, box, (30, 3)), 5.0
    found = observables.structure_factor(place, box, k_max, 5)
    sums, sizes, counts = numpy.zeros(5), numpy.zeros(5), numpy.zeros(5)
    for i in range(-3, 4):
        for j in range(-4, 5):
            for l in range(-4, 5):
                k = 2 * numpy.pi * numpy.array([i, j, l]) / box
                size = numpy.linalg.norm(k)
                if 0 < size <= k_max:
                    s = min(int(size / k_max * 5), 4)
                    sums[s] += abs(numpy.exp(1j * place @ k).sum())**2 / 30
                    sizes[s] += size
                    counts[s] += 1
    used = counts > 0
    assert numpy.allclose(found.y, sums[used] / counts[used], rtol=1e-10)
    assert numpy.allclose(found.x, sizes[used] / counts[used], rtol=1e-12)
    ideal = observables.structure_factor(random.uniform(0, 1, (3000, 3)), (1, 1, 1), 60, 10)
    assert abs(ideal.y[5:] - 1).max() < 0.1  # hundreds of independent exponentials a shell
    lattice = observables.structure_factor(fcc(3, 3.0), (3, 3, 3), 12.0, 400)
    peak = 2 * numpy.pi * numpy.sqrt(3)  # (1, 1, 1) of an edge of 1 m
    near = abs(lattice.x - peak) < 1e-9
    assert near.sum() == 1 and abs(lattice.y[near][0] / 108 - 8 / numpy.count_nonzero(shell_of(lattice, peak))) < 1e-9
    assert abs(lattice.y[lattice.x < peak - 0.2]).max() < 1e-20
    for side in 0.1, 1.0:  # the peak of 27 places is at 3 units, and k_max = 3 units reaches it in spite of rounding
        grid = side / 3 * numpy.stack(numpy.meshgrid(*[numpy.arange(3)] * 3), -1).reshape(-1, 3)
        peak = observables.structure_factor(grid, (side,) * 3, 3 * (2 * numpy.pi / side), 30)
        assert abs(peak.x[-1] / (6 * numpy.pi / side) - 1) < 1e-12 and peak.y[-1] > 5, peak
    refused("k_max", observables.structure_factor, place, box, 0.1)
    refused("box", observables.structure_factor, place, (INF, 1, 1), 5)


def shell_of(curve, peak):
    """The wave vectors of a box of 3 m whose size is that of the peak: 8 of them are reciprocal lattice vectors."""
    n = numpy.arange(-6, 7)
    size = 2 * numpy.pi / 3 * numpy.sqrt((n[:, None, None]**2 + n[None, :, None]**2 + n[None, None, :]**2).astype(float))
    width = 12.0 / 400
    return numpy.floor(size / width) == numpy.floor(peak / width)


def test_coordination():
    """12 neighbours in a face-centred lattice, across periodic faces too; loops for random places; a pile."""
    place = fcc(3, 3.0)
    touching = numpy.sqrt(0.5) / 2  # half of the nearest distance
    assert (observables.coordination_numbers(place, touching * (1 + 1e-9), (3, 3, 3)) == 12).all()
    assert observables.coordination_numbers(place, touching * (1 - 1e-9), (3, 3, 3)).sum() == 0
    open_faces = observables.coordination_numbers(place, touching * (1 + 1e-9))
    assert open_faces.max() == 12 and open_faces.min() < 12
    box, radius = (4.0, INF, 6.0), random.uniform(0.1, 0.5, 60)
    place = random.uniform(0, 5, (60, 3)) % [4, 99, 6]
    expected = [sum(images_loop(place[i], place[j], box) <= radius[i] + radius[j] + 0.1 for j in range(60) if j != i) for i in range(60)]
    assert list(observables.coordination_numbers(place, radius, box, 0.1)) == expected and sum(expected) > 20
    assert len(observables.coordination_numbers(numpy.empty((0, 3)), 1.0)) == 0


def test_ballistic_motion():
    """Without impacts |x|^2 = v^2 t^2 and v . v is constant, through periodic faces many times; loops over origins."""
    world = kugel.World(bounce_threshold=0, bounds=dict(min=(0, 0, 0), max=(5, 6, 7), faces="periodic"))
    velocity = random.normal(0, 2, (50, 3))
    world.create_bodies(random.uniform(0, 5, (50, 3)), velocity=velocity, radius=0.1, mask=0)
    path = observables.Trajectory(world)
    path.add()
    for _ in range(40):
        world.step(0.25)
        path.add()
    v2 = (velocity**2).sum(1).mean()
    moved, speeds = path.mean_squared_displacement(drift=True), path.velocity_autocorrelation(11, drift=True)
    own = ((velocity - velocity.mean(0))**2).sum(1).mean()  # without the motion of the centre
    assert numpy.allclose(path.mean_squared_displacement().y, own * moved.x**2, rtol=1e-9)
    assert numpy.allclose(path.velocity_autocorrelation().y, own, rtol=1e-12)
    assert len(path) == len(moved.x) == 41 and len(speeds.x) == 11 and abs(moved.x[-1] - 10) < 1e-12
    assert numpy.allclose(moved.y, v2 * moved.x**2, rtol=1e-9) and numpy.allclose(speeds.y, v2, rtol=1e-12)
    place = path.position
    loops = numpy.mean([((place[t + 7, i] - place[t, i])**2).sum() for t in range(34) for i in range(50)])
    assert abs(moved.y[7] / loops - 1) < 1e-12
    fast = kugel.World(bounds=dict(min=(0, 0, 0), max=(10, 10, 10), faces="periodic"))
    fast.create_body(position=(1, 5, 5), velocity=(7, 0, 0), image=(2, 0, 0))  # more than half of a length in a step
    tour = observables.Trajectory(fast)
    tour.add()
    for _ in range(10):
        fast.step(1.0)
        tour.add()
    assert numpy.array_equal(tour.position[:, 0, 0], 21 + 7 * numpy.arange(11)), tour.position[:, 0, 0]
    assert numpy.array_equal(tour.mean_squared_displacement(drift=True).y, 49 * numpy.arange(11)**2)
    world.create_body()
    refused("world", path.add)
    refused("samples", observables.Trajectory(kugel.World()).mean_squared_displacement)
    other = kugel.World()
    body = other.create_body(velocity=(1, 0, 0))
    uneven, still, changed = (observables.Trajectory(other) for _ in range(3))
    still.add(), still.add()
    for dt in (1e-9, 1e-9, 7e-9):
        other.step(dt)
        uneven.add()
    refused("samples", still.mean_squared_displacement)
    refused("samples", uneven.mean_squared_displacement)
    other.destroy_body(body), other.create_body(position=(100, 0, 0))  # another body with the same id
    refused("world", changed.add)
    for most in (0, -1, numpy.nan):
        refused("most", path.mean_squared_displacement, most)


def test_refusals():
    """Numbers that would give an array of NaN, or a result without a meaning."""
    place, box = random.uniform(0, 4, (8, 3)), (4, 4, 4)
    for bad in ((4, 4, -4), (4, 4, 0), (4, numpy.nan, 4), (4, 4), 4):
        refused("box", observables.pair_correlation, place, bad)
        refused("box", observables.structure_factor, place, bad, 5)
        refused("box", observables.coordination_numbers, place, 0.5, bad)
        refused("box", observables.nearest_image, place, bad)
    for bad in (numpy.nan, INF):
        far = place.copy()
        far[3, 1] = bad
        refused("position", observables.pair_correlation, far, box)
        refused("position", observables.structure_factor, far, box, 5)
        refused("position", observables.coordination_numbers, far, 0.5)
        refused("r_max", observables.pair_correlation, place, box, bad)
        refused("k_max", observables.structure_factor, place, box, bad)
        refused("gap", observables.coordination_numbers, place, 0.5, box, bad)
    for bad in (numpy.nan, 0, -1, INF, [0.5] * 7):
        refused("radius", observables.coordination_numbers, place, bad)


def test_diffusion():
    """In a fluid the velocity autocorrelation begins as 3 kT/m exp(-2/3 rate t) (Enskog), and its integral is the slope of
    the mean squared displacement: 6 D = 2 * integral."""
    world = gas(6, 0.2)
    for _ in range(60):
        world.step(1 / 20)
    path, collisions = observables.Trajectory(world), observables.Collisions(world)
    path.add()
    for _ in range(300):
        world.step(1 / 40)
        path.add()
        collisions.add()
    speeds, moved = path.velocity_autocorrelation(80), path.mean_squared_displacement(80)
    assert abs(speeds.y[0] / (3 * observables.temperature(world)) - 1) < 0.01
    early = speeds.x < 0.25
    expected = speeds.y[0] * numpy.exp(-2 / 3 * collisions.rate * speeds.x[early])
    assert abs(speeds.y[early] / expected - 1).max() < 0.05, speeds.y[early] / expected
    integral = ((speeds.y[1:] + speeds.y[:-1]) / 2 * numpy.diff(speeds.x)).sum()
    slope = numpy.polyfit(moved.x[60:], moved.y[60:], 1)[0]
    assert abs(slope / (2 * integral) - 1) < 0.1, (slope, 2 * integral)


def test_thermostats():
    """Rescaling gives the temperature, Andersen's bath its own; both are recorded."""
    world, parts = kugel.reduced_gas(500, 0.2, seed=3), []
    settings, states = world.get_def(), world.read_states()
    assert (settings.bounce_threshold, settings.slop, settings.sleep) == (0, 0, False)
    assert set(states["restitution"]) == {1} and set(states["friction"]) == {0} and set(states["mass"]) == {1} and set(states["radius"]) == {0.5}
    assert abs(observables.temperature(world) - 1) < 1e-12 and abs(world.energy().momentum).max() < 1e-9
    counts, z = observables.Collisions(world), 2.40940
    for _ in range(300):
        world.step(0.05)
        counts.add()
    density = 0.2 * 6 / numpy.pi
    assert abs(counts.pressure() / density - z) < 0.02 * z, counts.pressure() / density  # the noise of 35,000 impacts is 0.5 %
    assert abs(counts.rate - 4.7710) < 0.02 * 4.7710, counts.rate  # per diameter and thermal speed, which are 1
    world.start_recording(parts.append)
    mean = 0.0
    for _ in range(400):
        world.draw_velocities(2.0, 0.1, seed=7)
        world.step(0.05)
        mean += observables.temperature(world) / 300 if world.tick > 400 else 0.0
    world.set_temperature(0.5)
    assert abs(observables.temperature(world) - 0.5) < 1e-12
    world.stop_recording()
    assert kugel.Player(b"".join(parts)).verify() is None
    assert abs(mean - 2) < 0.1, mean  # samples of 1/0.1 steps have an error of 2 sqrt(2 / 1500) = 0.07
    refused("temperature", world.set_temperature, -1)
    refused("probability", world.draw_velocities, 1, 2)
    refused("packing_fraction", kugel.reduced_gas, 10, -1)
    refused("count", kugel.reduced_gas, -1, 0.1)
    refused("count", kugel.reduced_gas, 0, 0.1)


def test_servo():
    """A piston on a gas bears its force, and its gas has the density of its pressure, by Carnahan and Starling."""
    world = kugel.World(bounce_threshold=0, slop=0, sleep=False,
                        bounds=dict(min=(0, 0, 0), max=(6, 6, 60), faces=["periodic"] * 4 + ["wall", "open"], restitution=1, friction=0))
    piston = world.create_plane(normal=(0, 0, -1), offset=-24, restitution=1, friction=0)
    places = numpy.stack(numpy.meshgrid(*[numpy.arange(n) * 1.2 + 0.6 for n in (5, 5, 12)], indexing="ij"), -1).reshape(-1, 3)
    world.create_bodies(places, radius=0.5, restitution=1, friction=0)
    pressure = 1.2 / numpy.pi * 2.40940  # packing 0.2
    servo = kugel.Servo(world, piston, (0, 0, -1), 36 * pressure, mass=30, drag=1)
    push, inside, samples = 0.0, 0, 0
    for tick in range(6000):
        world.draw_velocities(1.0, 0.01, seed=1)
        world.step(0.05)
        servo.drive(0.05)
        if tick >= 1500:
            push += servo.push / 4500
        if tick >= 1500 and tick % 10 == 0:
            z = world.read().position[:, 2]
            inside, samples = inside + numpy.count_nonzero((z > 5) & (z < 13)), samples + 1
    density = inside / samples / (8 * 36)
    assert abs(push / servo.force - 1) < 0.01, push / servo.force
    assert abs(density / (1.2 / numpy.pi) - 1) < 0.03, density / (1.2 / numpy.pi)  # fluctuates by 1 %
    assert abs(servo.position + 24) < 5
    saved, twin = world.save(), kugel.World()
    twin.restore(saved)
    other = kugel.Servo(twin, piston, (0, 0, -1), servo.force, mass=30, drag=1)
    for w, s in (world, servo), (twin, other):
        for _ in range(20):
            w.step(0.05)
            s.drive(0.05)
    assert world.hash() == twin.hash()
    for axis in (0, 0, -1), (0.6, 0, -0.8):  # what moves the surface across the direction stays
        world = kugel.World()
        plate = world.create_plane(normal=(0, 0, -1), offset=-9)
        across = numpy.array((2.0, 3, 0)) - 2 * axis[0] * numpy.array(axis)
        world.set_surface_motion(plate, across, (0, 0, 1))
        servo = kugel.Servo(world, plate, axis, 5, mass=2)
        for _ in range(10):
            world.step(0.1)
            servo.drive(0.1)
        moving = world.surfaces()[plate].definition
        assert abs(moving.velocity - across - 5 / 2 * numpy.array(axis)).max() < 1e-14, moving.velocity
        assert (moving.spin == (0, 0, 1)).all()
    world = twin
    refused("direction", kugel.Servo, world, piston, (0, 0, -2), 1, mass=1)
    refused("mass", kugel.Servo, world, piston, (0, 0, -1), 1)
    refused("surface", kugel.Servo, world, 77, (0, 0, -1), 1, mass=1)


def test_deltas():
    """A delta restores its snapshot; another base or damage is refused; the first difference is named."""
    world = gas(3, 0.1)
    base = world.save()
    world.apply_impulse(world.body(5), (1, 0, 0))
    after = world.save()
    delta = kugel.make_delta(base, after)
    assert kugel.apply_delta(base, delta) == after and len(delta) < len(after) / 10
    assert kugel.apply_delta(base, kugel.make_delta(base, base)) == base
    row = kugel.snapshot_difference(base, after)
    assert row.body == 5 and row.field == "velocity.x" and row.found == row.expected + 1
    assert kugel.snapshot_difference(base, base) is None
    info = kugel.check_snapshot(base)
    assert (info.bodies, info.tick, info.physics_epoch) == (len(world), 0, kugel.api.KUGEL_PHYSICS_EPOCH)
    refused("snapshot", kugel.check_snapshot, base[1:])
    refused("delta", kugel.apply_delta, after, delta)
    refused("delta", kugel.apply_delta, base, delta[:-1])
    refused("delta", kugel.apply_delta, base, b"no delta")
    refused("snapshot", kugel.make_delta, base, b"no snapshot")


def test_sync():
    """Calls of tick and state can be rolled back; a call that counts its calls cannot."""
    world, calls = gas(3, 0.1), []

    def push(world, tick):
        world.apply_impulse(world.body(tick % 3), (0.1 * tick, 0, 0))

    def count(world, tick):
        calls.append(tick)
        world.apply_impulse(world.body(7), (0.001 * len(calls), 0, 0))

    assert world.sync_test(push, ticks=20) is None and world.tick == 20
    row = world.sync_test(count, ticks=4, dt=0.01)
    assert row.tick == 21 and row.body == 7 and world.tick == 20 and calls == [20, 21, 22, 23, 20]
    assert world.sync_test() is None
    refused("def.ticks", world.sync_test, ticks=0)
    refused("impulse", world.sync_test, lambda world, tick: world.apply_impulse(world.body(0), (1e300, 0, 0)))
    try:
        world.sync_test(lambda world, tick: 1 // 0)
        assert False
    except ZeroDivisionError:
        pass


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok:", name[5:])
