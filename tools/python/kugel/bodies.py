"""Bodies of a world: creation, values, properties, pushes. SI units: m, s, kg, rad."""
from __future__ import annotations

import ctypes
import itertools
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy

from . import api
from .tables import Table, table
from .values import (Error, Rows, Vector, WorldOwner, WrongType, address, check_body, doubles, enumerator, fill,
                     handle, items_of, library, number, plain)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Bodies(NamedTuple):
    """All live bodies in id order: ids n; position m, velocity m/s, spin rad/s: n x 3. It is true if there are bodies."""
    ids: Rows
    position: Rows
    velocity: Rows
    spin: Rows

    def __repr__(self) -> str:
        return f"<kugel.Bodies: ids, position, velocity and spin of {len(self.ids)} bodies>"

    def __bool__(self) -> bool:
        return len(self.ids) > 0


# kugel_body_create() with addresses: a call costs half of one with pointers
_create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("kugel_body_create", library))


def _addresses(rows: Rows) -> range:
    """The addresses of the items of an array without gaps."""
    first, size = rows.ctypes.data, rows.itemsize
    return range(first, first + size * len(rows), size)


def _of_row(row: int, call: Any, *arguments: Any) -> None:
    """Make a call; its error names a row."""
    try:
        call(*arguments)
    except Error as error:
        error.args = (f"row {row}: {error}",)
        raise


def _shape(name: str, value: Any) -> tuple[int, ...]:
    try:
        return numpy.shape(value)
    except ValueError:  # lists of several lengths
        raise WrongType(name, "takes rows of one length") from None


def _columns(definition: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Members with a row for each body, and those with one value for all. numpy takes no notice of iterators."""
    values = {name: list(value) if isinstance(value, Iterator) else value for name, value in definition.items()}
    shapes = {name: _shape(name, value) for name, value in values.items()}
    dimensions: dict[str, int] = {name: 2 if hasattr(kind, "_length_") else 1 for name, kind, *_ in api.kugel_body_def._fields_}
    columns = {name: value for name, value in values.items() if shapes[name] == (0,) or len(shapes[name]) == dimensions.get(name)}
    if "position" not in columns or shapes["position"][1:] not in ((), (3,)):
        raise WrongType("position", f"takes an array of n x 3 numbers, got one of shape {shapes['position']}")
    for name, rows in columns.items():
        if len(rows) != len(values["position"]):
            raise WrongType(name, f"takes a row for each of {len(values['position'])} bodies, got {len(rows)}")
    return columns, {name: value for name, value in values.items() if name not in columns}


def _set_column(rows: Rows, name: str, column: Any) -> None:
    """Set a member of all bodies; `rows` are of kugel_body_def. What is no array of numbers that fit the member is set one
    by one, which finds what is wrong with it."""
    to, enum = rows[name], api.kugel_body_def._enums_.get(name)
    given = numpy.asarray([enumerator(name, enum, value) for value in column] if enum else column)
    fits = given.shape == to.shape and given.dtype.kind in {"f": "fiub", "b": "b"}.get(to.dtype.kind, "iub")
    if fits and to.dtype.kind in "iu" and given.size:
        limits = numpy.iinfo(to.dtype)
        fits = int(given.min()) >= limits.min and int(given.max()) <= limits.max
    if fits:
        to[...] = given
    else:
        for row, value in enumerate(column):
            memory: Any = rows[row:row + 1]
            _of_row(row, fill, api.kugel_body_def.from_buffer(memory), {name: value})


class BodyMethods(WorldOwner):
    """The methods of World that act on bodies."""
    _rows: Optional[Bodies]

    def __len__(self) -> int:
        return self.body_count

    @property
    def body_count(self) -> int:
        """The number of live bodies; len(world) is the same."""
        return int(library.kugel_world_body_count(self._world))

    def create_body(self, **definition: Unpack[api.BodyDef]) -> int:
        """Members of kugel_body_def: position (m), velocity (m/s), spin (rad/s), radius (m), mass (kg), restitution,
        friction, type ("dynamic", "static", "kinematic") ... @return its handle."""
        body = ctypes.c_uint64()
        settings = fill(library.kugel_body_def_default(), definition)
        self._do(library.kugel_body_create(self._changing, settings, body))
        return body.value

    def create_bodies(self, position: Any, **definition: Unpack[api.BodiesDef]) -> Rows:
        """Create bodies at the rows of `position`, n x 3, m. Members of kugel_body_def are common values, or arrays with
        a row for each body. It takes 0.5 us and, during the call, 232 bytes a body. @return their handles. Values of a
        wrong type are refused before the first body exists; when the world refuses one, the bodies before it exist."""
        columns, common = _columns({"position": position, **definition})
        count, one = len(columns["position"]), fill(library.kugel_body_def_default(), common)
        rows = numpy.full(count, numpy.frombuffer(one, api.kugel_body_def))
        for name, column in columns.items():
            _set_column(rows, name, column)
        bodies = numpy.empty(count, numpy.uint64)
        world = ctypes.cast(self._changing, ctypes.c_void_p).value
        calls = map(_create, itertools.repeat(world), _addresses(rows), _addresses(bodies))
        for row, status in enumerate(calls):
            if status:
                _of_row(row, self._do, status)
        return bodies

    def destroy_body(self, body: int) -> None:
        """Remove a body. Its handle becomes stale; bodies in contact with it wake."""
        self._do(library.kugel_body_destroy(self._changing, handle(body)))

    def is_valid(self, body: int) -> bool:
        """True if the body exists in this world."""
        return bool(library.kugel_body_is_valid(self._world, handle(body)))

    def body(self, id: int) -> Optional[int]:
        """The handle of the live body with this id, 0 ... id_end - 1, or None."""
        return library.kugel_world_body(self._world, plain("id", ctypes.c_uint32, id)) or None

    @property
    def id_end(self) -> int:
        """An upper bound: all ids are below this number."""
        return int(library.kugel_world_id_end(self._world))

    def get_body(self, body: int) -> api.kugel_body_state:
        """The body's kugel_body_state: position (m), velocity (m/s), spin (rad/s), contacts, asleep ..."""
        state = api.kugel_body_state()
        check_body(library.kugel_body_get(self._world, handle(body), state))
        return state

    def _value(self, function: Any, body: int, count: int) -> Rows:
        value = numpy.empty(count)
        check_body(function(self._world, handle(body), address(value)))
        return value

    def get_position(self, body: int) -> Rows:
        """The position of a body: 3 values, m."""
        return self._value(library.kugel_body_get_position, body, 3)

    def get_velocity(self, body: int) -> Rows:
        """The velocity of a body: 3 values, m/s."""
        return self._value(library.kugel_body_get_velocity, body, 3)

    def get_spin(self, body: int) -> Rows:
        """The spin of a body: 3 values, rad/s."""
        return self._value(library.kugel_body_get_spin, body, 3)

    def get_orientation(self, body: int) -> Rows:
        """The orientation of a body: a unit quaternion x, y, z, w."""
        return self._value(library.kugel_body_get_orientation, body, 4)

    def get_user_data(self, body: int) -> int:
        """A body's 64 bits for the host."""
        user_data = ctypes.c_uint64()
        check_body(library.kugel_body_get_user_data(self._world, handle(body), user_data))
        return user_data.value

    def read_states(self) -> Table:
        """All live bodies in id order, members of kugel_body_state: read_states()["radius"] ..."""
        rows = table(len(self), api.kugel_body_state)
        library.kugel_world_read_states(self._world, len(rows), address(rows, api.kugel_body_state))
        return rows

    def read(self, *, copy: bool = True) -> Bodies:
        """All live bodies in id order: ids n; position m, velocity m/s, spin rad/s: n x 3. copy=False: read-only views of
        arrays of this world, which its next read(copy=False) overwrites. It saves new memory of 76 bytes a body."""
        count, copy = len(self), plain("copy", ctypes.c_bool, copy)
        rows = None if copy else self._rows
        if rows is None or len(rows.ids) < count:
            room = count if copy else max(count, 64)
            rows = Bodies(numpy.empty(room, numpy.uint32), *(numpy.empty((room, 3)) for _ in range(3)))
            self._rows = self._rows if copy else rows
        library.kugel_world_read(self._world, count, *(address(column) for column in rows))
        found = Bodies(*(column[:count] for column in rows))
        for column in found:
            column.flags.writeable = copy
        return found

    def read_arrays(self, *names: str) -> dict[str, Rows]:
        """Columns of all live bodies in id order, copied; without names all of them. n: bodies (handles), radius (m),
        mass (kg; 0 unless dynamic), asleep, user_data; n x 3: position (m), velocity (m/s), spin (rad/s), image; n x 4: orientation (unit
        quaternions x, y, z, w)."""
        arrays, count = api.kugel_body_arrays(), len(self)
        kinds: dict[str, Any] = {name: kind for name, kind, *_ in arrays._fields_}
        widths = {"position": (3,), "velocity": (3,), "spin": (3,), "image": (3,), "orientation": (4,)}
        columns: dict[str, Rows] = {}
        for name in names or kinds:
            if not isinstance(name, str) or name not in kinds:
                raise WrongType("names", f"{name!r} is none of {', '.join(map(repr, kinds))}")
            kind = kinds[name]._type_
            columns[name] = numpy.empty((count, *widths.get(name, ())), numpy.dtype(kind))
            setattr(arrays, name, address(columns[name], kind))
        library.kugel_world_read_arrays(self._world, count, arrays)
        return columns

    def unwrapped(self) -> Rows:
        """Positions of all live bodies in id order, m, n x 3, continued across periodic faces: a body that leaves at
        one side and enters at the other goes on in a straight line."""
        columns = self.read_arrays("position", "image")
        definition = api.kugel_world_def()
        library.kugel_world_get_def(self._world, definition)
        bounds = definition.bounds
        length = numpy.where(bounds.faces[::2] == "periodic", bounds.max - bounds.min, 0.0)
        whole: Rows = columns["position"] + columns["image"] * length
        return whole

    def set_image(self, body: int, image: Sequence[int]) -> None:
        """Set how often a body has crossed each periodic axis at max, less how often at min; 3 whole numbers."""
        items = (plain("image", ctypes.c_int32, x) for x in items_of("image", image, 3))
        self._do(library.kugel_body_set_image(self._changing, handle(body), (ctypes.c_int32 * 3)(*items)))

    def set_position(self, body: int, position: Vector) -> None:
        """Set the position, m, at once; it must be inside closed bounds."""
        self._do(library.kugel_body_set_position(self._changing, handle(body), doubles("position", position)))

    def set_velocity(self, body: int, velocity: Vector) -> None:
        """Set the velocity, m/s, at once; an error for static bodies."""
        self._do(library.kugel_body_set_velocity(self._changing, handle(body), doubles("velocity", velocity)))

    def set_spin(self, body: int, spin: Vector) -> None:
        """Set the spin, rad/s, at once; an error for static bodies."""
        self._do(library.kugel_body_set_spin(self._changing, handle(body), doubles("spin", spin)))

    def set_filter(self, body: int, category: int = 1, mask: int = 0xFFFFFFFF, group: int = 0) -> None:
        """Set category, mask and group of a body, as in kugel_body_def, from the next step on."""
        words = (plain(name, ctypes.c_uint32, value) for name, value in (("category", category), ("mask", mask), ("group", group)))
        self._do(library.kugel_body_set_filter(self._changing, handle(body), *words))

    def _set_number(self, function: Any, body: int, name: str, value: Any, kind: Any = ctypes.c_double) -> None:
        self._do(function(self._changing, handle(body), plain(name, kind, value)))

    # Properties hold from the next step on. The body wakes, and so do bodies in contact with it.

    def set_mass(self, body: int, mass: float) -> None:
        """Set the mass, kg, of a dynamic body."""
        self._set_number(library.kugel_body_set_mass, body, "mass", mass)

    def set_radius(self, body: int, radius: float) -> None:
        """Set the radius, m; the mass stays."""
        self._set_number(library.kugel_body_set_radius, body, "radius", radius)

    def set_restitution(self, body: int, restitution: float) -> None:
        """Set the restitution, 0 ... 1."""
        self._set_number(library.kugel_body_set_restitution, body, "restitution", restitution)

    def set_friction(self, body: int, friction: float) -> None:
        """Set the friction."""
        self._set_number(library.kugel_body_set_friction, body, "friction", friction)

    def set_rolling_resistance(self, body: int, rolling_resistance: float) -> None:
        """Set the rolling resistance."""
        self._set_number(library.kugel_body_set_rolling_resistance, body, "rolling_resistance", rolling_resistance)

    def set_gravity_scale(self, body: int, gravity_scale: float) -> None:
        """Set the factor by which gravity acts on the body."""
        self._set_number(library.kugel_body_set_gravity_scale, body, "gravity_scale", gravity_scale)

    def set_user_data(self, body: int, user_data: int) -> None:
        """Set a body's 64 bits for the host; they change no result, and no body wakes."""
        self._set_number(library.kugel_body_set_user_data, body, "user_data", user_data, ctypes.c_uint64)

    def set_type(self, body: int, type: Union[str, int], mass: float = 1.0) -> None:
        """Set the type, "dynamic", "static" or "kinematic", from the next step on; mass (kg) of a dynamic body."""
        kind = plain("type", ctypes.c_int, enumerator("type", "kugel_body_type", type))
        self._do(library.kugel_body_set_type(self._changing, handle(body), kind, number("mass", mass)))

    def set_target(self, body: int, position: Vector, dt: float) -> None:
        """Set the velocity of a kinematic body so that one step of dt (s) moves it to position (m)."""
        seconds = number("dt", dt)
        self._do(library.kugel_body_set_target(self._changing, handle(body), doubles("position", position), seconds))

    def set_orientation(self, body: int, orientation: Any) -> None:
        """Set the orientation, a unit quaternion x, y, z, w, at once."""
        self._do(library.kugel_body_set_orientation(self._changing, handle(body), doubles("orientation", orientation, 4)))

    def set_target_orientation(self, body: int, orientation: Any, dt: float) -> None:
        """Set the spin of a kinematic body so that one step of dt (s) turns it to a unit quaternion x, y, z, w."""
        seconds = number("dt", dt)
        self._do(library.kugel_body_set_target_orientation(self._changing, handle(body), doubles("orientation", orientation, 4), seconds))

    def wake(self, body: int) -> None:
        """Wake a sleeping body and the bodies that resting contacts connect it to."""
        self._do(library.kugel_body_wake(self._changing, handle(body)))

    def sleep(self, body: int) -> None:
        """Put a dynamic body to sleep, with the bodies that resting contacts connect it to; an error without such a
        contact."""
        self._do(library.kugel_body_sleep(self._changing, handle(body)))

    def apply_force(self, body: int, force: Vector) -> None:
        """Add a force, N, for the next step."""
        self._do(library.kugel_body_apply_force(self._changing, handle(body), doubles("force", force)))

    def apply_torque(self, body: int, torque: Vector) -> None:
        """Add a torque, N m, for the next step."""
        self._do(library.kugel_body_apply_torque(self._changing, handle(body), doubles("torque", torque)))

    def apply_impulse(self, body: int, impulse: Vector) -> None:
        """Apply an impulse, N s: the velocity changes by impulse / mass at once."""
        self._do(library.kugel_body_apply_impulse(self._changing, handle(body), doubles("impulse", impulse)))

    def apply_force_at(self, body: int, force: Vector, point: Vector) -> None:
        """Add a force, N, at a point (m) for the next step, as force and torque."""
        self._do(library.kugel_body_apply_force_at(self._changing, handle(body), doubles("force", force), doubles("point", point)))

    def apply_impulse_at(self, body: int, impulse: Vector, point: Vector) -> None:
        """Apply an impulse, N s, at a point (m): velocity and spin change at once."""
        self._do(library.kugel_body_apply_impulse_at(self._changing, handle(body), doubles("impulse", impulse), doubles("point", point)))

    def apply_angular_impulse(self, body: int, impulse: Vector) -> None:
        """Apply an angular impulse, N m s: the spin changes by impulse / inertia at once."""
        self._do(library.kugel_body_apply_angular_impulse(self._changing, handle(body), doubles("impulse", impulse)))

    def explode(self, **definition: Unpack[api.ExplosionDef]) -> int:
        """Push the dynamic bodies around a point away from it at once. Members of kugel_explosion_def: center (m),
        radius (m), falloff (m), impulse (N s), mask. @return the number of bodies pushed."""
        count = ctypes.c_uint32()
        settings = fill(library.kugel_explosion_def_default(), definition)
        self._do(library.kugel_world_explode(self._changing, settings, count))
        return count.value
