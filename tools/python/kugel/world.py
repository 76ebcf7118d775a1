"""Worlds and bodies. SI units: m, s, kg, rad. Queries are in queries.py."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple, Optional

import numpy

from . import api
from .queries import Queries
from .values import Error, Rows, Vector, Writer, address, check, doubles, fill, library, plain, view


class Bodies(NamedTuple):
    """All live bodies in id order: ids n; position m, velocity m/s, spin rad/s: n x 3."""
    ids: Rows
    position: Rows
    velocity: Rows
    spin: Rows


class World(Queries):
    """A world. Keyword arguments are the members of kugel_world_def: gravity=(0, 0, -9.81) (m/s^2), substeps=0,
    bounds=dict(min=(0, 0, 0), max=(1, 1, 1), faces="wall") (m; faces: one name, or six of "open", "wall", "periodic")
    ... It is used by one thread at a time."""

    def __init__(self, **definition: Any) -> None:
        self._begin()
        settings = fill(library.kugel_world_def_default(), definition)
        status = library.kugel_world_create(settings, self._world)
        if status != api.KUGEL_OK:
            error = api.kugel_error()
            library.kugel_world_def_check(settings, error)
            check(status, error)
        self._hooks: Any = settings  # the world calls them

    def _begin(self) -> None:
        self._world = ctypes.POINTER(api.kugel_world)()
        self._rows: Optional[Bodies] = None
        self._writer: Optional[Writer] = None

    @classmethod
    def _of(cls, other: Any, hooks: Any = None) -> World:
        """A clone of a C world."""
        world = cls.__new__(cls)
        world._begin()
        check(library.kugel_world_clone(other, world._world))
        world._hooks = hooks
        return world

    def __del__(self) -> None:
        if getattr(self, "_world", None):
            library.kugel_world_destroy(self._world)

    def __repr__(self) -> str:
        return f"<kugel.World: {len(self)} bodies, tick {self.tick}, {self.time:.6g} s>"

    def __len__(self) -> int:
        """The number of live bodies."""
        return int(library.kugel_world_body_count(self._world))

    def _do(self, status: int) -> None:
        if status:
            check(status, library.kugel_world_last_error(self._world).contents)

    def clone(self) -> World:
        """A world in the same state, with the same hooks."""
        return World._of(self._world, self._hooks)

    # ---- settings and surroundings ----

    @property
    def definition(self) -> api.kugel_world_def:
        """The settings that the world was created from, with its present gravity."""
        definition = api.kugel_world_def()
        check(library.kugel_world_get_def(self._world, definition))
        return definition

    def set_gravity(self, value: Vector) -> None:
        """Gravity of the following steps, m/s^2. Sleeping bodies wake."""
        self._do(library.kugel_world_set_gravity(self._world, doubles(value)))

    def add_plane(self, **plane: Any) -> int:
        """A fixed half space, free where normal . x >= offset: normal (unit), offset (m), restitution, friction.
        @return its index."""
        index = ctypes.c_uint32()
        self._do(library.kugel_world_add_plane(self._world, fill(api.kugel_plane(), plane), index))
        return index.value

    def planes(self) -> list[api.kugel_plane]:
        """The planes in the order of their indices."""
        planes = [api.kugel_plane() for _ in range(library.kugel_world_plane_count(self._world))]
        for index, plane in enumerate(planes):
            check(library.kugel_world_get_plane(self._world, index, plane))
        return planes

    # ---- bodies ----

    def add_body(self, **definition: Any) -> int:
        """Members of kugel_body_def: position (m), velocity (m/s), spin (rad/s), radius (m), mass (kg), restitution,
        friction, type ("dynamic", "static", "kinematic") ... @return its handle."""
        body = ctypes.c_uint64()
        settings = fill(library.kugel_body_def_default(), definition)
        self._do(library.kugel_body_create(self._world, settings, body))
        return body.value

    def add_bodies(self, position: Any, **definition: Any) -> Rows:
        """Create bodies at the rows of `position`, n x 3, m. Members of kugel_body_def are common values, or arrays with
        a row for each body. @return their handles. When one is refused, the bodies before it exist."""
        position = numpy.asarray(position, float)
        one = library.kugel_body_def_default()
        size = {name: getattr(kind, "_length_", 0) for name, kind in one._fields_}
        each = {name: numpy.asarray(value) for name, value in definition.items()
                if numpy.ndim(value) == (2 if size.get(name) else 1)}
        fill(one, {name: value for name, value in definition.items() if name not in each})
        each["position"] = position
        if any(len(rows) != len(position) for rows in each.values()):
            raise TypeError("arrays must have a row for each body")
        bodies = numpy.empty(len(position), numpy.uint64)
        body = ctypes.c_uint64()
        for row in range(len(position)):
            fill(one, {name: rows[row] for name, rows in each.items()})
            self._do(library.kugel_body_create(self._world, one, body))
            bodies[row] = body.value
        return bodies

    def remove_body(self, body: int) -> None:
        """Its handle becomes stale; bodies in contact with it wake."""
        self._do(library.kugel_body_destroy(self._world, int(body)))

    def is_valid(self, body: int) -> bool:
        """True if the body exists in this world."""
        return bool(library.kugel_body_is_valid(self._world, int(body)))

    def body(self, index: int) -> Optional[int]:
        """The handle of the live body with this id, 0 ... id_end - 1, or None."""
        return library.kugel_world_body(self._world, index) or None

    @property
    def id_end(self) -> int:
        """All ids are below it."""
        return int(library.kugel_world_id_end(self._world))

    def state(self, body: int) -> api.kugel_body_state:
        """The body's kugel_body_state: position (m), velocity (m/s), spin (rad/s), contacts, asleep ..."""
        state = api.kugel_body_state()
        status = library.kugel_body_get(self._world, int(body), state)
        if status:  # a query does not set the last error
            raise Error(status, "body")
        return state

    def states(self) -> Rows:
        """All live bodies in id order, members of kugel_body_state: states()["radius"] ... The array is a copy."""
        rows = numpy.empty(len(self), numpy.dtype(api.kugel_body_state))
        library.kugel_world_read_states(self._world, len(rows), address(rows, api.kugel_body_state))
        return rows

    def read(self) -> Bodies:
        """All live bodies in id order: ids n; position m, velocity m/s, spin rad/s: n x 3. The next read() of this
        world overwrites the arrays: use .copy() to keep them."""
        count = len(self)
        if self._rows is None or len(self._rows.ids) < count:
            room = max(count, 64)
            self._rows = Bodies(numpy.empty(room, numpy.uint32), *(numpy.empty((room, 3)) for _ in range(3)))
        library.kugel_world_read(self._world, count, *(address(column) for column in self._rows))
        return Bodies(*(column[:count] for column in self._rows))

    def set_position(self, body: int, value: Vector) -> None:
        """m, at once, inside closed bounds."""
        self._do(library.kugel_body_set_position(self._world, int(body), doubles(value)))

    def set_velocity(self, body: int, value: Vector) -> None:
        """m/s, at once; an error for static bodies."""
        self._do(library.kugel_body_set_velocity(self._world, int(body), doubles(value)))

    def set_spin(self, body: int, value: Vector) -> None:
        """rad/s, at once; an error for static bodies."""
        self._do(library.kugel_body_set_spin(self._world, int(body), doubles(value)))

    def set_filter(self, body: int, category: int = 1, mask: int = 0xFFFFFFFF, group: int = 0) -> None:
        """All three as in kugel_body_def, from the next step on."""
        words = (plain(name, ctypes.c_uint32, value) for name, value in (("category", category), ("mask", mask), ("group", group)))
        self._do(library.kugel_body_set_filter(self._world, int(body), *words))

    def apply_force(self, body: int, value: Vector) -> None:
        """N, added for the next step."""
        self._do(library.kugel_body_apply_force(self._world, int(body), doubles(value)))

    def apply_torque(self, body: int, value: Vector) -> None:
        """N m, added for the next step."""
        self._do(library.kugel_body_apply_torque(self._world, int(body), doubles(value)))

    def apply_impulse(self, body: int, value: Vector) -> None:
        """N s: the velocity changes by value / mass at once."""
        self._do(library.kugel_body_apply_impulse(self._world, int(body), doubles(value)))

    def apply_angular_impulse(self, body: int, value: Vector) -> None:
        """N m s: the spin changes by value / inertia at once."""
        self._do(library.kugel_body_apply_angular_impulse(self._world, int(body), doubles(value)))

    # ---- steps and their events ----

    def step(self, dt: float) -> None:
        """Advance by dt seconds."""
        self._do(library.kugel_world_step(self._world, plain("dt", ctypes.c_double, dt)))

    def _events(self, function: Any, kind: Any) -> Rows:
        count = ctypes.c_size_t()
        return view(function(self._world, count), count.value, kind, self)

    def impacts(self) -> Rows:
        """The last step's impacts, members of kugel_impact: impacts()["speed"] (m/s), ["impulse"] (N s), ["time"] (s
        from the start of the tick) ... Like all event lists a view of the library's memory, valid until the next step:
        use .copy() to keep it."""
        return self._events(library.kugel_world_impacts, api.kugel_impact)

    def begins(self) -> Rows:
        """Resting contacts that began in the last step, members of kugel_touch."""
        return self._events(library.kugel_world_begins, api.kugel_touch)

    def ends(self) -> Rows:
        """Resting contacts that ended in the last step, members of kugel_touch."""
        return self._events(library.kugel_world_ends, api.kugel_touch)

    def sleeps(self) -> Rows:
        """Bodies that fell asleep in the last step, members of kugel_rest."""
        return self._events(library.kugel_world_sleeps, api.kugel_rest)

    def wakes(self) -> Rows:
        """Bodies that woke, in the last step or by calls before it, members of kugel_rest."""
        return self._events(library.kugel_world_wakes, api.kugel_rest)

    def sensor_events(self) -> Rows:
        """What entered and left sensors in the last step, members of kugel_sensor_event."""
        return self._events(library.kugel_world_sensor_events, api.kugel_sensor_event)

    def report_impacts_above(self, speed: float) -> None:
        """impacts() leaves out slower ones from the next step on, m/s."""
        self._do(library.kugel_world_report_impacts_above(self._world, plain("speed", ctypes.c_double, speed)))

    # ---- numbers ----

    @property
    def hash(self) -> int:
        """Hash of the state: the same bits on every platform."""
        return int(library.kugel_world_hash(self._world))

    @property
    def tick(self) -> int:
        """The number of steps."""
        return int(library.kugel_world_tick(self._world))

    @property
    def time(self) -> float:
        """s, the sum of dt."""
        return float(library.kugel_world_time(self._world))

    def stats(self) -> api.kugel_stats:
        """Counters, energies (J), momentum (kg m/s) and memory (bytes)."""
        stats = api.kugel_stats()
        library.kugel_world_stats(self._world, stats)
        return stats

    def step_times(self) -> tuple[api.kugel_step_times, api.kugel_step_times]:
        """Time by stage of the last step and of all, ns; 0 without a clock in the definition."""
        last, total = api.kugel_step_times(), api.kugel_step_times()
        library.kugel_world_step_times(self._world, last, total)
        return last, total

    # ---- snapshots and recordings ----

    def save(self) -> bytes:
        """A snapshot, as bytes."""
        size = ctypes.c_size_t()
        room = library.kugel_snapshot_bound(self._world)
        buffer = ctypes.create_string_buffer(room)
        self._do(library.kugel_snapshot_save(self._world, buffer, room, size))
        return buffer.raw[:size.value]

    def restore(self, snapshot: bytes) -> None:
        """Replace the state by that of a snapshot. Handles of the saved world are valid in it."""
        self._do(library.kugel_snapshot_restore(self._world, bytes(snapshot), len(snapshot)))

    def record(self, write: Callable[[bytes], object], **definition: Any) -> None:
        """Start a recording: write(bytes) receives its data. If it raises, the recording ends, and this call or
        record_end() raises the same. Members of kugel_recording_def are keyword arguments."""
        settings = fill(library.kugel_recording_def_default(), definition)
        writer = Writer(write)
        settings.write = writer.c
        self._recorded(library.kugel_world_recording_start(self._world, settings), writer)
        self._writer = writer  # the world calls it

    def record_end(self) -> None:
        """End the recording."""
        self._recorded(library.kugel_world_recording_stop(self._world), self._writer)

    def record_dump(self, write: Callable[[bytes], object]) -> None:
        """The last ticks of a recording with ring_ticks, as a recording; it goes on."""
        writer = Writer(write)
        self._recorded(library.kugel_world_recording_dump(self._world, writer.c, None), writer)

    def record_status(self) -> None:
        """Raise the error that has ended the recording, if one has."""
        self._recorded(library.kugel_world_recording_status(self._world), self._writer)

    def _recorded(self, status: int, writer: Optional[Writer]) -> None:
        if status == api.KUGEL_ERROR_IO and writer and writer.failed:
            raise writer.failed
        check(status) if status == api.KUGEL_ERROR_IO else self._do(status)
