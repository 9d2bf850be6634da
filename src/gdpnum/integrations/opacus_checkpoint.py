"""What an Opacus checkpoint says about privacy, read without running anything in it.

A checkpoint is a pickle, and a pickle is a program: loading one runs what it names. Here it is not
unpickled but taken apart (`inert_pickle`), so nothing is imported and nothing runs, whoever wrote
the file. What would take all memory is refused before it is read. Tensors are skipped; a large
checkpoint is read as quickly as a small one, and torch is not needed.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.integrations.inert_pickle import read_pickle

KEY = "privacy_accountant_state_dict"

_ADVICE = "pass a file that PrivacyEngine.save_checkpoint wrote"

#: More of a pickle than this is not read; the largest models need a few megabytes, tensors apart.
MOST_BYTES = 64 * 2**20

# Files from before torch 1.6 are pickles in a row: a magic number, a version, the system, the data.
_PICKLES_IN_A_ROW = 4


def checkpoint_state(file: str | os.PathLike[str] | IO[bytes]) -> Mapping[str, Any]:
    """The accountant's state in a checkpoint, whichever version of Opacus saved it.

    Numbers, strings, lists and dicts come as they are, numpy's numbers as plain ones, anything else
    as an inert object.
    """
    if isinstance(file, (str, os.PathLike)):
        path = Path(file)
        try:
            # A pipe would be waited for, and a device never ends.
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise OSError("it is no file")
            with path.open("rb") as opened:
                return _state(opened, os.fspath(file))
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:  # no name of a file, or one that cannot be opened
            if isinstance(error, GdpnumError):
                raise
            why = getattr(error, "strerror", None) or error
            raise InvalidArgument(
                f"source={_validate.brief(os.fspath(file))} cannot be opened ({why}); {_ADVICE}"
            ) from None
    name = getattr(file, "name", None)
    # A file without a name has a number instead.
    return _state(file, name if isinstance(name, str) else "the given file")


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
                        return read_pickle(_start(pickled))
        raise pickle.UnpicklingError("the archive has no data.pkl")
    file.seek(0)
    # The tensors come last; what is cut off are they, or it is no checkpoint.
    start = io.BytesIO(file.read(MOST_BYTES))
    found: object = None
    for _ in range(_PICKLES_IN_A_ROW):
        found = read_pickle(start)
        if isinstance(found, dict) and KEY in found:
            break
    return found


def _start(pickled: IO[bytes]) -> IO[bytes]:
    """All of it, unless it is more than any checkpoint has; a small archive may unpack to much."""
    data = pickled.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise pickle.UnpicklingError(f"its data.pkl has more than {MOST_BYTES} bytes")
    return io.BytesIO(data)
