"""Stress, fabric and fields of grains and gases as continua. SI units: m, s, kg, N, Pa.

Stress is positive in compression, as a pressure. It has three parts: the kinetic one of motion,
that of resting contacts, and that of impacts. The first is a mean over the ends of steps. The
others have the whole impulses of all substeps, normal and tangential, by impulse_sums(), which
Stress and Fields switch on. Where a pair had both in one step, its friction is divided between them
as their normal impulses are. Of a contact with a wall or a surface the part inside of the body
counts, from the contact point to the centre.

The fields are those of coarse graining: I. Goldhirsch, Granular Matter 12, 239 (2010)."""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Optional, Union

import numpy

from . import api
from .each_step import EachStep, Moment
from .near import near_pairs
from .tables import Table
from .values import Error, Rows, invalid, number, numbers
from .world import World


class Network(NamedTuple):
    """Resting contacts, a row for each."""
    a: Rows
    """Row of the body in id order."""
    b: Rows
    """Row of the other body; -1 for faces and surfaces."""
    point: Rows
    """m, n x 3: where a's surface is nearest to the other."""
    normal: Rows
    """n x 3: unit, out of a."""
    branch: Rows
    """m, n x 3: from the centre of b, or else from the point, to the centre of a."""
    force: Rows
    """N, n x 3: on a."""


def contact_network(world: World) -> Network:
    """The resting contacts of a world as a network of forces."""
    bodies, contacts = Moment(world), world.contacts()
    of_pairs = contacts["target"] == "body"
    a, b = bodies.rows(contacts["a"])[0], numpy.full(len(contacts), -1)
    b[of_pairs] = bodies.rows(contacts["b"][of_pairs])[0]
    normal = contacts["normal"]
    length = bodies.radius[a] + numpy.where(of_pairs, bodies.radius[b] + contacts["gap"], 0)
    force = contacts["friction"] - contacts["force"][:, None] * normal
    return Network(a, b, contacts["point"], normal, -length[:, None] * normal, force)


def write_network(world: World, path: Union[str, os.PathLike[str]]) -> None:
    """Write the resting contacts for other programs, as the formats contacts and network of kugel-replay export do: a row for
    each contact if the path ends in .csv, lines with forces for ParaView and VTK if it ends in .vtp."""
    kind = os.path.splitext(path)[1]
    if kind not in (".csv", ".vtp"):
        raise invalid("path", f"ends in .csv or .vtp, got {os.fspath(path)!r}")
    net, contacts = contact_network(world), world.contacts()
    a = contacts["a"] & numpy.uint64(0xffffffff)
    if kind == ".csv":
        head = "tick,time,a,target,index,x,y,z,nx,ny,nz,gap,force,fx,fy,fz\n"
        row = f"{world.tick},{world.time:.17g},%d,%s,%d" + 3 * ",%.17g" + 8 * ",%.9g" + "\n"
        columns = (a, contacts["target"], contacts["index"], *net.point.T, *net.normal.T, contacts["gap"], contacts["force"], *net.force.T)
        text = head + "".join(row % values for values in zip(*columns))
    else:
        start: Rows = net.point - world.read_arrays("radius")["radius"][net.a][:, None] * net.normal
        text = _lines(numpy.stack([start, start - net.branch], 1).reshape(-1, 3), world.time, {
            "force": contacts["force"], "friction": contacts["friction"], "gap": contacts["gap"], "a": a,
            "target": contacts.view(numpy.ndarray)["target"], "index": contacts["index"]})
    with open(path, "w") as file:
        file.write(text)


def _lines(points: Rows, time: float, columns: dict[str, Rows]) -> str:
    """A .vtp of lines from each even point to the next, with columns."""
    def array(name: str, rows: Rows) -> str:
        kind = "Float64" if rows.dtype.kind == "f" else "Int64"
        numbers = " ".join(map(repr, rows.ravel().tolist()))
        width = rows.shape[1] if rows.ndim > 1 else 1
        return f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}" format="ascii">{numbers}</DataArray>\n'

    n = len(points) // 2
    return (f'<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0">\n<PolyData>\n<FieldData>'
            f'<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{time!r}</DataArray></FieldData>\n'
            f'<Piece NumberOfPoints="{2 * n}" NumberOfLines="{n}">\n<Points>\n{array("Points", points)}</Points>\n'
            f'<CellData Scalars="force" Vectors="friction">\n{"".join(array(*column) for column in columns.items())}</CellData>\n'
            f'<Lines>\n{array("connectivity", numpy.arange(2 * n))}{array("offsets", numpy.arange(2, 2 * n + 1, 2))}</Lines>\n'
            '</Piece>\n</PolyData>\n</VTKFile>\n')


class Fabric(NamedTuple):
    """How bodies touch. Only contacts that press count, with more than a given force."""
    tensor: Rows
    """3 x 3: the mean of normal normal over contacts of two bodies; its trace is 1, or 0 without contacts."""
    contacts: int
    """Contacts of two bodies."""
    coordination: float
    """Mean number of contacts of a dynamic body with others, and with walls and surfaces."""
    mechanical: float
    """The same of bodies with two contacts or more, which carry load: C. Thornton, Geotechnique 50, 43 (2000)."""


def fabric(world: World, above: float = 0.0) -> Fabric:
    """Fabric tensor and coordination numbers. @param above N: smaller normal forces, and this one, do not count."""
    least = float(number("above", above))
    if not 0 <= least < numpy.inf:
        raise invalid("above", f"takes a finite number >= 0, got {least:g}")
    net, dynamic = contact_network(world), world.read_arrays("mass")["mass"] > 0
    press = -(net.force * net.normal).sum(1) > least
    paired = press & (net.b >= 0)
    normal, ends = net.normal[paired], numpy.concatenate([net.a[press], net.b[paired]])
    count = numpy.bincount(ends, minlength=len(dynamic))[dynamic]
    carrying = count[count > 1]
    tensor = normal.T @ normal / max(len(normal), 1)
    return Fabric(tensor, len(normal), float(count.mean()) if len(count) else 0.0, float(carrying.mean()) if len(carrying) else 0.0)


class _Sources(NamedTuple):
    """Impacts, or resting contacts, of a step, and their parts of the stress, a row for each."""
    pair: Rows
    """Row among the pairs that met."""
    end: Rows
    """m, n x 3: where the branch ends, the centre of a body."""
    branch: Rows
    """m, n x 3."""
    impulse: Rows
    """N s, n x 3: on the body where the branch ends."""

    @property
    def tensor(self) -> Rows:
        """Impulse times branch, J s, n x 3 x 3: its sum over volume and time is a stress."""
        products: Rows = self.impulse[:, :, None] * self.branch[:, None, :]
        return products

    def shares(self, pairs: int) -> Rows:
        """Of each in its pair, n x 1: in the ratio of the impulses, equal if they are 0."""
        size = numpy.linalg.norm(self.impulse, axis=1)
        weight = numpy.where(_sums(self.pair, size, pairs)[self.pair] > 0, size, 1)
        share: Rows = (weight / _sums(self.pair, weight, pairs)[self.pair])[:, None]
        return share

    def with_sums(self, given: Rows) -> _Sources:
        """With impulses that have the given sums of each pair; what is missing is shared."""
        missing = given - _sums(self.pair, self.impulse, len(given))
        shared = self.shares(len(given)) * missing[self.pair]
        return self._replace(impulse=self.impulse + shared)


def _sums(pair: Rows, rows: Rows, pairs: int) -> Rows:
    """Sums of the rows of each pair."""
    columns = rows.reshape(len(rows), int(numpy.prod(rows.shape[1:]))).T
    sums = numpy.array([numpy.bincount(pair, column, pairs) for column in columns], float)
    return sums.T.reshape(pairs, *rows.shape[1:])


def _unit(rows: Rows) -> Rows:
    """Unit vectors along the rows; 0 along 0."""
    size = numpy.linalg.norm(rows, axis=1)
    unit: Rows = rows / numpy.where(size > 0, size, 1)[:, None]
    return unit


def _keys(rows: Table) -> Rows:
    """A number for each pair: id of a, target, index. Memory holds fewer than 2^30 bodies."""
    parts = rows["a"] & numpy.uint64(0xffffffff), rows.view(numpy.ndarray)["target"], rows["index"]
    body, target, index = (part.astype(numpy.uint64) for part in parts)
    keys: Rows = body << numpy.uint64(34) | target << numpy.uint64(32) | index
    return keys


def _sources(bodies: Moment, pairs: Table, rows: Table, push: Any) -> _Sources:
    """Impacts, contacts or touches, without those of other pairs. `push`: N s, on targets, n x 3."""
    keys, wanted = _keys(pairs), _keys(rows)
    pair = numpy.minimum(numpy.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if len(pairs):  # a destroyed body may have had the id of a new one
        same = (pairs["a"][pair] == rows["a"]) & (pairs["b"][pair] == rows["b"])
        same &= keys[pair] == wanted
        rows, pair, push = rows[same], pair[same], push[same]
    else:
        rows, pair, push = rows[:0], pair[:0], push[:0]
    a, of_pairs, normal = bodies.rows(rows["a"])[0], rows["target"] == "body", rows["normal"]
    own = bodies.radius[a]
    gap = rows["gap"] if "gap" in (rows.dtype.names or ()) else 0
    length = own + numpy.where(of_pairs, gap, 0)
    length[of_pairs] += bodies.radius[bodies.rows(rows["b"][of_pairs])[0]]
    return _Sources(pair, rows["point"] - own[:, None] * normal, -length[:, None] * normal, -push)


def _unreported(bodies: Moment, sums: Table, pair: Rows) -> _Sources:
    """Contacts that ended in the step, of bodies that do not report it: the normal is taken to be
    along the impulse."""
    a, of_pairs, impulse = bodies.rows(sums["a"])[0], sums["target"] == "body", sums["impulse"]
    length = bodies.radius[a]
    length[of_pairs] += bodies.radius[bodies.rows(sums["b"][of_pairs])[0]]
    return _Sources(pair, bodies.position[a], -length[:, None] * _unit(impulse), -impulse)


def _exchange(world: World, bodies: Moment, impacts: Table, dt: float) -> tuple[_Sources, _Sources]:
    """Impacts and resting contacts of the last step, with the impulses that the world summed."""
    sums, contacts, ended = world.impulse_sums(), world.contacts(), world.end_events(copy=False)
    _, first, pair = numpy.unique(_keys(sums), return_index=True, return_inverse=True)
    pairs, n = sums[first], len(first)
    hit = _sources(bodies, pairs, impacts, impacts["impulse"][:, None] * impacts["normal"])
    if len(hit.pair) < len(impacts) or (n == 0 and contacts["force"].any()):
        raise Error(api.KUGEL_ERROR_STATE, "world", "did not sum impulses: call sum_impulses()"
                    " before the step, and begin anew")
    push = contacts["force"][:, None] * contacts["normal"] - contacts["friction"]
    rest = [_sources(bodies, pairs, contacts, dt * push),
            _sources(bodies, pairs, ended, numpy.zeros((len(ended), 3)))]
    met = numpy.zeros(n, bool)
    for each in hit, *rest:
        met[each.pair] = True
    rest.append(_unreported(bodies, pairs[~met], numpy.flatnonzero(~met)))
    contact = _Sources(*(numpy.concatenate(column) for column in zip(*rest)))

    whole, along = -_sums(pair, sums["impulse"], n), _sums(pair, sums["along"], n)
    struck = _sums(hit.pair, numpy.linalg.norm(hit.impulse, axis=1), n)
    of_impacts = _sums(hit.pair, hit.impulse, n)  # without friction
    normal = _unit(_sums(contact.pair, contact.shares(n) * _unit(contact.branch), n))
    friction: Rows = whole - of_impacts - (along - struck)[:, None] * normal
    share = numpy.where(normal.any(1), struck / numpy.where(along > 0, along, 1), 1)
    of_impacts += share[:, None] * friction
    return hit.with_sums(of_impacts), contact.with_sums(whole - of_impacts)


class Stress(EachStep):
    """The mean stress of a world over steps, 3 x 3, Pa: call add() once after each step.

    @param volume m^3, > 0; by default that of the bounds, which must be closed. Drift is left out along axes without walls."""

    def __init__(self, world: World, volume: Optional[float] = None) -> None:
        super().__init__(world)
        bounds = world.get_def().bounds
        if volume is None and (bounds.faces == "open").any():
            raise invalid("volume", "is needed: a face is open")
        self._volume = float((bounds.max - bounds.min).prod() if volume is None else number("volume", volume))
        if not 0 < self._volume < numpy.inf:
            raise invalid("volume", f"takes a finite number > 0, got {self._volume:g}")
        self._kinetic, self._contact, self._impact = numpy.zeros((3, 3, 3))
        world.sum_impulses()

    def add(self) -> None:
        """Add the last step. Errors are those of Collisions.add(), and nothing is added."""
        bodies, impacts, dt = self._last_step()
        impact, contact = _exchange(self._world, bodies, impacts, dt)
        self._count_step()
        velocity = bodies.relative_velocity(self._drifts)
        self._kinetic += dt * (bodies.mass[:, None] * velocity).T @ velocity
        self._contact += contact.tensor.sum(0)
        self._impact += impact.tensor.sum(0)

    def _mean(self, sums: Rows) -> Rows:
        mean: Rows = sums / (self._elapsed() * self._volume)
        return mean

    @property
    def kinetic(self) -> Rows:
        """Sum of m v v over the volume."""
        return self._mean(self._kinetic)

    @property
    def contact(self) -> Rows:
        """Sum of impulse and branch of resting contacts over volume and time."""
        return self._mean(self._contact)

    @property
    def collisional(self) -> Rows:
        """Sum of impulse and branch of impacts over volume and time."""
        return self._mean(self._impact)

    @property
    def total(self) -> Rows:
        """The sum of the three."""
        return self._mean(self._kinetic + self._contact + self._impact)

    @property
    def pressure(self) -> float:
        """A third of the trace of the total, Pa."""
        return float(numpy.trace(self.total)) / 3


# Integrals of a function along a branch are sums over some of its points.
_RULE: Any = numpy.polynomial.legendre  # of Gauss and Legendre; it has no types
_POINTS, _WEIGHTS = _RULE.leggauss(6)
_NORMS = {1: 5 / 4, 2: 5 / numpy.pi, 3: 105 / (16 * numpy.pi)}  # over width^dimension


def _kernel(distance: Rows, width: float, dimension: int) -> Rows:
    """Lucy's function, whose integral is 1: zero at `width`, with two derivatives."""
    q = distance / width
    weight: Rows = _NORMS[dimension] / width**dimension * (1 + 3 * q) * (1 - q)**3
    return weight


class Fields(EachStep):
    """Fields of a world at points, as means over steps: call add() once after each step.

    Each body counts at points up to `width` from it, with Lucy's function of the distance, whose standard deviation along an
    axis is about a third of the width. Fields along fewer than three axes are means over the others. Where points are within
    a width of a wall, part of the mass that they would see is missing.
    @param axes of the points: "xyz", or as "z" for a profile over the height.
    @param points n x len(axes), m; of one axis n. @param width m, > 0; along periodic axes at most half of the length.
    @param across m^2 or m: the size of the section along the other axes; by default that of the bounds."""

    def __init__(self, world: World, axes: str, points: Any, width: float, across: Optional[float] = None) -> None:
        super().__init__(world)
        if not isinstance(axes, str) or not axes or sorted(set(axes)) != list(axes) or not set(axes) <= set("xyz"):
            raise invalid("axes", f"takes one to three letters of xyz in their order, got {axes!r}")
        self._axes = [ord(axis) - ord("x") for axis in axes]
        self.points = numbers("points", numpy.asarray(points)[:, None] if numpy.ndim(points) == 1 else points, -1, len(axes))
        """n x len(axes), m."""
        bounds = world.get_def().bounds
        lengths, periodic = bounds.max - bounds.min, bounds.faces[::2] == "periodic"
        self._box = numpy.full(3, numpy.inf)
        self._box[:len(axes)] = numpy.where(periodic, lengths, numpy.inf)[self._axes]
        self.width = float(number("width", width))
        """m."""
        if not (0 < self.width < numpy.inf and 2 * self.width <= self._box.min()):
            raise invalid("width", f"takes a number > 0, at most half of a periodic length, got {self.width:g}")
        self._across = self._section(bounds, across)
        n = len(self.points)
        self._number, self._mass, self._solid = numpy.zeros(n), numpy.zeros(n), numpy.zeros(n)
        self._momentum, self._motion = numpy.zeros((n, 3)), numpy.zeros((n, 3, 3))
        self._contact, self._impact = numpy.zeros((n, 3, 3)), numpy.zeros((n, 3, 3))
        world.sum_impulses()

    def _section(self, bounds: Any, across: Optional[float]) -> float:
        others = [axis for axis in range(3) if axis not in self._axes]
        if across is None and (bounds.faces.reshape(3, 2)[others] == "open").any():
            raise invalid("across", "is needed: a face is open")
        size = float((bounds.max - bounds.min)[others].prod() if across is None else number("across", across))
        if not 0 < size < numpy.inf:
            raise invalid("across", f"takes a finite number > 0, got {size:g}")
        return size

    def _spread(self, place: Rows, *rows: Rows) -> list[Rows]:
        """Sums over the rows of each array, weighted by the kernel, at the points."""
        n, dimension = len(self.points), len(self._axes)
        all_places = numpy.zeros((n + len(place), 3))
        all_places[:n, :dimension], all_places[n:, :dimension] = self.points, place[:, self._axes]
        flat = numpy.column_stack([row.reshape(len(place), int(numpy.prod(row.shape[1:]))) for row in rows])
        sums = numpy.zeros((n, flat.shape[1]))
        for i, j, distance in near_pairs(all_places, self._box, self.width, n, between=True):
            weight, values = _kernel(distance, self.width, dimension), flat[j - n]
            for column in range(flat.shape[1]):
                sums[:, column] += numpy.bincount(i, weight * values[:, column], minlength=n)
        sums /= self._across
        ends = numpy.cumsum([int(numpy.prod(row.shape[1:])) for row in rows])
        return [part.reshape(n, *row.shape[1:]) for part, row in zip(numpy.split(sums, ends[:-1], axis=1), rows)]

    def _spread_along(self, sources: _Sources) -> Rows:
        """The tensors at the points, each spread over its branch."""
        back = 0.5 * (1 - _POINTS)
        place = (sources.end[:, None] - back[:, None] * sources.branch[:, None]).reshape(-1, 3)
        return self._spread(place, (0.5 * _WEIGHTS[:, None, None] * sources.tensor[:, None]).reshape(-1, 3, 3))[0]

    def add(self) -> None:
        """Add the last step. Errors are those of Collisions.add(), and nothing is added."""
        bodies, impacts, dt = self._last_step()
        impact, contact = _exchange(self._world, bodies, impacts, dt)
        self._count_step()
        momentum = bodies.mass[:, None] * bodies.velocity
        found = self._spread(bodies.position, numpy.ones(len(bodies)), bodies.mass, 4 / 3 * numpy.pi * bodies.radius**3, momentum,
                             momentum[:, :, None] * bodies.velocity[:, None, :])
        for sums, part in zip((self._number, self._mass, self._solid, self._momentum, self._motion), found):
            sums += dt * part
        self._contact += self._spread_along(contact)
        self._impact += self._spread_along(impact)

    def _mean(self, sums: Rows) -> Rows:
        mean: Rows = sums / self._elapsed()
        return mean

    @property
    def number_density(self) -> Rows:
        """Bodies in a volume, 1/m^3, n."""
        return self._mean(self._number)

    @property
    def density(self) -> Rows:
        """Mass of dynamic bodies in a volume, kg/m^3, n."""
        return self._mean(self._mass)

    @property
    def solid_fraction(self) -> Rows:
        """Volume of bodies in a volume, n."""
        return self._mean(self._solid)

    @property
    def velocity(self) -> Rows:
        """Momentum over mass, m/s, n x 3; nan where no dynamic body was near."""
        mean: Rows = self._momentum / numpy.where(self._mass > 0, self._mass, numpy.nan)[:, None]
        return mean

    @property
    def kinetic(self) -> Rows:
        """Stress of motion relative to the field of velocity, Pa, n x 3 x 3."""
        drift = numpy.nan_to_num(self.velocity)
        return self._mean(self._motion - self._mass[:, None, None] * drift[:, :, None] * drift[:, None, :])

    @property
    def contact(self) -> Rows:
        """Stress of resting contacts, Pa, n x 3 x 3."""
        return self._mean(self._contact)

    @property
    def collisional(self) -> Rows:
        """Stress of impacts, Pa, n x 3 x 3."""
        return self._mean(self._impact)

    @property
    def stress(self) -> Rows:
        """The sum of the three, Pa, n x 3 x 3."""
        return self.kinetic + self.contact + self.collisional

    @property
    def temperature(self) -> Rows:
        """Granular temperature, m^2/s^2, n: a third of the mean square of the velocity relative to the field; nan where no
        dynamic body was near."""
        trace = numpy.trace(self.kinetic, axis1=1, axis2=2)
        mean: Rows = trace / (3 * numpy.where(self._mass > 0, self.density, numpy.nan))
        return mean
