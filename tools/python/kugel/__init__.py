"""kugel from Python: worlds of moving spheres, with numpy arrays over the library's own memory.

    import kugel
    world = kugel.World(gravity=(0, 0, -9.81))
    world.add_plane(normal=(0, 0, 1), friction=0.5)
    ball = world.add_body(position=(0, 0, 10), restitution=0.5)
    for tick in range(600):
        world.step(1 / 60)
    print(world.read().position, hex(world.hash))

Every name of the C headers is in kugel.api, and kugel.library is the library itself, for what has no method here.
Units and meanings are the headers'. A refused call raises kugel.Error and leaves the world as it was.
The library is KUGEL_LIBRARY of the environment, else libkugel.so beside this file, else the system's."""
import collections
import ctypes
import difflib
import os
import pathlib

import numpy

from . import api


def _load():
    beside = pathlib.Path(__file__).with_name("libkugel.so")
    name = os.environ.get("KUGEL_LIBRARY") or (str(beside) if beside.exists() else "libkugel.so")
    loaded = ctypes.CDLL(name)
    for function, (result, arguments) in api.FUNCTIONS.items():
        getattr(loaded, function).restype = result
        getattr(loaded, function).argtypes = arguments
    return loaded


library = _load()

WHOLE = "bBhHiIlLqQ"  # type codes of integers in ctypes

Bodies = collections.namedtuple("Bodies", "ids position velocity spin")
Recorded = collections.namedtuple("Recorded", "tick hash bodies")


class Error(Exception):
    """An error: `status` is an api.KUGEL_ERROR_..., `argument` names the wrong argument."""

    def __init__(self, status, argument="", message=""):
        text = message or library.kugel_status_text(status).decode()
        super().__init__(f"{argument}: {text}" if argument else text)
        self.status, self.argument = status, argument


def _raise(status, error):
    if status != api.KUGEL_OK:
        raise Error(status, error.argument.decode(), error.message.decode())


def _plain(name, kind, value):
    """Convert a value for a member; ctypes would truncate integers and does not name the member."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, int) and getattr(kind, "_type_", "") in WHOLE and kind(value).value != value:
        raise Error(api.KUGEL_ERROR_INVALID_ARGUMENT, name, f"{value} is no whole number of {8 * ctypes.sizeof(kind)} bits")
    if kind is ctypes.c_bool and value not in (False, True):  # ctypes accepts any text as true
        raise TypeError(f"{name}: takes True or False, got {value!r}")
    if isinstance(getattr(kind, "_type_", None), str) and not isinstance(value, kind):
        try:
            kind(value)
        except TypeError as error:
            raise TypeError(f"{name}: {error}, got {value!r}") from None
    return value


def _fill(struct, values):
    """Set members by name; sequences for arrays, dicts for structs."""
    members = {name: kind for name, kind in struct._fields_ if name != "cookie"}
    for name, value in values.items():
        if name not in members:
            near = difflib.get_close_matches(name, members, 1)
            raise TypeError(f"{type(struct).__name__} has no {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        if isinstance(value, dict):
            _fill(getattr(struct, name), value)
        elif issubclass(members[name], ctypes.Array):
            if not numpy.iterable(value):
                raise TypeError(f"{name} takes {members[name]._length_} values, got {value!r}")
            value = [_plain(name, members[name]._type_, x) for x in value]
            if len(value) != members[name]._length_:
                raise TypeError(f"{name} takes {members[name]._length_} values, got {len(value)}")
            setattr(struct, name, members[name](*value))
        else:
            setattr(struct, name, _plain(name, members[name], value))
    return struct


def _three(values):
    x, y, z = values
    return (ctypes.c_double * 3)(x, y, z)


def _view(pointer, count, kind, owner):
    """A read-only array of `count` items at a pointer; keeps `owner` alive."""
    if not count:
        return numpy.empty(0, numpy.dtype(kind))
    memory = (kind * count).from_address(ctypes.cast(pointer, ctypes.c_void_p).value)
    memory._owner = owner
    array = numpy.frombuffer(memory, numpy.dtype(kind))
    array.flags.writeable = False
    return array


def _address(array):
    return array.ctypes.data_as(ctypes.POINTER(numpy.ctypeslib.as_ctypes_type(array.dtype)))


class World:
    """A world. Keyword arguments are the members of kugel_world_def: gravity=(0, 0, -9.81), substeps=0,
    bounds=dict(min=(0, 0, 0), max=(1, 1, 1), faces=[api.KUGEL_FACE_WALL] * 6) ... It is used by one thread at a time."""

    def __init__(self, **definition):
        self._world = ctypes.POINTER(api.kugel_world)()
        self._rows = self._failed = None
        definition = _fill(library.kugel_world_def_default(), definition)
        status = library.kugel_world_create(definition, self._world)
        if status != api.KUGEL_OK:
            error = api.kugel_error()
            library.kugel_world_def_check(definition, error)
            raise Error(status, error.argument.decode(), error.message.decode())
        self._hooks = definition  # the world calls them

    def __del__(self):
        if getattr(self, "_world", None):
            library.kugel_world_destroy(self._world)

    def _do(self, status):
        _raise(status, library.kugel_world_last_error(self._world).contents if status else None)

    def add_plane(self, **plane):
        """Members of kugel_plane. @return its index."""
        index = ctypes.c_uint32()
        self._do(library.kugel_world_add_plane(self._world, _fill(api.kugel_plane(), plane), index))
        return index.value

    def add_body(self, **definition):
        """Members of kugel_body_def. @return its handle."""
        body = ctypes.c_uint64()
        definition = _fill(library.kugel_body_def_default(), definition)
        self._do(library.kugel_body_create(self._world, definition, body))
        return body.value

    def add_bodies(self, position, **definition):
        """Create bodies at the rows of `position`, n x 3. Members of kugel_body_def are common values, or arrays with a
        row for each body. @return their handles. When one is refused, the bodies before it exist."""
        position = numpy.asarray(position, float)
        one = library.kugel_body_def_default()
        size = {name: getattr(kind, "_length_", 0) for name, kind in one._fields_}
        each = {name: numpy.asarray(value) for name, value in definition.items()
                if numpy.ndim(value) == (2 if size.get(name) else 1)}
        _fill(one, {name: value for name, value in definition.items() if name not in each})
        each["position"] = position
        if any(len(rows) != len(position) for rows in each.values()):
            raise TypeError("arrays must have a row for each body")
        bodies = numpy.empty(len(position), numpy.uint64)
        body = ctypes.c_uint64()
        for row in range(len(position)):
            _fill(one, {name: rows[row] for name, rows in each.items()})
            self._do(library.kugel_body_create(self._world, one, body))
            bodies[row] = body.value
        return bodies

    def remove_body(self, body):
        self._do(library.kugel_body_destroy(self._world, int(body)))

    def state(self, body):
        """The body's kugel_body_state."""
        state = api.kugel_body_state()
        status = library.kugel_body_get(self._world, int(body), state)
        if status:  # a query does not set the last error
            raise Error(status, "body")
        return state

    def set_position(self, body, value):
        self._do(library.kugel_body_set_position(self._world, int(body), _three(value)))

    def set_velocity(self, body, value):
        self._do(library.kugel_body_set_velocity(self._world, int(body), _three(value)))

    def set_spin(self, body, value):
        self._do(library.kugel_body_set_spin(self._world, int(body), _three(value)))

    def apply_force(self, body, value):
        self._do(library.kugel_body_apply_force(self._world, int(body), _three(value)))

    def apply_impulse(self, body, value):
        self._do(library.kugel_body_apply_impulse(self._world, int(body), _three(value)))

    def set_properties(self, body, **values):
        """Set mass, radius, restitution, friction, rolling_resistance, gravity_scale or user_data, one after the
        other: an error names the first that was refused."""
        for name, value in values.items():
            call = getattr(library, f"kugel_body_set_{name}", None)
            if call is None or call.argtypes[2:] not in ([ctypes.c_double], [ctypes.c_uint64]):
                raise TypeError(f"{name} is no property of bodies")
            self._do(call(self._world, int(body), _plain(name, call.argtypes[2], value)))

    def set_type(self, body, type, mass=1.0):
        """`type`: api.KUGEL_DYNAMIC, KUGEL_STATIC or KUGEL_KINEMATIC; `mass`, kg, of a dynamic body."""
        self._do(library.kugel_body_set_type(self._world, int(body), type, mass))

    def wake(self, body):
        self._do(library.kugel_body_wake(self._world, int(body)))

    def sleep(self, body):
        self._do(library.kugel_body_sleep(self._world, int(body)))

    def apply_force_at(self, body, value, point):
        self._do(library.kugel_body_apply_force_at(self._world, int(body), _three(value), _three(point)))

    def apply_impulse_at(self, body, value, point):
        self._do(library.kugel_body_apply_impulse_at(self._world, int(body), _three(value), _three(point)))

    def set_target(self, body, position, dt):
        self._do(library.kugel_body_set_target(self._world, int(body), _three(position), dt))

    def explode(self, **definition):
        """Push the bodies around a point; members of kugel_explosion_def are keyword arguments. Returns their number."""
        count = ctypes.c_uint32()
        one = _fill(library.kugel_explosion_def_default(), definition)
        self._do(library.kugel_world_explode(self._world, one, count))
        return count.value

    def contacts(self, body=None):
        """Resting contacts of a body, or of the world: members of kugel_resting_contact, contacts()["force"] ..."""
        def call(room, rows, count):
            if body is None:
                return library.kugel_world_contacts(self._world, room, rows, count)
            return library.kugel_body_contacts(self._world, int(body), room, rows, count)
        count = ctypes.c_size_t()
        rows = (api.kugel_resting_contact * 0)()
        for _ in range(2):
            if status := call(len(rows), rows, count):  # a query does not set the last error
                raise Error(status, "body")
            if len(rows) < count.value:
                rows = (api.kugel_resting_contact * count.value)()
        return numpy.frombuffer(rows, numpy.dtype(api.kugel_resting_contact), count.value)

    def moves(self):
        """The bodies that the last step moved: members of kugel_move, moves()["position"] ..."""
        count = library.kugel_world_moves(self._world, 0, None)
        rows = (api.kugel_move * count)()
        library.kugel_world_moves(self._world, count, rows)
        return numpy.frombuffer(rows, numpy.dtype(api.kugel_move), count)

    def step(self, dt):
        self._do(library.kugel_world_step(self._world, _plain("dt", ctypes.c_double, dt)))

    def read(self):
        """All live bodies in id order: ids n, position, velocity, spin n x 3. The next read() of this
        world overwrites the arrays: use .copy() to keep them."""
        count = library.kugel_world_body_count(self._world)
        if self._rows is None or len(self._rows.ids) < count:
            room = max(count, 64)
            self._rows = Bodies(numpy.empty(room, numpy.uint32), *(numpy.empty((room, 3)) for _ in range(3)))
        library.kugel_world_read(self._world, count, *(_address(column) for column in self._rows))
        return Bodies(*(column[:count] for column in self._rows))

    def _events(self, function, kind):
        count = ctypes.c_size_t()
        return _view(function(self._world, count), count.value, kind, self)

    def impacts(self):
        """The last step's impacts, members of kugel_impact: impacts()["speed"] ... Like all event
        lists a view of the library's memory, valid until the next step: use .copy() to keep it."""
        return self._events(library.kugel_world_impacts, api.kugel_impact)

    def begins(self):
        return self._events(library.kugel_world_begins, api.kugel_touch)

    def ends(self):
        return self._events(library.kugel_world_ends, api.kugel_touch)

    def sensor_events(self):
        return self._events(library.kugel_world_sensor_events, api.kugel_sensor_event)

    def ray(self, origin, direction, t_max=1.0):
        """The first body on a ray: its kugel_ray_hit, or None."""
        ray, hit = api.kugel_ray(_three(origin), _three(direction), t_max), api.kugel_ray_hit()
        status = library.kugel_world_ray_closest(self._world, ray, None, hit)
        if status:
            raise Error(status)
        return hit if hit.body else None

    @property
    def hash(self):
        return library.kugel_world_hash(self._world)

    @property
    def tick(self):
        return library.kugel_world_tick(self._world)

    @property
    def time(self):
        return library.kugel_world_time(self._world)

    def stats(self):
        stats = api.kugel_stats()
        library.kugel_world_stats(self._world, stats)
        return stats

    def __len__(self):
        return library.kugel_world_body_count(self._world)

    def save(self):
        """A snapshot, as bytes."""
        size = ctypes.c_size_t()
        room = library.kugel_snapshot_bound(self._world)
        buffer = ctypes.create_string_buffer(room)
        self._do(library.kugel_snapshot_save(self._world, buffer, room, size))
        return buffer.raw[:size.value]

    def restore(self, snapshot):
        self._do(library.kugel_snapshot_restore(self._world, bytes(snapshot), len(snapshot)))

    def record(self, write, **definition):
        """Start a recording: write(bytes) receives its data. If it raises, the recording ends, and this call or
        record_end() raises the same. Members of kugel_recording_def are keyword arguments."""
        definition = _fill(library.kugel_recording_def_default(), definition)
        self._failed = None

        def take(user, data, size):
            try:
                write(ctypes.string_at(data, size))
            except Exception as error:  # must not pass through C
                self._failed = error
            return self._failed is None

        definition.write = take = dict(definition._fields_)["write"](take)
        self._recorded(library.kugel_world_recording_start(self._world, definition))
        self._write = take  # the world calls it

    def record_end(self):
        self._recorded(library.kugel_world_recording_stop(self._world))

    def _recorded(self, status):
        if status == api.KUGEL_ERROR_IO:
            raise self._failed
        self._do(status)


class Player:
    """Plays a recording, given as bytes: `info`, replay, and reading of recorded states without replay."""

    def __init__(self, data, threads=1):
        self._data = bytes(data)
        self._player = ctypes.POINTER(api.kugel_player)()
        error = api.kugel_error()
        _raise(library.kugel_player_open(self._data, len(self._data), None, threads, self._player, error), error)
        self.info = api.kugel_recording_info()
        library.kugel_player_info(self._player, self.info)

    def __del__(self):
        if getattr(self, "_player", None):
            library.kugel_player_close(self._player)

    def verify(self):
        """Replay all ticks. @return None if every tick is as recorded, else the first kugel_divergence."""
        difference = api.kugel_divergence()
        if library.kugel_world_tick(library.kugel_player_world(self._player)):
            library.kugel_player_seek(self._player, 0)
        while True:
            result = library.kugel_player_step(self._player, difference)
            if result == api.KUGEL_PLAY_ERROR:
                error = library.kugel_player_error(self._player).contents
                _raise(error.status, error)
            if result != api.KUGEL_PLAY_TICK:
                return difference if result == api.KUGEL_PLAY_DIVERGED else None

    def recorded(self, tick):
        """Recorded(tick, hash, bodies); bodies are views of the library's memory, valid until the next call of this
        player, or None without recorded states."""
        row = api.kugel_recorded()
        status = library.kugel_player_recorded(self._player, tick, row)
        if status:
            raise Error(status, "tick")
        if not row.has_state:
            return Recorded(row.tick, row.hash, None)
        columns = [_view(column, 3 * row.count, ctypes.c_double, self).reshape(-1, 3)
                   for column in (row.position, row.velocity, row.spin)]
        return Recorded(row.tick, row.hash, Bodies(_view(row.ids, row.count, ctypes.c_uint32, self), *columns))
