"""Arrays of C structs: events, states, results of queries."""
from __future__ import annotations

import functools
from typing import Any

import numpy
import numpy.typing

from .forms import BITS, ENUM_MEMBERS, WORDS, words_of_bits


class Row(numpy.void):
    """One row of a Table: row["speed"]. Enumerators and locks are read as their names."""

    def __getitem__(self, member: Any) -> Any:
        value = super().__getitem__(member)
        name = member if isinstance(member, str) or not self.dtype.names else self.dtype.names[member]
        if name in BITS:
            return words_of_bits(BITS[name], int(value))
        return WORDS[ENUM_MEMBERS[name]][int(value)] if name in ENUM_MEMBERS else value

    def __repr__(self) -> str:
        return f"Row({', '.join(f'{name}={self[name]!r}' for name in self.dtype.names or ())})"

    __str__ = __repr__


class Table(numpy.ndarray[Any, numpy.dtype[Any]]):
    """An array with a row for each event, body or result, and the members of a C struct as columns: rows["speed"]. It
    is true if it has rows. Enumerators are read as an array of their names: rows["target"] == "surface"; this costs 10 ns
    a row. rows["locks"] has bits. rows.view(numpy.ndarray) has their numbers."""
    __array_priority__ = 1.0  # concatenated Tables are one

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if not isinstance(found, Table):
            return found
        if found.dtype.names:
            return found.view(row_type(found.dtype))
        column = found.view(numpy.ndarray)
        return _names(key)[column] if isinstance(key, str) and key in ENUM_MEMBERS else column

    def __bool__(self) -> bool:
        return len(self) > 0 if self.dtype.names else bool(self.view(numpy.ndarray))

    def _named(self) -> numpy.typing.NDArray[Any]:
        """An array with the names of enumerators."""
        columns = {name: self[name] for name in self.dtype.names or ()}
        named = numpy.empty(self.shape, [(name, column.dtype, column.shape[self.ndim:]) for name, column in columns.items()])
        for name, column in columns.items():
            named[name] = column
        return named

    def tolist(self) -> Any:
        return self._named().tolist()

    def __repr__(self) -> str:
        return repr(self._named()).replace("array", "Table", 1) if self.dtype.names else repr(self.view(numpy.ndarray))

    def __str__(self) -> str:
        return str(self._named()) if self.dtype.names else str(self.view(numpy.ndarray))


@functools.lru_cache(None)
def _names(member: str) -> numpy.typing.NDArray[Any]:
    """The names of the enumerators of a member, by their numbers."""
    return numpy.array(list(WORDS[ENUM_MEMBERS[member]].values()))


@functools.lru_cache(None)
def row_type(kind: Any) -> Any:
    """The type of the items of an array: those of structs are Rows."""
    dtype = numpy.dtype(kind)
    return numpy.dtype((Row, dtype)) if dtype.names else dtype


def table(count: int, kind: Any) -> Table:
    """A Table of structs with `count` rows that are not set."""
    return numpy.empty(count, row_type(kind)).view(Table)
