"""Members of the C structs as Python reads them: arrays as arrays of numpy on the struct's memory, enumerators as their
names, texts as str. Importing this module changes the structs of api.py, which has plain ctypes."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy

from . import api

WORDS = {enum: {number: word.removeprefix("error_") for word, number in numbers.items()} for enum, numbers in api.ENUMS.items()}
"""The names of enumerators by their numbers: "wall" of KUGEL_FACE_WALL, "io" of KUGEL_ERROR_IO."""
BITS = {"locks": "kugel_locks"}
"""The members that are bits and are read as names, with the enum that has these."""
ENUM_MEMBERS: dict[str, str] = {}
"""The enum of each member that has one; in all structs a name has one enum."""


class _Member:
    """A member in another form than that of ctypes."""

    def __init__(self, member: Any, form: Any) -> None:
        self.member, self.offset, self.form = member, member.offset, form  # form: the enum, or numpy's type of the items

    def __get__(self, struct: Any, kind: object) -> Any:
        return self if struct is None else self.read(self.member.__get__(struct))

    def __set__(self, struct: Any, value: Any) -> None:
        self.member.__set__(struct, value)

    def read(self, value: Any) -> Any:
        raise NotImplementedError


class _Text(_Member):
    def read(self, value: Any) -> Any:
        return value.decode()


class _Numbers(_Member):
    def read(self, value: Any) -> Any:
        return numpy.frombuffer(value, self.form)


class _Word(_Member):
    def read(self, value: Any) -> Any:
        return WORDS[self.form][value]


class _Words(_Member):
    def read(self, value: Any) -> Any:
        words = numpy.array([WORDS[self.form][number] for number in value])
        words.flags.writeable = False  # they are a copy
        return words


def words_of_bits(enum: str, value: int) -> tuple[str, ...]:
    """The names of the bits that are set, without those of combinations."""
    return tuple(word for bit, word in WORDS[enum].items() if not bit & (bit - 1) and value & bit)


class _Bits(_Member):
    def read(self, value: Any) -> Any:
        return words_of_bits(self.form, value)


def _form(name: str, kind: Any, struct: Any) -> Any:
    """The member of a struct in its form, or None."""
    member, enum, is_array = struct.__dict__[name], struct._enums_.get(name), issubclass(kind, ctypes.Array)
    if name in BITS:
        return _Bits(member, BITS[name])
    if enum and struct is not api.kugel_error:  # Error has the name of a status
        return _Words(member, enum) if is_array else _Word(member, enum)
    if is_array:
        return _Text(member, None) if kind._type_ is ctypes.c_char else _Numbers(member, numpy.dtype(kind._type_))
    return None


def _set_forms() -> None:
    for struct in list(vars(api).values()):
        if not (isinstance(struct, type) and issubclass(struct, api._Struct)):
            continue
        ENUM_MEMBERS.update(struct._enums_)
        for name, kind, *_ in getattr(struct, "_fields_", ()):
            if form := _form(name, kind, struct):
                setattr(struct, name, form)


_set_forms()
