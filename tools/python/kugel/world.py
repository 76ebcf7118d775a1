"""Worlds. SI units: m, s, kg, rad. Bodies are in bodies.py, surfaces in surfaces.py, queries in
queries.py."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Union

import numpy

from . import api
from .bodies import Bodies, BodyMethods
from .queries import Queries
from .surfaces import SurfaceMethods
from .tables import Table, table
from .values import (Error, PairFilter, Rows, Vector, Writer, WrongType, address, all_results, between, check, default,
                     doubles, fill, items_at, library, number, plain, raw)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class World(BodyMethods, SurfaceMethods, Queries):
    """A world. Keyword arguments are the members of kugel_world_def: gravity=(0, 0, -9.81) (m/s^2), substeps=0,
    bounds=dict(min=(0, 0, 0), max=(1, 1, 1), faces="wall") (m; faces: one name, or six of "open", "wall", "periodic"),
    tasks=dict(threads=2) (of its steps) ... It is used by one thread at a time. A with statement frees it at its end."""

    def __init__(self, **definition: Unpack[api.WorldDef]) -> None:
        self._begin()
        settings = fill(default(api.kugel_world_def), definition)
        status = library.kugel_world_create(settings, self._owned)
        if status != api.KUGEL_OK:
            error = api.kugel_error()
            library.kugel_world_def_check(settings, error)
            check(status, error)
        self._hooks: Any = settings  # the world calls them

    def _begin(self) -> None:
        self._owned = ctypes.POINTER(api.kugel_world)()
        self._rows: Optional[Bodies] = None
        self._writer: Optional[Writer] = None
        self._pairs: Optional[PairFilter] = None
        self._in_test = False  # True during a sync test

    @classmethod
    def _of(cls, other: Any, hooks: Any = None, pairs: Optional[PairFilter] = None) -> World:
        """A clone of a C world, which calls the hooks."""
        world = cls.__new__(cls)
        world._begin()
        check(library.kugel_world_clone(other, world._owned))
        world._hooks, world._pairs = hooks, pairs
        return world

    def __del__(self) -> None:
        if getattr(self, "_owned", None):
            owned, self._owned = self._owned, ctypes.POINTER(api.kugel_world)()
            library.kugel_world_destroy(owned)

    def destroy(self) -> None:
        """Free the world now, after stop_recording() if it is recorded. Later calls are errors, except destroy(). Views of
        its memory must not be used any more. A world that is not used is freed without this call."""
        if not self._owned:
            return
        if self._in_test:
            raise Error(api.KUGEL_ERROR_STATE, "world", "is in a sync test")
        self._changing  # an error in a callback
        try:
            if self._writer:
                self.stop_recording()
        finally:
            self.__del__()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *error: object) -> None:
        self.destroy()

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            hint = f"; did you mean set_{name}()?" if hasattr(type(self), "set_" + name) else ""
            raise AttributeError(f"World has no {name!r}{hint}")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<kugel.World: {len(self)} bodies, tick {self.tick}, {self.time:.6g} s>" if self else "<kugel.World: freed>"

    def clone(self) -> World:
        """A world in the same state, with the same hooks. copy.copy() and copy.deepcopy() are the same."""
        return World._of(self._world, self._hooks, self._pairs)

    __copy__ = clone

    def __deepcopy__(self, memo: Any) -> World:
        return self.clone()

    def __reduce__(self) -> Any:
        raise WrongType("", "a kugel.World cannot be pickled: use save() and restore()")

    # Settings and surroundings.

    def get_def(self) -> api.kugel_world_def:
        """The settings that the world was created from, with its present gravity."""
        definition = api.kugel_world_def()
        check(library.kugel_world_get_def(self._world, definition))
        return definition

    @property
    def gravity(self) -> Any:  # types of getter and setter must be the same before mypy 1.16
        """Gravity of the following steps, m/s^2: 3 values, read-only. A new value wakes sleeping bodies."""
        gravity = self.get_def().gravity
        gravity.flags.writeable = False  # world.gravity[2] = 0 would change the copy
        return gravity

    @gravity.setter
    def gravity(self, value: Vector) -> None:
        self._do(library.kugel_world_set_gravity(self._changing, doubles("gravity", value)))

    @property
    def growth(self) -> float:
        """Growth of the radii of the dynamic bodies in the following steps, 1/s: impacts are those of growing spheres. With a
        thermostat before each step it compresses a gas to a jammed packing."""
        return float(self.get_def().growth)

    @growth.setter
    def growth(self, value: float) -> None:
        self._do(library.kugel_world_set_growth(self._changing, number("growth", value)))

    def set_temperature(self, temperature: float) -> None:
        """Scale the velocities of the dynamic bodies relative to their centre of mass, so that observables.temperature(world)
        is `temperature`: k_B T, J. Called before each step it is a thermostat."""
        self._do(library.kugel_world_set_temperature(self._changing, number("temperature", temperature)))

    def draw_velocities(self, temperature: float, probability: float = 1.0, seed: int = 1) -> None:
        """Give each dynamic body, with the probability, a new velocity from Maxwell's distribution at `temperature`: k_B T, J.
        Called before each step with the probability rate * dt it is Andersen's thermostat. The numbers follow from seed,
        tick and id."""
        self._do(library.kugel_world_draw_velocities(self._changing, number("temperature", temperature), number("probability", probability),
                                                     plain("seed", ctypes.c_uint64, seed)))

    def set_pair_material(self, kind_a: int, kind_b: int, material: Optional[Mapping[str, float]]) -> None:
        """Set the contact material of two kinds: dict(restitution=0.8, friction=0.3, tangential_restitution=0.5), where missing
        members are those of a new body. Bodies, surfaces and walls have a `kind`. None removes the pair, which then has the usual rules."""
        kinds = plain("kind_a", ctypes.c_uint32, kind_a), plain("kind_b", ctypes.c_uint32, kind_b)
        usual: Any = default(api.kugel_body_def)
        members = (name for name, *_ in api.kugel_pair_material._fields_)
        numbers = api.kugel_pair_material(*(getattr(usual, name) for name in members))
        given = None if material is None else fill(numbers, material)
        self._do(library.kugel_world_set_pair_material(self._changing, *kinds, given))

    def get_pair_material(self, kind_a: int, kind_b: int) -> Optional[api.kugel_pair_material]:
        """The contact material of two kinds, or None if the table has no such pair."""
        material = api.kugel_pair_material()
        kinds = plain("kind_a", ctypes.c_uint32, kind_a), plain("kind_b", ctypes.c_uint32, kind_b)
        return material if library.kugel_world_get_pair_material(self._world, *kinds, material) else None

    def set_pair_filter(self, decide: Optional[Callable[[api.kugel_pair, int], object]], key: int = 0) -> None:
        """decide(pair, key) returns whether the bodies pair.a and pair.b interact, or the body pair.a and pair.surface; the
        handle that the pair lacks is 0. None, as of a function that returns nothing, lets them. It may change pair.restitution, .friction, .rolling_resistance and
        .tangential_restitution. The pair is memory of the library, valid during the call only. The result depends
        on the arguments only; decide cannot use the world, which is in its step. The key is recorded; the player of the
        recording needs the same callback. If it raises, the call that used it, step() or this one, raises the same and
        leaves the world as it was. None removes the filter."""
        pairs = PairFilter(decide)
        settings = api.kugel_pair_filter(pairs.c, None, plain("key", ctypes.c_uint64, key))
        status = self._call(library.kugel_world_set_pair_filter, settings)
        if not status:
            self._pairs = None if decide is None else pairs  # the world calls it
        pairs.check()
        self._do(status)

    @property
    def pair_filter_key(self) -> Optional[int]:
        """The key of the pair filter, or None without one."""
        settings = api.kugel_pair_filter()
        check(library.kugel_world_get_pair_filter(self._world, settings))
        return int(settings.key) if settings.decide else None

    # Steps and their events.

    def step(self, dt: float) -> None:
        """Advance by dt seconds."""
        self._stepped(self._call(library.kugel_world_step, number("dt", dt)))

    def _stepped(self, status: int) -> None:
        """Raise what the pair filter raised, or the error of a call that steps."""
        if self._pairs:
            self._pairs.check()
        self._do(status)

    def _events(self, function: Any, kind: Any, copy: bool) -> Table:
        count = ctypes.c_size_t()
        return items_at(function(self._world, count), count.value, kind, self, copy).view(Table)

    def impact_events(self, *, copy: bool = True) -> Table:
        """The last step's impacts, members of kugel_impact: impact_events()["speed"] (m/s), ["impulse"] (N s), ["time"] (s
        from the start of the tick) ... copy=False: a read-only view of the library's memory, valid until the next step,
        which saves the copy of 104 bytes an impact. All lists of events have this argument."""
        return self._events(library.kugel_world_impact_events, api.kugel_impact, copy)

    def begin_events(self, *, copy: bool = True) -> Table:
        """Resting contacts that began in the last step, members of kugel_touch."""
        return self._events(library.kugel_world_begin_events, api.kugel_touch, copy)

    def end_events(self, *, copy: bool = True) -> Table:
        """Resting contacts that ended in the last step, members of kugel_touch."""
        return self._events(library.kugel_world_end_events, api.kugel_touch, copy)

    def sleep_events(self, *, copy: bool = True) -> Table:
        """Bodies that fell asleep in the last step, members of kugel_rest."""
        return self._events(library.kugel_world_sleep_events, api.kugel_rest, copy)

    def wake_events(self, *, copy: bool = True) -> Table:
        """Bodies that woke, in the last step or by calls before it, members of kugel_rest."""
        return self._events(library.kugel_world_wake_events, api.kugel_rest, copy)

    def sensor_events(self, *, copy: bool = True) -> Table:
        """What entered and left sensors in the last step, members of kugel_sensor_event."""
        return self._events(library.kugel_world_sensor_events, api.kugel_sensor_event, copy)

    def moves(self) -> Table:
        """The bodies that moved, stopped or were placed lately, in id order, members of kugel_move: moves()["body"],
        ["position"] (m), ["rotation"], ["moved"], ["placed"], ["stopped"], ["fell_asleep"] ... Read after each step
        they keep a copy of all poses up to date."""
        return self._moves(library.kugel_world_moves, api.kugel_move)

    def surface_moves(self) -> Table:
        """The surfaces that moved, stopped or were placed lately, by index, members of kugel_surface_move."""
        return self._moves(library.kugel_world_surface_moves, api.kugel_surface_move)

    def _moves(self, read: Any, row: Any) -> Table:
        count = read(self._world, 0, None)
        rows = table(count, row)
        read(self._world, count, address(rows, row))
        return rows

    def report_impacts_above(self, speed: float) -> None:
        """From the next step on, impact_events() leaves out impacts below this speed, m/s."""
        self._do(library.kugel_world_report_impacts_above(self._changing, number("speed", speed)))

    def sum_impulses(self, on: bool = True) -> None:
        """From the next step on, sum what each body exchanges with each target: impulse_sums()."""
        self._do(library.kugel_world_sum_impulses(self._changing, plain("on", ctypes.c_bool, on)))

    def impulse_sums(self) -> Table:
        """What bodies and targets exchanged in the last step, members of kugel_impulse_sum: impulse_sums()["impulse"] (N s,
        on the target), ["angular_impulse"], ["target"], ["index"] ... Empty unless sum_impulses() was called before the
        step. The mean force on the floor is the sum of impulses on it, over some steps, divided by their time."""
        def call(*room: Any) -> int:
            return int(library.kugel_world_impulse_sums(self._world, *room))

        return all_results(call, api.kugel_impulse_sum, "")

    # Between two ticks: drawing at alpha = (time since the last step) / dt, 0 ... 1.

    def interpolate_positions(self, from_: Any, to: Any, alpha: float) -> Rows:
        """Positions (m, n x 3) between those of two ticks, on the shortest way along periodic axes."""
        def call(*arguments: Any) -> int:
            return int(library.kugel_interpolate_positions(self._world, *arguments))

        return between(call, from_, to, alpha, 3)

    # Numbers.

    @property
    def user_data(self) -> int:
        """64 bits for the host, initially 0; they are not part of the state."""
        return int(library.kugel_world_get_user_data(self._world))

    @user_data.setter
    def user_data(self, value: int) -> None:
        check(library.kugel_world_set_user_data(self._changing, plain("user_data", ctypes.c_uint64, value)))

    def hash(self) -> int:
        """Hash of the state: the same bits on every platform. O(bodies)."""
        return int(library.kugel_world_hash(self._world))

    @property
    def tick(self) -> int:
        """The number of steps."""
        return int(library.kugel_world_tick(self._world))

    @property
    def time(self) -> float:
        """The simulated time, s: the sum of dt."""
        return float(library.kugel_world_time(self._world))

    def stats(self) -> api.kugel_stats:
        """Counters, and memory (bytes)."""
        stats = api.kugel_stats()
        library.kugel_world_stats(self._world, stats)
        return stats

    def energy(self) -> api.kugel_energy:
        """Energies (J) and momentum (kg m/s) of all dynamic bodies."""
        energy = api.kugel_energy()
        library.kugel_world_energy(self._world, energy)
        return energy

    def step_times(self) -> tuple[api.kugel_step_times, api.kugel_step_times]:
        """Time by stage of the last step and of all, ns; 0 without a clock in the definition."""
        last, total = api.kugel_step_times(), api.kugel_step_times()
        library.kugel_world_step_times(self._world, last, total)
        return last, total

    # Snapshots and recordings.

    def save(self, meshes: bool = True) -> bytes:
        """A snapshot, as bytes. meshes=False: a hash stands for each mesh; such a snapshot is small and can be restored
        in worlds that have these meshes."""
        size, meshes = ctypes.c_size_t(), plain("meshes", ctypes.c_bool, meshes)
        check(library.kugel_snapshot_save(self._world, meshes, None, 0, size))
        buffer = ctypes.create_string_buffer(size.value)
        check(library.kugel_snapshot_save(self._world, meshes, buffer, len(buffer), size))
        return buffer.raw[:size.value]

    def restore(self, snapshot: bytes) -> None:
        """Replace the state by that of a snapshot. Handles of the saved world are valid in it."""
        data = raw("snapshot", snapshot)
        self._do(library.kugel_snapshot_restore(self._changing, data, len(data)))

    def sync_test(self, input: Optional[Callable[[World, int], object]] = None, **definition: Unpack[api.SyncDef]) -> Optional[api.kugel_divergence]:
        """Check that the world can be rolled back: run ticks=60 ticks of dt=1/60 (s), restore the first state, run them
        again, and compare the states of every tick. input(world, tick) makes the calls before each step; they must
        depend on tick and state only. An exception of input or of the pair filter ends the test and is raised.
        @return None if both runs agree, else the first difference. The world then has its first state again."""
        if input is not None and not callable(input):
            raise WrongType("input", f"is called as input(world, tick), got {input!r}")
        settings = fill(default(api.kugel_sync_def), definition)
        failed: list[BaseException] = []
        first, pairs, writer = self.tick, self._pairs, self._writer

        def make(user: Any, world: Any, tick: int) -> int:
            self._in_call, self._in_test = False, True
            try:
                self._stepped(api.KUGEL_OK)
                if tick == first:
                    self._pairs = pairs  # as C: both runs begin with it
                if input is not None:
                    input(self, tick)
            except BaseException as error:
                failed.append(error)
            finally:
                self._in_call = True
            return api.KUGEL_ERROR_STATE if failed else api.KUGEL_OK

        settings.input = dict((name, kind) for name, kind, *_ in api.kugel_sync_def._fields_)["input"](make)  # type: ignore[operator]
        report = api.kugel_sync_report()
        status = self._call(library.kugel_sync_test, settings, report)
        try:
            if failed:
                raise failed[0]
            self._stepped(status)
        finally:
            self._in_test = False
            self._writer = writer  # a recording that input starts is ended
            if not report.same:
                self._pairs = pairs
        return None if report.same else report.divergence

    def start_recording(self, write: Callable[[bytes], object], annotation: Union[str, bytes] = b"", **definition: Unpack[api.RecordingDef]) -> None:
        """Start a recording: write(bytes) receives its data and must not use the world. If it raises, the recording
        ends, and this call or stop_recording() raises the same. annotation: a text or bytes of the host, Player.annotation.
        Other members of kugel_recording_def are keyword arguments."""
        note = annotation.encode() if isinstance(annotation, str) else raw("annotation", annotation)
        settings = fill(default(api.kugel_recording_def), {**definition, "annotation_size": len(note)})
        settings.annotation = ctypes.cast(ctypes.c_char_p(note), ctypes.c_void_p) if note else None
        writer = Writer(write, self)
        settings.write = writer.c
        self._recorded(self._call(library.kugel_world_recording_start, settings), writer)
        self._writer = writer  # the world calls it

    def mark_recording(self) -> None:
        """Mark the present state as tick 0 of the recording: the calls so far make the world. Before the first step."""
        self._do(library.kugel_world_recording_mark(self._changing))

    def stop_recording(self) -> None:
        """End the recording."""
        status, writer = self._call(library.kugel_world_recording_stop), self._writer
        self._writer = None
        self._recorded(status, writer)

    def dump_recording(self, write: Callable[[bytes], object]) -> None:
        """Write the last ticks of a recording with ring_ticks as a recording of their own; the recording continues."""
        writer = Writer(write, self)
        self._recorded(self._call(library.kugel_world_recording_dump, writer.c, None), writer)

    @property
    def recording_error(self) -> Optional[BaseException]:
        """The error that has ended the recording before it was stopped; None while it continues, or without one."""
        status = library.kugel_world_recording_status(self._world)
        if status == api.KUGEL_ERROR_IO and self._writer and self._writer.failed:
            return self._writer.failed
        return Error(status) if status else None

    def _recorded(self, status: int, writer: Optional[Writer]) -> None:
        if status == api.KUGEL_ERROR_IO and writer and writer.failed:
            raise writer.failed
        check(status) if status == api.KUGEL_ERROR_IO else self._do(status)


def interpolate_rotations(from_: Any, to: Any, alpha: float) -> Rows:
    """Rotations (unit quaternions x, y, z, w, n x 4) between those of two ticks, on the shorter arc."""
    return between(library.kugel_interpolate_rotations, from_, to, alpha, 4)
