"""A pickle's lists, dicts, texts and numbers, read without unpickling it.

A pickle is a program for a small machine. Here its instructions are taken apart by ``pickletools``
and followed on a list, where nothing is imported, called or allocated that the file does not hold:
what a pickle names by import becomes an `Inert` object, and so does what it would build of it. What
would take all memory or patience is refused, or passed over.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable
from pickle import UnpicklingError
from typing import IO, Any

# How numpy names its number types, and how struct does.
_NUMBERS = {"f8": "<d", "f4": "<f", "f2": "<e", "i8": "<q", "i4": "<i"}

# Different names of classes and functions in one file; a checkpoint has some ten.
_MOST_NAMES = 1000

# Some two seconds of reading; a checkpoint has a few dozen for each tensor.
_MOST_INSTRUCTIONS = 2_000_000

# Whole numbers of more than 64 bits, which may all have one hash; a random generator has a few.
_MOST_HUGE_NUMBERS = 1000

# Old pickles write the few bytes of a number as text; longer ones would be copied time and again.
_LONGEST_BYTES = 64

_SCALARS = (str, bytes, int, float, type(None))


class Inert:
    """What stands for anything that a pickle would import, call or build."""

    def __init__(self, name: str, arguments: tuple[Any, ...] = ()) -> None:
        self.name, self.arguments = name, arguments
        self.is_little_endian = False

    def __repr__(self) -> str:
        return f"<{self.name}, not loaded>"


def read_pickle(file: IO[bytes]) -> object:
    """What the next pickle in a file holds; raises `pickle.UnpicklingError` if it is damaged."""
    machine, huge = _Machine(), 0
    try:
        for number, (opcode, argument, _) in enumerate(pickletools.genops(file)):
            if number >= _MOST_INSTRUCTIONS:
                raise UnpicklingError(f"it has more than {_MOST_INSTRUCTIONS} instructions")
            huge += isinstance(argument, int) and argument.bit_length() > 64
            if huge > _MOST_HUGE_NUMBERS:
                raise UnpicklingError("it has too many numbers of more than 64 bits")
            machine.follow(opcode.name, argument)
        return machine.stack.pop()
    except (IndexError, KeyError, TypeError, AttributeError, ValueError, struct.error) as error:
        raise UnpicklingError(f"a damaged pickle: {error}") from None


class _Machine:
    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._marks: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._names: set[str] = set()

    def follow(self, name: str, argument: Any) -> None:
        if name in _IGNORED:
            return
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _MADE:
            self.stack.append(_MADE[name]())
        elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
            self._memo[argument] = self.stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            self.stack.append(self._memo[argument])
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            self._tuple_of(int(name[-1]))
        else:
            step = getattr(self, f"_{name.lower()}", None)
            if step is None:
                raise UnpicklingError(f"the instruction {name} is not known")
            step(argument)

    def _since_mark(self) -> list[Any]:
        since, self.stack = self.stack, self._marks.pop()
        return since

    # --- the stack ------------------------------------------------------------------------------

    def _mark(self, _: Any) -> None:
        self._marks.append(self.stack)
        self.stack = []

    def _pop(self, _: Any) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self._since_mark()

    def _pop_mark(self, _: Any) -> None:
        self._since_mark()

    def _dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def _memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self.stack[-1]

    # --- containers -----------------------------------------------------------------------------

    def _list(self, _: Any) -> None:
        found = self._since_mark()
        self.stack.append(found)

    def _tuple(self, _: Any) -> None:
        found = tuple(self._since_mark())
        self.stack.append(found)

    def _tuple_of(self, count: int) -> None:
        if len(self.stack) < count:
            raise IndexError("the stack is too short")
        self.stack[-count:] = [tuple(self.stack[-count:])]

    def _dict(self, _: Any) -> None:
        found: dict[Any, Any] = {}
        items = self._since_mark()
        _set_items(found, items)
        self.stack.append(found)

    def _append(self, _: Any) -> None:
        item = self.stack.pop()
        self._extend([item])

    def _appends(self, _: Any) -> None:
        self._extend(self._since_mark())

    def _extend(self, items: list[Any]) -> None:
        if isinstance(self.stack[-1], list):
            self.stack[-1].extend(items)

    def _setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        _set_items(self.stack[-1], [key, value])

    def _setitems(self, _: Any) -> None:
        items = self._since_mark()
        _set_items(self.stack[-1], items)

    def _additems(self, _: Any) -> None:
        self._since_mark()

    def _frozenset(self, _: Any) -> None:
        self._since_mark()
        self.stack.append(Inert("frozenset"))

    # --- names and what would be called ---------------------------------------------------------

    def _named(self, name: str) -> Inert:
        self._names.add(name)
        if len(self._names) > _MOST_NAMES:
            raise UnpicklingError(f"it names more than {_MOST_NAMES} things")
        return Inert(name)

    def _global(self, argument: str) -> None:
        self.stack.append(self._named(argument.replace(" ", ".", 1)))

    def _stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if not (isinstance(name, str) and isinstance(module, str)):
            raise UnpicklingError("a name that is no text")
        self.stack.append(self._named(f"{module}.{name}"))

    def _reduce(self, _: Any) -> None:
        arguments, called = self.stack.pop(), self.stack.pop()
        self.stack.append(_built(called, arguments))

    _newobj = _reduce

    def _newobj_ex(self, _: Any) -> None:
        self.stack.pop()
        self._reduce(None)

    def _obj(self, _: Any) -> None:
        called, *arguments = self._since_mark()
        self.stack.append(_built(called, tuple(arguments)))

    def _inst(self, argument: str) -> None:
        arguments = tuple(self._since_mark())
        self.stack.append(_built(self._named(argument.replace(" ", ".", 1)), arguments))

    def _build(self, _: Any) -> None:
        state = self.stack.pop()
        made = self.stack[-1]
        # (version, byte order, ...)
        if isinstance(made, Inert) and isinstance(state, tuple) and state[1:2] == ("<",):
            made.is_little_endian = True

    def _persid(self, _: Any) -> None:
        # The data of tensors is skipped.
        self.stack.append(None)

    def _binpersid(self, _: Any) -> None:
        self.stack[-1] = None


_IGNORED = {"PROTO", "FRAME", "STOP", "READONLY_BUFFER"}
_PUSHED = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
    *("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "BYTEARRAY8"),
}
_MADE: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_TUPLE": tuple,
    "EMPTY_SET": lambda: Inert("set"),
    "NEXT_BUFFER": lambda: Inert("buffer"),
    **{f"EXT{size}": lambda: Inert("extension") for size in (1, 2, 4)},
}


def _set_items(found: object, items: list[Any]) -> None:
    if isinstance(found, dict):
        for key, value in zip(items[::2], items[1::2], strict=True):
            # Nested tuples that hold each other twice take for ever to hash.
            if isinstance(key, _SCALARS):
                found[key] = value


def _built(called: object, arguments: object) -> Any:
    given = arguments if isinstance(arguments, tuple) else ()
    name = called.name if isinstance(called, Inert) else "object"
    if name == "collections.OrderedDict":
        return {}
    if name in ("numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar"):
        return _number(*given[:2]) if len(given) >= 2 else Inert(name)
    if name == "_codecs.encode" and given and isinstance(given[0], str):
        # Bytes, which old pickles write as text in Latin 1.
        return given[0][:_LONGEST_BYTES].encode("latin1")
    return Inert(name, given)


def _number(dtype: object, data: object) -> object:
    """A number that numpy saved; the history has one where its user computed with numpy."""
    if isinstance(dtype, Inert) and dtype.is_little_endian and isinstance(data, bytes):
        code = dtype.arguments[0] if dtype.arguments else None
        if isinstance(code, str) and code in _NUMBERS:
            return struct.unpack(_NUMBERS[code], data)[0]
    return Inert("numpy.number")
