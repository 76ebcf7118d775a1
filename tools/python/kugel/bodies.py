"""Bodies of a world: creation, values, properties, pushes. SI units: m, s, kg, rad."""
from __future__ import annotations

import ctypes
import itertools
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy

from . import api
from .api import BodyHandle, SurfaceHandle
from .tables import Table, table
from .values import (Error, Rows, Vector, WorldOwner, WrongType, address, bits_of, check_body, default, doubles, enumerator, fill,
                     handle_of, items_of, library, number, plain)

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


# calls with addresses cost half of those with pointers
_create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("kugel_body_create", library))
_get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)(("kugel_body_get", library))


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


def _handles(bodies: Any) -> Rows:
    """An array of handles for C."""
    values = list(bodies) if isinstance(bodies, Iterator) else bodies
    _shape("bodies", values)
    given = numpy.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu") or (given.dtype.kind == "i" and (given < 0).any()):
        raise WrongType("bodies", "takes an array of handles")
    return numpy.ascontiguousarray(given, numpy.uint64)


class BodyMethods(WorldOwner):
    """The methods of World that act on bodies."""
    _rows: Optional[Bodies]

    def __len__(self) -> int:
        return self.body_count

    @property
    def body_count(self) -> int:
        """The number of live bodies; len(world) is the same."""
        return int(library.kugel_world_body_count(self._world))

    def create_body(self, **definition: Unpack[api.BodyDef]) -> BodyHandle:
        """Members of kugel_body_def: position (m), velocity (m/s), spin (rad/s), radius (m), mass (kg), restitution,
        friction, type ("dynamic", "static", "kinematic") ... @return its handle."""
        body = ctypes.c_uint64()
        settings = fill(default(api.kugel_body_def), definition)
        self._do(library.kugel_body_create(self._changing, settings, body))
        return BodyHandle(body.value)

    def create_bodies(self, position: Any, **definition: Unpack[api.BodiesDef]) -> Rows:
        """Create bodies at the rows of `position`, n x 3, m. Members of kugel_body_def are common values, or arrays with
        a row for each body. It takes 0.5 us and, during the call, 240 bytes a body. @return their handles. Values of a
        wrong type are refused before the first body exists; when the world refuses one, the bodies before it exist."""
        columns, common = _columns({"position": position, **definition})
        count, one = len(columns["position"]), fill(default(api.kugel_body_def), common)
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

    def destroy_body(self, body: BodyHandle) -> None:
        """Remove a body. Its handle becomes stale; bodies in contact with it wake."""
        self._do(library.kugel_body_destroy(self._changing, handle_of("body", body)))

    def is_valid(self, handle: Union[BodyHandle, SurfaceHandle]) -> bool:
        """True if the body or surface exists in this world."""
        given = handle_of("handle", handle)
        return any(call(self._world, given) for call in (library.kugel_body_is_valid, library.kugel_surface_is_valid))

    def body(self, id: int) -> Optional[BodyHandle]:
        """The handle of the live body with this id, 0 ... id_end - 1, or None."""
        return BodyHandle(library.kugel_world_body(self._world, plain("id", ctypes.c_uint32, id))) or None

    @property
    def id_end(self) -> int:
        """An upper bound: all ids are below this number."""
        return int(library.kugel_world_id_end(self._world))

    def get_body(self, body: BodyHandle) -> api.kugel_body_state:
        """The body's kugel_body_state: position (m), velocity (m/s), spin (rad/s), contacts, asleep ..."""
        state = api.kugel_body_state()
        check_body(library.kugel_body_get(self._world, handle_of("body", body), state))
        return state

    def _value(self, function: Any, body: BodyHandle, count: int) -> Rows:
        value = numpy.empty(count)
        check_body(function(self._world, handle_of("body", body), address(value)))
        return value

    def get_position(self, body: BodyHandle) -> Rows:
        """The position of a body: 3 values, m."""
        return self._value(library.kugel_body_get_position, body, 3)

    def get_velocity(self, body: BodyHandle) -> Rows:
        """The velocity of a body: 3 values, m/s."""
        return self._value(library.kugel_body_get_velocity, body, 3)

    def velocity_at(self, body: BodyHandle, point: Vector) -> Rows:
        """The velocity of a point (m) that moves with the body: velocity + spin x (point - centre), m/s."""
        at = doubles("point", point)
        return self._value(lambda world, body, value: library.kugel_body_velocity_at(world, body, at, value), body, 3)

    def get_spin(self, body: BodyHandle) -> Rows:
        """The spin of a body: 3 values, rad/s."""
        return self._value(library.kugel_body_get_spin, body, 3)

    def get_rotation(self, body: BodyHandle) -> Rows:
        """The rotation of a body: a unit quaternion x, y, z, w."""
        return self._value(library.kugel_body_get_rotation, body, 4)

    def get_user_data(self, body: BodyHandle) -> int:
        """A body's 64 bits for the host."""
        user_data = ctypes.c_uint64()
        check_body(library.kugel_body_get_user_data(self._world, handle_of("body", body), user_data))
        return user_data.value

    def read_states(self) -> Table:
        """All live bodies in id order, members of kugel_body_state: read_states()["contacts"] ... It takes 0.5 us a body;
        read_arrays() has most members and is faster."""
        rows, size = table(len(self), api.kugel_body_state), ctypes.sizeof(api.kugel_body_state)
        world, bodies = ctypes.cast(self._world, ctypes.c_void_p).value, self.read_arrays("bodies")["bodies"].tolist()
        for status in map(_get, itertools.repeat(world), bodies, _addresses(rows), itertools.repeat(size)):
            check_body(status)
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
        arrays = api.kugel_body_arrays()
        for name, column in rows._asdict().items():
            setattr(arrays, name, address(column))
        library.kugel_world_read_arrays(self._world, count, arrays)
        found = Bodies(*(column[:count] for column in rows))
        for column in found:
            column.flags.writeable = copy
        return found

    def read_arrays(self, *names: str) -> dict[str, Rows]:
        """Columns of all live bodies in id order, copied; without names all of them. n: bodies (handles), ids, radius (m),
        mass (kg; 0 unless dynamic), asleep, user_data; n x 3: position (m), velocity (m/s), spin (rad/s), image; n x 4: rotation (unit
        quaternions x, y, z, w)."""
        arrays, count = api.kugel_body_arrays(), len(self)
        kinds: dict[str, Any] = {name: kind for name, kind, *_ in arrays._fields_}
        widths = {"position": (3,), "velocity": (3,), "spin": (3,), "image": (3,), "rotation": (4,)}
        columns: dict[str, Rows] = {}
        for name in names or kinds:
            if not isinstance(name, str) or name not in kinds:
                raise WrongType("names", f"{name!r} is none of {', '.join(map(repr, kinds))}")
            kind = kinds[name]._type_
            columns[name] = numpy.empty((count, *widths.get(name, ())), numpy.dtype(kind))
            setattr(arrays, name, address(columns[name], kind))
        library.kugel_world_read_arrays(self._world, count, arrays)
        return columns

    def write_arrays(self, bodies: Any = None, **columns: Any) -> None:
        """Set columns of bodies, all or none: position (m), velocity (m/s), spin (rad/s): n x 3; rotation (unit quaternions
        x, y, z, w): n x 4; radius (m), mass (kg): n. bodies: n handles; None: all bodies in id order, as read_arrays() has
        them. The effects are those of set_position() and so on, row by row; an error names the row."""
        arrays, widths = api.kugel_body_arrays(), {"position": (3,), "velocity": (3,), "spin": (3,), "rotation": (4,), "radius": (), "mass": ()}
        handles = None if bodies is None else _handles(bodies)
        count = len(self) if handles is None else len(handles)
        kept = []  # what the pointers point to
        for name, column in columns.items():
            if name not in widths:
                raise WrongType("columns", f"{name!r} is none of {', '.join(map(repr, widths))}")
            values = list(column) if isinstance(column, Iterator) else column
            shape, found, given = (count, *widths[name]), _shape(name, values), numpy.asarray(values)
            if found != shape or (count and given.dtype.kind not in "fiu"):
                raise WrongType(name, f"takes an array of numbers of shape {shape}, got {given.dtype} of shape {found}")
            kept.append(numpy.ascontiguousarray(given, numpy.float64))
            setattr(arrays, name, address(kept[-1], ctypes.c_double))
        if handles is not None:
            arrays.bodies = address(handles, ctypes.c_uint64)
        self._do(library.kugel_world_write_arrays(self._changing, count, arrays))

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

    def set_image(self, body: BodyHandle, image: Sequence[int]) -> None:
        """Set how often a body has crossed each periodic axis at max, less how often at min; 3 whole numbers."""
        items = (plain("image", ctypes.c_int32, x) for x in items_of("image", image, 3))
        self._do(library.kugel_body_set_image(self._changing, handle_of("body", body), (ctypes.c_int32 * 3)(*items)))

    def set_position(self, body: BodyHandle, position: Vector) -> None:
        """Set the position, m, at once; it must be inside closed bounds."""
        self._do(library.kugel_body_set_position(self._changing, handle_of("body", body), doubles("position", position)))

    def set_velocity(self, body: BodyHandle, velocity: Vector) -> None:
        """Set the velocity, m/s, at once; an error for static bodies."""
        self._do(library.kugel_body_set_velocity(self._changing, handle_of("body", body), doubles("velocity", velocity)))

    def set_spin(self, body: BodyHandle, spin: Vector) -> None:
        """Set the spin, rad/s, at once; an error for static bodies."""
        self._do(library.kugel_body_set_spin(self._changing, handle_of("body", body), doubles("spin", spin)))

    def set_filter(self, body: BodyHandle, category: int = 1, mask: int = 0xFFFFFFFF, group: int = 0) -> None:
        """Set category, mask and group of a body, as in kugel_body_def, from the next step on."""
        words = (plain(name, ctypes.c_uint32, value) for name, value in (("category", category), ("mask", mask), ("group", group)))
        self._do(library.kugel_body_set_filter(self._changing, handle_of("body", body), *words))

    def _set_number(self, function: Any, body: BodyHandle, name: str, value: Any, kind: Any = ctypes.c_double) -> None:
        self._do(function(self._changing, handle_of("body", body), plain(name, kind, value)))

    # Properties hold from the next step on. The body wakes, and so do bodies in contact with it.

    def set_mass(self, body: BodyHandle, mass: float) -> None:
        """Set the mass, kg, of a dynamic body."""
        self._set_number(library.kugel_body_set_mass, body, "mass", mass)

    def set_radius(self, body: BodyHandle, radius: float) -> None:
        """Set the radius, m; the mass stays."""
        self._set_number(library.kugel_body_set_radius, body, "radius", radius)

    def set_material(self, body: BodyHandle, restitution: float = 0, friction: float = 0.5, rolling_resistance: float = 0,
                     tangential_restitution: float = 0) -> None:
        """Set restitution, 0 ... 1, friction, rolling resistance and tangential restitution, -1 ... 1."""
        values = (number("restitution", restitution), number("friction", friction), number("rolling_resistance", rolling_resistance),
                  number("tangential_restitution", tangential_restitution))
        self._do(library.kugel_body_set_material(self._changing, handle_of("body", body), *values))

    def set_kind(self, body: BodyHandle, kind: int) -> None:
        """Set the kind of material, 0 ... 63: see World.set_pair_material."""
        self._set_number(library.kugel_body_set_kind, body, "kind", kind, ctypes.c_uint32)

    def set_locks(self, body: BodyHandle, locks: Any) -> None:
        """Lock axes of a body: names ("linear_x", "angular_z", "rotation", "plane" ...), one or several, or their bits."""
        self._set_number(library.kugel_body_set_locks, body, "locks", bits_of("locks", "kugel_locks", locks), ctypes.c_uint32)

    def set_gravity_scale(self, body: BodyHandle, gravity_scale: float) -> None:
        """Set the factor by which gravity acts on the body."""
        self._set_number(library.kugel_body_set_gravity_scale, body, "gravity_scale", gravity_scale)

    def set_damping(self, body: BodyHandle, linear: float = 0, angular: float = 0) -> None:
        """Set the damping of velocity and spin, 1/s, which is added to that of the world."""
        self._do(library.kugel_body_set_damping(self._changing, handle_of("body", body), number("linear", linear), number("angular", angular)))

    def set_sensor(self, body: BodyHandle, sensor: bool) -> None:
        """Let a body be a sensor, or no longer."""
        self._set_number(library.kugel_body_set_sensor, body, "sensor", sensor, ctypes.c_bool)

    def set_can_sleep(self, body: BodyHandle, can_sleep: bool) -> None:
        """Allow a body to fall asleep by itself, or not; what rests on it stays awake with it."""
        self._set_number(library.kugel_body_set_can_sleep, body, "can_sleep", can_sleep, ctypes.c_bool)

    def set_enabled(self, body: BodyHandle, enabled: bool) -> None:
        """Disable a body, which then takes part in nothing, or enable it again, at rest."""
        self._set_number(library.kugel_body_set_enabled, body, "enabled", enabled, ctypes.c_bool)

    def set_contact_events(self, body: BodyHandle, contact_events: bool) -> None:
        """Report impacts and touches of a body, or not, from now on; those of two bodies are reported if either reports its
        own. No motion or count changes."""
        self._set_number(library.kugel_body_set_contact_events, body, "contact_events", contact_events, ctypes.c_bool)

    def set_user_data(self, body: BodyHandle, user_data: int) -> None:
        """Set a body's 64 bits for the host; they change no result, and no body wakes."""
        self._set_number(library.kugel_body_set_user_data, body, "user_data", user_data, ctypes.c_uint64)

    def set_type(self, body: BodyHandle, type: Union[str, int], mass: float = 1.0) -> None:
        """Set the type, "dynamic", "static" or "kinematic", from the next step on; mass (kg) of a dynamic body."""
        kind = plain("type", ctypes.c_int, enumerator("type", "kugel_body_type", type))
        self._do(library.kugel_body_set_type(self._changing, handle_of("body", body), kind, number("mass", mass)))

    def set_target(self, body: BodyHandle, position: Optional[Vector], rotation: Any, dt: float) -> None:
        """Set the motion of a kinematic body so that one step of dt (s) moves it to position (m) and turns it to an
        rotation, a unit quaternion x, y, z, w. None: the velocity or the spin stays as it is."""
        seconds, place = number("dt", dt), None if position is None else doubles("position", position)
        turned = None if rotation is None else doubles("rotation", rotation, 4)
        self._do(library.kugel_body_set_target(self._changing, handle_of("body", body), place, turned, seconds))

    def set_rotation(self, body: BodyHandle, rotation: Any) -> None:
        """Set the rotation, a unit quaternion x, y, z, w, at once."""
        self._do(library.kugel_body_set_rotation(self._changing, handle_of("body", body), doubles("rotation", rotation, 4)))

    def wake(self, body: BodyHandle) -> None:
        """Wake a sleeping body and the bodies that resting contacts connect it to."""
        self._do(library.kugel_body_wake(self._changing, handle_of("body", body)))

    def sleep(self, body: BodyHandle) -> None:
        """Put a dynamic body to sleep, with the bodies that resting contacts connect it to; an error without such a
        contact."""
        self._do(library.kugel_body_sleep(self._changing, handle_of("body", body)))

    def apply_force(self, body: BodyHandle, force: Vector, point: Optional[Vector] = None) -> None:
        """Add a force, N, for the next step; at a point (m) as force and torque, else at the centre."""
        self._push(library.kugel_body_apply_force, body, doubles("force", force), point)

    def apply_torque(self, body: BodyHandle, torque: Vector) -> None:
        """Add a torque, N m, for the next step."""
        self._do(library.kugel_body_apply_torque(self._changing, handle_of("body", body), doubles("torque", torque)))

    def apply_impulse(self, body: BodyHandle, impulse: Vector, point: Optional[Vector] = None) -> None:
        """Apply an impulse, N s: the velocity changes by impulse / mass at once; at a point (m) also the spin."""
        self._push(library.kugel_body_apply_impulse, body, doubles("impulse", impulse), point)

    def _push(self, function: Any, body: BodyHandle, value: Any, point: Optional[Vector]) -> None:
        self._do(function(self._changing, handle_of("body", body), value, None if point is None else doubles("point", point)))

    def apply_angular_impulse(self, body: BodyHandle, impulse: Vector) -> None:
        """Apply an angular impulse, N m s: the spin changes by impulse / inertia at once."""
        self._do(library.kugel_body_apply_angular_impulse(self._changing, handle_of("body", body), doubles("impulse", impulse)))

    def explode(self, **definition: Unpack[api.ExplosionDef]) -> int:
        """Push the dynamic bodies around a point away from it at once. Members of kugel_explosion_def: center (m),
        radius (m), falloff (m), impulse (N s), mask. @return the number of bodies pushed."""
        count = ctypes.c_uint32()
        settings = fill(default(api.kugel_explosion_def), definition)
        self._do(library.kugel_world_explode(self._changing, settings, count))
        return count.value
