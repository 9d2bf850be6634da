"""Files: read with a clear word if that fails, written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from gdpnum.errors import InvalidArgument

# More than ten million scores; read as a table it takes some six times that.
_LONGEST = 2**28


class InFile(InvalidArgument):
    """Something in a file is wrong: the words of the message are those of the file."""


def read_text(path: str) -> str:
    """The text of a file, or of standard input for "-"."""
    label = path if path.strip() else repr(path)
    try:
        if path == "-":
            text = sys.stdin.read(_LONGEST + 1)
        else:
            with Path(path).open("rb") as file:
                text = file.read(_LONGEST + 1).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidArgument(f"{label} is not text in UTF-8; pass a text file") from None
    except (OSError, ValueError) as error:  # a name with a null byte is none
        why = getattr(error, "strerror", None) or error
        raise InvalidArgument(f"{label} cannot be read ({why}); pass a file that can") from None
    if len(text) > _LONGEST:
        raise InvalidArgument(f"{path} has more than {_LONGEST} characters; pass a shorter file")
    return text


def check_ending(option: str, path: Path, endings: tuple[str, ...]) -> str:
    """The ending of a file, one of those that say which form it has."""
    if path.suffix.lower() not in endings:
        raise InvalidArgument(
            f"{option} {path} does not end in {', '.join(endings[:-1])} or {endings[-1]}; "
            "the ending says which form is written"
        )
    return path.suffix.lower()


def check_installed(package: str, *, install: str) -> None:
    """Refuse, before any work, what needs a package that is not there."""
    if find_spec(package) is None:
        raise ImportError(f"this needs the package {package}; pip install {install}")


def check_writable(option: str, path: Path) -> None:
    """Refuse, before any work, a file that could not be written after it."""
    try:
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        if not _is_special(path):
            # Only writing tells: permissions say little to root, or on a network drive.
            trial = _beside(path)
            os.close(os.open(trial, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            trial.unlink()
    except OSError as error:
        raise InvalidArgument(
            f"{option} {path} cannot be written ({error.strerror}); pass a path in a folder that "
            "exists and may be written to"
        ) from None


def write(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside the given one; what is written there takes its place if all goes well."""
    if _is_special(path):
        yield path
        return
    temporary = _beside(path)
    try:
        yield temporary
        target = _target(path)
        with suppress(OSError):  # a new file has no permissions to keep
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_special(path: Path) -> bool:
    """Whether it is a device or a pipe, such as /dev/stdout: written to, never replaced."""
    return path.exists() and not path.is_file()


def _target(path: Path) -> Path:
    # Through symbolic links: the file they name is meant.
    return Path(os.path.realpath(path))


def _beside(path: Path) -> Path:
    target = _target(path)
    return target.with_name(f".{target.stem}.{os.urandom(4).hex()}{target.suffix}")
