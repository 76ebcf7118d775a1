"""Observables of statistical physics. SI units: m, s, kg, J, Pa; k_B T is in J.

Functions of positions take `box`: the lengths of the periodic axes in m, and inf for the other axes, as periodic_box(world)
gives them. Distances are those of the nearest periodic images. Drift, the motion of the centre of mass of the dynamic bodies,
is left out: a gas that drifts has the pressure and the diffusion of its copy at rest."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple, Optional

import numpy

from .each_step import EachStep, center
from .near import near_pairs, nearest
from .values import Rows, invalid, number, numbers, plain
from .world import World

BLOCK_PHASES = 1 << 20  # phases of a block of wave vectors: bounds the memory


class Curve(NamedTuple):
    """Values over abscissae."""
    x: Rows
    y: Rows


def periodic_box(world: World) -> Rows:
    """Lengths of the periodic axes, m; inf for the other axes. 3 values."""
    bounds = world.get_def().bounds
    return numpy.where(bounds.faces[::2] == "periodic", _lengths(world), numpy.inf)


def _lengths(world: World) -> Rows:
    bounds = world.get_def().bounds
    lengths: Rows = bounds.max - bounds.min
    return lengths


def _box(box: Any) -> Rows:
    lengths = numbers("box", box, 3)
    if not (lengths > 0).all():
        raise invalid("box", "takes three lengths > 0")
    return lengths


def _periodic(box: Any) -> Rows:
    lengths = _box(box)
    if not numpy.isfinite(lengths).all():
        raise invalid("box", "has an axis that is not periodic")
    return lengths


def nearest_image(difference: Any, box: Any) -> Rows:
    """Differences of positions, n x 3, m, between nearest periodic images."""
    return nearest(numpy.array(difference, float), _box(box))


def _positions(position: Any) -> Rows:
    rows = numbers("position", position, -1, 3)
    if not numpy.isfinite(rows).all():
        raise invalid("position", "takes finite numbers")
    return rows


# Energy, collisions, pressure.


class KineticEnergy(NamedTuple):
    """Kinetic energy of dynamic bodies, J."""
    translation: float
    rotation: float


def kinetic_energy(world: World) -> KineticEnergy:
    """Kinetic energy of the dynamic bodies, J, with their drift. Their sum is energy().kinetic up to rounding."""
    mass, radius, velocity, spin = world.read_arrays("mass", "radius", "velocity", "spin").values()
    return KineticEnergy(float(0.5 * (mass * (velocity**2).sum(1)).sum()),
                         float(0.5 * (0.4 * mass * radius**2 * (spin**2).sum(1)).sum()))


def temperature(world: World) -> float:
    """k_B T in J: two thirds of the mean translational energy of a dynamic body relative to their centre of mass; n - 1
    bodies count, as the centre takes three degrees of freedom."""
    mass, velocity = world.read_arrays("mass", "velocity").values()
    dynamic = numpy.count_nonzero(mass)
    if dynamic < 2:
        raise invalid("world", "has fewer than two dynamic bodies")
    return float((mass * ((velocity - center(mass, velocity))**2).sum(1)).sum() / (3 * (dynamic - 1)))


class Collisions(EachStep):
    """Counts the impacts of a world step by step: call add() once after each step. The world reports all impacts, which is its
    initial setting: report_impacts_above(0)."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.pairs = 0
        """Impacts of two bodies."""
        self.walls = 0
        """Impacts on faces and surfaces."""
        self._virial = self._face_impulse = self._energy_time = 0.0

    def add(self) -> None:
        """Add the impacts of the last step, before calls that remove bodies. It is an error, and nothing is counted, if add()
        was not called after the step before, was already called after this one, or if the step had impacts that
        report_impacts_above(speed) leaves out."""
        bodies, impacts, dt = self._last_step()
        of_pairs = impacts[impacts["target"] == "body"]
        reach = bodies.radius[bodies.rows(of_pairs["a"], of_pairs["b"])].sum(0)
        self._count_step()
        self.pairs += len(of_pairs)
        self.walls += len(impacts) - len(of_pairs)
        self._virial += float((of_pairs["impulse"] * reach).sum())
        self._face_impulse += float(impacts["impulse"][impacts["target"] == "face"].sum())
        self._energy_time += 0.5 * float((bodies.mass * (bodies.relative_velocity(self._drifts)**2).sum(1)).sum()) * dt

    @property
    def rate(self) -> float:
        """Impacts with other bodies that a body has in a second, 1/s: twice the pairs, over bodies and time. All bodies count,
        static and kinematic ones too."""
        return 2 * self.pairs / (len(self._world) * self._elapsed())

    def pressure(self, volume: Optional[float] = None) -> float:
        """Pressure of the bodies, Pa, by the virial: (2 K + sum of impulse * distance of centres / time) / (3 volume). K is the
        energy of translation of the dynamic bodies without their drift; between walls the centre of mass does not drift, and
        its motion counts. It holds for impacts without external forces; resting contacts do not count.
        @param volume m^3, > 0. By default, if no face is open, that of the bounds; between walls times the mean over the axes of
        (length - diameter) / length, which gives the pressure on the faces, as centres stay a radius away from them. Bodies
        of several radii between walls need a volume."""
        size = self._volume() if volume is None else float(number("volume", volume))
        if not 0 < size < numpy.inf:
            raise invalid("volume", f"takes a finite number > 0, got {size:g}")
        return (2 * self._energy_time + self._virial) / (3 * self._elapsed() * size)

    def wall_pressure(self) -> float:
        """Mean pressure on the faces of a box with six walls, Pa: impulse over area and time."""
        bounds = self._world.get_def().bounds
        if (bounds.faces != "wall").any():
            raise invalid("faces", "are not six walls")
        x, y, z = _lengths(self._world)
        return self._face_impulse / float(2 * (x * y + y * z + z * x)) / self._elapsed()

    def _volume(self) -> float:
        faces = self._world.get_def().bounds.faces
        if (faces == "open").any():
            raise invalid("volume", "is needed: a face is open")
        walls = (faces == "wall").reshape(3, 2).sum(1)  # along each axis: 0 or 2
        radii = self._world.read_arrays("radius")["radius"]
        if walls.any() and len(radii) and radii.min() != radii.max():
            raise invalid("volume", "is needed: there are walls, and bodies of several radii")
        lengths = _lengths(self._world)  # 2 K + W = sum over the axes of force on a face * (length - diameter)
        return float(lengths.prod() * (1 - walls * radii.max(initial=0) / lengths).mean())


# Structure.


def pair_correlation(position: Any, box: Any, r_max: Optional[float] = None, bins: int = 100) -> Curve:
    """g(r) of bodies in a box with three periodic axes: pairs at a distance over those of an ideal gas.
    The cost is that of the pairs within r_max.
    @param position n x 3, m. @param r_max m; at most half of the shortest length. By default it is
    that, or three times the mean spacing (volume / n)^(1/3) if this is less: about 113 neighbours of
    a body, and some 40 ms for 8,000.
    @return x: middles of the bins, m; y: g."""
    rows, lengths = _positions(position), _periodic(box)
    most = float(lengths.min() / 2)
    few = min(most, 3 * float(lengths.prod() / max(len(rows), 1))**(1 / 3))
    reach, bins = few if r_max is None else number("r_max", r_max), plain("bins", ctypes.c_int64, bins)
    if not 0 < reach <= most or bins < 1 or len(rows) < 2:
        raise invalid("r_max", f"takes 0 < r_max <= {most:g}, bins >= 1 and two bodies")
    edges = numpy.linspace(0, reach, bins + 1)
    pairs = numpy.zeros(bins)
    for _, _, distance in near_pairs(rows, lengths, reach, len(rows)):
        pairs += numpy.bincount(numpy.minimum((distance * (bins / reach)).astype(numpy.int32), bins - 1), minlength=bins)
    shell = 4 / 3 * numpy.pi * numpy.diff(edges**3)
    ideal = 0.5 * len(rows) * (len(rows) - 1) / float(lengths.prod()) * shell
    return Curve((edges[1:] + edges[:-1]) / 2, pairs / ideal)


def structure_factor(position: Any, box: Any, k_max: float, bins: int = 50) -> Curve:
    """S(k) = |sum of exp(i k x)|^2 / n, averaged over the wave vectors of the periodic box in shells of |k|.
    @param position n x 3, m. @param k_max 1/m. @param bins shells.
    @return x: mean |k| of each shell that has wave vectors, 1/m; y: S."""
    rows, lengths = _positions(position), _periodic(box)
    unit = 2 * numpy.pi / lengths
    k_max, bins = number("k_max", k_max), plain("bins", ctypes.c_int64, bins)
    reach = k_max * (1 + 1e-12)  # whole multiples of a unit up to k_max, in spite of rounding
    most = (reach / unit).astype(int) if 0 < k_max < numpy.inf else numpy.zeros(3, int)
    if not most.any() or bins < 1 or not len(rows):
        raise invalid("k_max", f"takes a finite number >= {unit.min():g} 1/m, bins >= 1 and a body")
    # k and -k have the same S: half of the space is enough
    multiples = numpy.stack(numpy.meshgrid(numpy.arange(most[0] + 1), *(numpy.arange(-m, m + 1) for m in most[1:]), indexing="ij"), -1)
    wave = multiples.reshape(-1, 3) * unit
    size = numpy.linalg.norm(wave, axis=1)
    half = (wave[:, 0] > 0) | (wave[:, 1] > 0) | ((wave[:, 1] == 0) & (wave[:, 2] > 0))
    wave, size = wave[half & (size <= reach)], size[half & (size <= reach)]
    value, block = numpy.empty(len(wave)), max(1, BLOCK_PHASES // len(rows))
    for first in range(0, len(wave), block):
        phase = wave[first:first + block] @ rows.T
        value[first:first + block] = (numpy.cos(phase).sum(1)**2 + numpy.sin(phase).sum(1)**2) / len(rows)
    shell = numpy.minimum((size / k_max * bins).astype(int), bins - 1)
    count = numpy.bincount(shell, minlength=bins)
    used = count > 0
    mean = [numpy.bincount(shell, weights=weights, minlength=bins)[used] / count[used] for weights in (size, value)]
    return Curve(mean[0], mean[1])


def coordination_numbers(position: Any, radius: Any, box: Any = (numpy.inf,) * 3, gap: float = 0.0) -> Rows:
    """The number of neighbours of each body: bodies whose surfaces are at most `gap` apart, m. Resting contacts, which
    include walls and surfaces, are world.read_states()["contacts"].
    @param position n x 3, m. @param radius n, or one number, m."""
    rows = _positions(position)
    radii = numbers("radius", radius, -1, one=True)
    if len(radii) not in (1, len(rows)) or not (radii > 0).all() or not numpy.isfinite(radii).all():
        raise invalid("radius", "takes one number, or one for each body, finite and > 0")
    if not numpy.isfinite(number("gap", gap)):
        raise invalid("gap", f"takes a finite number, got {gap:g}")
    if not len(rows):
        return numpy.zeros(0, int)
    radii, lengths = numpy.broadcast_to(radii, len(rows)), _box(box)
    order = numpy.argsort(-radii, kind="stable")  # a body finds those that are not larger
    rows, radii, neighbours = rows[order], radii[order], numpy.zeros(len(rows), int)
    first = 0
    while first < len(rows):  # classes of radii: each has cells of its own
        end = int(numpy.searchsorted(-radii, -radii[first] / 2))
        for i, j, distance in near_pairs(rows[first:], lengths, 2 * radii[first] + gap, end - first):
            near = distance <= radii[first + i] + radii[first + j] + gap
            for found in i[near], j[near]:
                neighbours[first:] += numpy.bincount(found, minlength=len(rows) - first)
        first = max(end, first + 1)
    counts = numpy.empty_like(neighbours)
    counts[order] = neighbours
    return counts


# Motion.


class Trajectory:
    """Positions and velocities of a world's bodies over time, unwrapped across periodic faces: the world counts the crossings,
    so bodies may move by any distance between two samples. Samples are equally spaced in time, and the bodies are always the
    same. Means are over the bodies that are dynamic at the beginning, relative to their centre of mass; drift=True keeps its
    motion, which adds (v t)^2 to the displacement."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._bodies, self._mass = world.read_arrays("bodies", "mass").values()
        self._times: list[float] = []
        self._position: list[Rows] = []
        self._velocity: list[Rows] = []

    def add(self) -> None:
        """Add the present state."""
        if not numpy.array_equal(self._world.read_arrays("bodies")["bodies"], self._bodies):
            raise invalid("world", "has other bodies than at the first sample")
        self._position.append(self._world.unwrapped())
        self._velocity.append(self._world.read_arrays("velocity")["velocity"])
        self._times.append(self._world.time)

    def __len__(self) -> int:
        """The number of samples."""
        return len(self._times)

    @property
    def position(self) -> Rows:
        """samples x n x 3, m, as world.unwrapped() gave them at each sample."""
        return numpy.array(self._position)

    @property
    def velocity(self) -> Rows:
        """samples x n x 3, m/s."""
        return numpy.array(self._velocity)

    def _lags(self, most: Optional[int]) -> Rows:
        if len(self) < 2:
            raise invalid("samples", "there are fewer than two")
        step = numpy.diff(self._times)
        if not step[0] > 0 or not numpy.allclose(step, step[0], rtol=1e-6, atol=0):
            raise invalid("samples", "are not equally spaced in time, or at one time")
        if most is not None and not number("most", most) >= 1:
            raise invalid("most", f"takes a number >= 1, got {most}")
        return numpy.arange(min(len(self) if most is None else int(most), len(self)))

    def _over_lags(self, most: Optional[int], rows: list[Rows], drift: bool, mean: Callable[[Rows, Rows], Rows]) -> Curve:
        """The mean of a function of the rows of the dynamic bodies at two times, n x 3."""
        lags, keep = self._lags(most), plain("drift", ctypes.c_bool, drift)
        if not self._mass.any():
            raise invalid("world", "has no dynamic bodies")
        moving = numpy.array([(row if keep else row - center(self._mass, row))[self._mass > 0] for row in rows])
        means = [float(mean(moving[lag:], moving[:len(moving) - lag]).sum(2).mean()) for lag in lags]
        return Curve(lags * (self._times[-1] - self._times[0]) / (len(self) - 1), numpy.array(means))

    def mean_squared_displacement(self, most: Optional[int] = None, drift: bool = False) -> Curve:
        """Mean of |x(t0 + t) - x(t0)|^2 over bodies and all t0. In a fluid it grows as 6 D t.
        @param most the number of lags; all by default. @return x: t, s; y: m^2."""
        return self._over_lags(most, self._position, drift, lambda later, first: (later - first)**2)

    def velocity_autocorrelation(self, most: Optional[int] = None, drift: bool = False) -> Curve:
        """Mean of v(t0 + t) . v(t0) over bodies and all t0; its integral is 3 D.
        @param most the number of lags; all by default. @return x: t, s; y: m^2/s^2."""
        return self._over_lags(most, self._velocity, drift, lambda later, first: later * first)
