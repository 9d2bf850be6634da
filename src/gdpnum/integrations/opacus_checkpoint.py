"""What an Opacus checkpoint says about privacy, read without running anything in it.

A checkpoint is a pickle, and a pickle is a program: loading one runs what it names. Here every name
stands for an inert object, so nothing is imported and nothing runs, whoever wrote the file. What
would take all memory is refused before it is read. Tensors are skipped; a large checkpoint is read
as quickly as a small one, and torch is not needed.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from gdpnum.errors import InvalidArgument
from gdpnum.integrations.pickle_scan import MOST_BYTES, end_of_pickle

__all__ = ["KEY", "checkpoint_state"]

KEY = "privacy_accountant_state_dict"

_ADVICE = "pass a file that PrivacyEngine.save_checkpoint wrote"

# Files from before torch 1.6 are pickles in a row: a magic number, a version, the system, the data.
_PICKLES_IN_A_ROW = 4

# Different names of classes and functions in one file; a checkpoint has some ten.
_MOST_NAMES = 1000

# How numpy names its number types, and how struct does.
_NUMBERS = {"f8": "<d", "f4": "<f", "f2": "<e", "i8": "<q", "i4": "<i"}


def checkpoint_state(file: str | os.PathLike[str] | IO[bytes]) -> Mapping[str, Any]:
    """The accountant's state in a checkpoint, whichever version of Opacus saved it.

    Numbers, strings, lists and dicts come as they are, numpy's numbers as plain ones, anything else
    as an inert object.
    """
    if isinstance(file, (str, os.PathLike)):
        with Path(file).open("rb") as opened:
            return _state(opened, os.fspath(file))
    return _state(file, getattr(file, "name", "the given file"))


def _state(file: IO[bytes], name: object) -> Mapping[str, Any]:
    try:
        found = _data(file)
    # A damaged pickle may raise anything at all.
    except Exception as error:
        raise InvalidArgument(
            f"{name} cannot be read as a checkpoint ({error!r}); {_ADVICE}"
        ) from None
    state = found.get(KEY) if isinstance(found, dict) else None
    if not isinstance(state, dict):
        raise InvalidArgument(f"{name} holds no {KEY!r}; {_ADVICE}")
    return state


def _data(file: IO[bytes]) -> object:
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            for entry in archive.namelist():
                if entry == "data.pkl" or entry.endswith("/data.pkl"):
                    with archive.open(entry) as pickled:
                        return _loaded(_start(pickled), 0)[0]
        raise pickle.UnpicklingError("the archive has no data.pkl")
    file.seek(0)
    # The tensors come last; what is cut off are they, or it is no checkpoint.
    start, end = file.read(MOST_BYTES), 0
    found: object = None
    for _ in range(_PICKLES_IN_A_ROW):
        found, end = _loaded(start, end)
        if isinstance(found, dict) and KEY in found:
            break
    return found


def _start(pickled: IO[bytes]) -> bytes:
    """All of it, unless it is more than any checkpoint has; a small archive may unpack to much."""
    data = pickled.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise pickle.UnpicklingError(f"its data.pkl has more than {MOST_BYTES} bytes")
    return data


def _loaded(data: bytes, start: int) -> tuple[object, int]:
    """The pickle that starts there, and where it ends."""
    end = end_of_pickle(data, start)
    return _InertUnpickler(io.BytesIO(data[start:end])).load(), end


class _InertUnpickler(pickle.Unpickler):
    """Builds lists, dicts and numbers; whatever a pickle names by import becomes inert."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file)
        # Made afresh for each file: a pickle can write to the classes it gets hold of.
        self._stand_ins: dict[tuple[str, str], Any] = {
            ("collections", "OrderedDict"): type("OrderedDict", (dict,), {}),
            ("numpy", "dtype"): type("dtype", (_DType,), {}),
            ("numpy.core.multiarray", "scalar"): _number,
            ("numpy._core.multiarray", "scalar"): _number,
            ("_codecs", "encode"): _encoded,
        }

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        name = (module_name, global_name)
        if name not in self._stand_ins:
            if len(self._stand_ins) > _MOST_NAMES:
                raise pickle.UnpicklingError(f"it names more than {_MOST_NAMES} things")
            self._stand_ins[name] = type(".".join(name), (_Inert,), {})
        return self._stand_ins[name]

    def persistent_load(self, pid: object) -> None:
        """Skip the data of tensors."""


class _Inert:
    """Takes whatever it is given and does nothing with it."""

    def __init__(self, *args: object, **kwargs: object) -> None: ...

    def __new__(cls, *args: object, **kwargs: object) -> _Inert:  # noqa: ARG004
        return super().__new__(cls)

    def __setstate__(self, state: object) -> None: ...

    def __setitem__(self, key: object, value: object) -> None: ...

    def append(self, item: object) -> None: ...

    def extend(self, items: object) -> None: ...

    def add(self, item: object) -> None: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, not loaded>"


class _DType(_Inert):
    """Numpy's dtype, as far as its name and byte order go."""

    format: str | None = None

    def __init__(self, code: object = None, *_: object) -> None:
        self._code = code

    def __setstate__(self, state: object) -> None:
        # (version, byte order, ...)
        if isinstance(state, tuple) and state[1:2] == ("<",) and isinstance(self._code, str):
            self.format = _NUMBERS.get(self._code)


def _number(dtype: object = None, data: object = None) -> object:
    """A number that numpy saved; the history has one where its user computed with numpy."""
    if isinstance(dtype, _DType) and isinstance(dtype.format, str) and isinstance(data, bytes):
        return struct.unpack(dtype.format, data)[0]
    return type("numpy.number", (_Inert,), {})()


def _encoded(text: object = "", *_: object) -> bytes:
    """Bytes, which old pickles write as text in Latin 1."""
    return text.encode("latin1") if isinstance(text, str) else b""
