"""The library, its errors, and values on their way between Python and C."""
from __future__ import annotations

import ctypes
import difflib
import os
import pathlib
import reprlib
import weakref
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

import numpy
import numpy.typing

from . import api
from .forms import BITS, WORDS
from .tables import Table, row_type, table

Vector = Union[Sequence[float], numpy.typing.NDArray[Any]]
"""Three numbers."""
Rows = numpy.typing.NDArray[Any]
"""An array with a row for each body, event or result."""


class _Sized:
    """A function whose last arguments are the sizes of its structs."""

    def __init__(self, function: Any, *sizes: int) -> None:
        self.function, self.sizes, self.argtypes = function, sizes, function.argtypes[:-len(sizes)]

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments, *self.sizes)


def _load() -> ctypes.CDLL:
    beside = pathlib.Path(__file__).with_name("libkugel.so")
    # the number of the soname: before 1.0 a minor version may change the interface
    number = f"{api.KUGEL_VERSION_MAJOR}" if api.KUGEL_VERSION_MAJOR else f"0.{api.KUGEL_VERSION_MINOR}"
    name = os.environ.get("KUGEL_LIBRARY") or (str(beside) if beside.exists() else f"libkugel.so.{number}")
    loaded = ctypes.CDLL(name)
    for function, (result, arguments) in api.FUNCTIONS.items():
        getattr(loaded, function).restype = result
        getattr(loaded, function).argtypes = arguments
    for function, structs in api.SIZED.items():
        setattr(loaded, function, _Sized(getattr(loaded, function), *map(ctypes.sizeof, structs)))
    return loaded


library = _load()

WHOLE = "bBhHiIlLqQ"  # type codes of integers in ctypes
Struct = TypeVar("Struct", bound=ctypes.Structure)


class Error(ValueError):
    """The error of a refused call: `status` is the name of a KUGEL_ERROR_..., as "stale_handle" or "invalid_argument";
    `argument` names the wrong argument."""

    def __init__(self, status: int, argument: str = "", message: str = "") -> None:
        text = message or library.kugel_status_text(status).decode()
        super().__init__(f"{argument}: {text}" if argument else text)
        self.status, self.argument = WORDS["kugel_status"].get(status, ""), argument

    def __reduce__(self) -> Any:
        return Error.__new__, (type(self), *self.args), self.__dict__  # __init__ takes other arguments


class WrongType(Error, TypeError):
    """An Error about a value of a wrong type or shape, or about an unknown name."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(api.KUGEL_ERROR_INVALID_ARGUMENT, argument, message)


def invalid(argument: str, message: str) -> Error:
    """The error of an argument whose value is wrong."""
    return Error(api.KUGEL_ERROR_INVALID_ARGUMENT, argument, message)


def check(status: int, error: Any = None) -> None:
    """Raise what a kugel_error says."""
    if status != api.KUGEL_OK:
        raise Error(status, error.argument, error.message) if error else Error(status)


def check_body(status: int) -> None:
    """As check, for queries of one body, which do not set the world's last error."""
    if status != api.KUGEL_OK:
        raise Error(status, "body" if status == api.KUGEL_ERROR_STALE_HANDLE else "")


class Owner:
    """Owns a C world or player. Callbacks must not use it during the call that runs them; callbacks of queries may read it."""
    _owned: Any
    _in_call = False  # True during a call with callbacks that is no query
    _queries = 0  # number of queries that run now

    def __bool__(self) -> bool:
        """True until it is freed; a world without bodies is true."""
        return bool(self._owned)

    def _free(self) -> Any:
        """The C object; an error during a call with callbacks, and when it is freed."""
        if self._in_call or not self._owned:
            why = "is in a call; callbacks must not use it" if self._in_call else "was freed"
            raise Error(api.KUGEL_ERROR_STATE, type(self).__name__.lower(), why)
        return self._owned

    @property
    def _changing(self) -> Any:
        """The C object, for a call that changes it; an error during a query, too."""
        if self._queries:
            raise Error(api.KUGEL_ERROR_STATE, "world", "is in a query; accept must not change it")
        return self._free()

    def _query(self, function: Callable[..., int], *arguments: Any) -> int:
        """Call a query."""
        owned = self._free()
        try:
            self._queries += 1
            return function(owned, *arguments)
        finally:
            self._queries -= 1

    def _call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Call a function that makes callbacks."""
        owned = self._changing
        try:
            self._in_call = True
            return function(owned, *arguments)
        finally:
            self._in_call = False


class WorldOwner(Owner):
    """The C world that the methods of World use."""

    @property
    def _world(self) -> Any:
        return self._free()

    def _do(self, status: int) -> None:
        """Raise the error of a call of the world."""
        if status:
            check(status, library.kugel_world_last_error(self._world).contents)


def raw(name: str, data: Any, takes: str = "bytes") -> bytes:
    """The bytes of any bytes-like object; bytes() would take a number as a size."""
    try:
        return data if isinstance(data, bytes) else memoryview(data).tobytes()
    except TypeError:
        raise WrongType(name, f"takes {takes}, got {reprlib.repr(data)}") from None


def plain(name: str, kind: Any, value: Any) -> Any:
    """Convert a value for a member; ctypes would truncate integers and does not name the member."""
    if hasattr(value, "item"):
        if numpy.size(value) != 1:
            raise WrongType(name, f"takes one value, got {numpy.size(value)}")
        value = value.item()
    if isinstance(value, int) and getattr(kind, "_type_", "") in WHOLE and kind(value).value != value:
        raise invalid(name, f"{value} is no whole number of {8 * ctypes.sizeof(kind)} bits")
    if kind is ctypes.c_bool and value not in (False, True):  # ctypes accepts any text as true
        raise WrongType(name, f"takes True or False, got {value!r}")
    if isinstance(getattr(kind, "_type_", None), str) and not isinstance(value, kind):
        try:
            kind(value)
        except TypeError as error:
            raise WrongType(name, f"{error}, got {value!r}") from None
        except OverflowError:  # a whole number above 2^1024
            raise invalid(name, "is too large") from None
    return value


def number(name: str, value: Any) -> Any:
    """A double for C."""
    return plain(name, ctypes.c_double, value)


def numbers(name: str, values: Any, *shape: int, one: bool = False) -> Rows:
    """An array of doubles of a shape, without gaps. A length of -1 is any; an empty list has no rows. `one`: a row alone is taken, too."""
    wanted = f"takes an array of {' x '.join('n' if length < 0 else str(length) for length in shape)} numbers"
    try:
        given = numpy.asarray(values)
        if given.dtype.kind not in "fiubO":  # numpy reads numbers from texts
            raise TypeError
        rows = numpy.asarray(given, numpy.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise WrongType(name, f"{wanted}, got {reprlib.repr(values)}") from None
    if rows.shape == (0,):
        rows = numpy.empty((0, *(max(length, 0) for length in shape[1:])))
    if one and rows.ndim == len(shape) - 1:
        rows = rows[None]
    if rows.ndim != len(shape) or any(length not in (-1, found) for length, found in zip(shape, rows.shape)):
        raise WrongType(name, f"{wanted}, got one of shape {given.shape}")
    return rows


def handle_of(name: str, handle: Any) -> Any:
    """A handle for C."""
    return plain(name, ctypes.c_uint64, handle)


def enumerator(name: str, enum: str, value: Any) -> Any:
    """The number of an enumerator that is given by its name; other values stay as they are."""
    if not isinstance(value, str):
        return value
    words = api.ENUMS[enum]
    if value not in words:
        raise invalid(name, f"{value!r} is none of {', '.join(map(repr, words))}")
    return words[value]


GIVEN_BITS = {"targets": "kugel_targets", **BITS}
"""The members that are bits and may be given as names."""


def bits_of(name: str, enum: str, values: Any) -> Any:
    """The bits of one name or several; numbers stay as they are."""
    if isinstance(values, str):
        values = (values,)
    if not isinstance(values, (tuple, list, set, frozenset)):
        return values
    bits = 0
    for value in values:
        bits |= plain(name, ctypes.c_uint32, enumerator(name, enum, value))
    return bits


def _array(name: str, enum: str, kind: Any, value: Any) -> Any:
    """A sequence, or the name of one enumerator for all items."""
    if enum and isinstance(value, str):
        value = [value] * kind._length_
    return kind(*(plain(name, kind._type_, enumerator(name, enum, x) if enum else x) for x in items_of(name, value, kind._length_)))


def _hint(name: str, members: Mapping[str, Any]) -> str:
    """Where a member may be that a struct lacks: under a similar name, or in a struct inside."""
    for inside, kind in members.items():
        if name in (member for member, *_ in getattr(kind, "_fields_", ())):
            return f"; did you mean {inside}=dict({name}=...)?"
    near = difflib.get_close_matches(name, members, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def default(kind: Any) -> Any:
    """The struct that the default function of its type returns."""
    made = kind()
    getattr(library, f"{kind.__name__}_init")(made, ctypes.sizeof(made))
    return made


def fill(struct: Struct, values: Mapping[str, Any], path: str = "") -> Struct:
    """Set members by name; sequences for arrays, dicts for structs, names for enumerators. `path`: of a struct inside another."""
    members: dict[str, Any] = {name: kind for name, kind, *_ in struct._fields_ if name not in ("cookie", "code")}  # what defaults set
    enums = getattr(struct, "_enums_", {})
    for name, value in values.items():
        argument, enum = path + name, enums.get(name, "")
        if name in GIVEN_BITS:
            value = bits_of(argument, GIVEN_BITS[name], value)
        if name not in members:
            raise WrongType(argument, f"{type(struct).__name__} has no {name!r}{_hint(name, members)}")
        if isinstance(value, dict) and issubclass(members[name], ctypes.Structure):
            fill(getattr(struct, name), value, f"{argument}.")
        elif issubclass(members[name], ctypes.Structure) and not isinstance(value, members[name]):
            raise WrongType(argument, f"takes a dict, got {value!r}")
        elif issubclass(members[name], ctypes.Array):
            setattr(struct, name, _array(argument, enum, members[name], value))
        else:
            setattr(struct, name, plain(argument, members[name], enumerator(argument, enum, value) if enum else value))
    return struct


def items_of(name: str, values: Any, count: int) -> list[Any]:
    """The items of a sequence of `count` values."""
    if isinstance(values, (Mapping, set)) or not numpy.iterable(values):
        raise WrongType(name, f"takes {count} values, got {values!r}")
    items = list(values)
    if len(items) != count:
        raise WrongType(name, f"takes {count} values, got {len(items)}: {values!r}")
    return items


def doubles(name: str, values: Vector, count: int = 3) -> Any:
    """`count` doubles for C."""
    items, kind = items_of(name, values, count), ctypes.c_double
    try:
        return (kind * count)(*items)
    except (TypeError, OverflowError):  # plain() names the argument
        return (kind * count)(*(plain(name, kind, item) for item in items))


def items_at(pointer: Any, count: int, kind: Any, owner: object, copy: bool) -> Rows:
    """An array of `count` items at a pointer: a copy, or a read-only view that keeps `owner` alive."""
    array, copy = numpy.empty(0, row_type(kind)), plain("copy", ctypes.c_bool, copy)
    if count:
        memory = (kind * count).from_address(ctypes.cast(pointer, ctypes.c_void_p).value)
        memory._owner = owner
        array = numpy.frombuffer(memory, row_type(kind))
        array = array.copy() if copy else array
    array.flags.writeable = copy
    return array


def address(array: Rows, kind: Any = None) -> Any:
    """A pointer to the first item of an array, of this C type or that of its items."""
    return array.ctypes.data_as(ctypes.POINTER(kind or numpy.ctypeslib.as_ctypes_type(array.dtype)))


def query_error(status: int, names: str) -> Error:
    """The error of a query, which cannot tell which of the named arguments is wrong."""
    return Error(status, "" if status == api.KUGEL_ERROR_OUT_OF_MEMORY else names)


def all_results(call: Callable[[int, Any, Any], int], kind: Any, names: str) -> Table:
    """All results of a call that writes up to `capacity` rows and counts all. `names`: the arguments that an error names."""
    capacity, count = 64, ctypes.c_size_t()
    while True:
        rows = table(capacity, kind)
        if status := call(capacity, address(rows, kind), count):
            raise query_error(status, names)
        if count.value <= capacity:
            found: Table = rows[:count.value]
            return found
        capacity = count.value


def between(call: Callable[..., int], from_: Any, to: Any, alpha: float, width: int) -> Rows:
    """Rows between those of two ticks by call(count, from, to, alpha, out); n x width each."""
    first, last = numbers("from_", from_, -1, width), numbers("to", to, -1, width)
    if len(first) != len(last):
        raise WrongType("from_ and to", f"take arrays n x {width}, got {first.shape} and {last.shape}")
    out = numpy.empty_like(first)
    if status := call(len(first), address(first), address(last), number("alpha", alpha), address(out)):
        raise Error(status, "alpha", "must be in [0, 1]")
    return out


class Writer:
    """A callback for C that passes bytes on; an exception of `write` is kept, as it must not pass through C. Any call that
    changes the world may call it, so it refuses the world's use by itself."""

    def __init__(self, write: Callable[[bytes], object], recorded: Owner) -> None:
        if not callable(write):
            raise WrongType("write", f"is called as write(data), got {write!r}")
        self.failed: Optional[BaseException] = None
        reference = weakref.ref(recorded)  # the world refers to this

        def take(user: Any, data: Any, size: int) -> bool:
            world = reference()
            owner = Owner() if world is None else world  # the world is being destroyed
            before = owner._in_call
            try:
                owner._in_call = True
                write(ctypes.string_at(data, size))
            except BaseException as error:  # also KeyboardInterrupt, which C would swallow
                self.failed = error
            finally:
                owner._in_call = before
            return self.failed is None

        self.c = dict((name, kind) for name, kind, *_ in api.kugel_recording_def._fields_)["write"](take)  # type: ignore[operator]


def _passes(answer: object) -> bool:
    """What a callback's answer means: one that returns nothing lets all pass."""
    return answer is None or bool(answer)


class PairFilter:
    """A callback for C; `decide(pair, key)` may change the numbers of the kugel_pair; False excludes
    the pair, None does not. An exception ends the call, which leaves the world as it was."""

    def __init__(self, decide: Optional[Callable[[api.kugel_pair, int], object]]) -> None:
        if decide is not None and not callable(decide):
            raise WrongType("decide", f"is called as decide(pair, key), got {decide!r}")
        self.failed: Optional[BaseException] = None
        self._decide = decide
        kind: Any = dict((name, kind) for name, kind, *_ in api.kugel_pair_filter._fields_)["decide"]
        self.c = kind(self._ask) if decide is not None else kind()

    def _ask(self, user: Any, key: int, pair: Any) -> bool:
        if self.failed:
            return True
        try:
            assert self._decide is not None
            return _passes(self._decide(pair.contents, key))
        except BaseException as error:
            self.failed = self.failed or error  # another thread may have kept one
            pair.contents.failed = True
            return True

    def check(self) -> None:
        """Raise what decide raised, once."""
        failed, self.failed = self.failed, None
        if failed:
            raise failed


class Filter:
    """A kugel_filter from keyword arguments; `accept(target, handle)` may be any callable, `targets` names of kugel_targets."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.failed: Optional[BaseException] = None
        values = dict(given)
        accept = values.pop("accept", None)
        self.c = fill(default(api.kugel_filter), values)
        if accept is not None:
            kind: Any = dict((name, kind) for name, kind, *_ in api.kugel_filter._fields_)["accept"]
            self.c.accept = self._kept = kind(lambda user, target, handle: self._ask(accept, target, handle))

    def _ask(self, accept: Callable[[str, int], object], target: int, handle: int) -> bool:
        try:
            return not self.failed and _passes(accept(WORDS["kugel_target"][target], handle))
        except BaseException as error:
            self.failed = error
            return False

    def check(self, status: int, names: str) -> None:
        """Raise what accept raised, or the error of the query, one of whose arguments is wrong."""
        if self.failed:
            raise self.failed
        if status:
            raise query_error(status, names)
