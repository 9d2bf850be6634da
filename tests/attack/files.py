"""Hostile files for every reader: an error of the library's, in a moment, whatever is in them."""

from __future__ import annotations

import io
import pickle
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from typer.testing import CliRunner

import gdpnum as g
from gdpnum.cli import app
from tests.attack.ledger import Ledger

DEEP = 100_000


def _nine(i: int) -> str:
    return ", ".join([f"*x{i - 1}"] * 9) if i else "1"


TEXTS: dict[str, str] = {
    "empty": "",
    "null bytes": "\x00" * 1000,
    "deep lists": "[" * DEEP + "]" * DEEP,
    "deep objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "a number of many digits": "1" * 10_000,
    "an exponent of many digits": "1e" + "9" * 5000,
    "not a number": '{"mu": NaN}',
    "a list": "[1, 2, 3]",
    "a text": '"statement"',
    "null": "null",
    "a million columns": ",".join("a" * 1_000_000),
    "a column of quotes": '"' * 100_001,
    "YAML that refers to itself": "a: &a [*a]",
    "YAML that doubles": "\n".join(f"x{i}: &x{i} [{_nine(i)}]" for i in range(9)),
    "YAML that makes objects": "!!python/object/apply:os.system ['true']",
    "HTML": "<script>alert(1)</script>",
    "scores that are none": "score,included\nnan,1\ninf,0\n1e999,2\n,\n",
    "settings that are none": "noise_multiplier,sample_rate,steps\n-1,2,1e400\nnan,nan,nan\n",
    "surrogates": "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
}  # fmt: skip


def attack_files(ledger: Ledger, seed: int) -> None:
    """Every text to every reader of texts, every archive to the reader of checkpoints, and PLDs."""
    readers: dict[str, Callable[[str], Any]] = {
        "Statement.from_json": g.Statement.from_json,
        "TradeoffCurve.from_json": g.TradeoffCurve.from_json,
        "Budget.from_json": g.Budget.from_json,
        "RenyiBudget.from_json": g.RenyiBudget.from_json,
        "AuditResult.from_json": g.AuditResult.from_json,
        "from_registry": g.from_registry,
        "verify": g.verify,
    }
    for name, text in TEXTS.items():
        for reader, read in readers.items():
            ledger.attempt("files", f"{reader} of {name}", lambda r=read, t=text: _refused(r, t))
        for command in (["verify"], ["audit"], ["sweep"], ["report"], ["opacus"]):
            ledger.attempt(
                "files", f"gdpnum {command[0]} of {name}", lambda c=command, t=text: _typed(c, t)
            )
    for name, data in _archives(np.random.default_rng([seed, 3])).items():
        ledger.attempt("files", f"checkpoint: {name}", lambda d=data: _refused(_checkpoint, d))
    for name, pld in _distributions().items():
        ledger.attempt("files", f"PLD: {name}", lambda p=pld: _refused(g.from_pld, p))


def _refused(read: Callable[[Any], Any], content: Any) -> Iterator[str]:
    answer = read(content)
    yield f"BELIEVED: {str(answer)[:150]}"


def _typed(command: list[str], text: str) -> Iterator[str]:
    """The command line ends with a message and a status, not with a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.csv"
        path.write_text(text, encoding="utf-8", errors="replace")
        found = CliRunner().invoke(app, [*command, str(path)])
    if found.exit_code == 0:
        yield f"BELIEVED: {found.output[:150]}"
    if found.exception is not None and not isinstance(found.exception, SystemExit | g.GdpnumError):
        yield f"BARE: {type(found.exception).__name__}: {str(found.exception)[:150]}"


def _checkpoint(data: bytes) -> Any:
    return g.from_opacus(io.BytesIO(data))


def _archives(rng: np.random.Generator) -> dict[str, bytes]:
    honest = pickle.dumps({"privacy_accountant_state_dict": {"history": "none", "mechanism": 1}})
    found = {"nothing": b"", "noise": rng.bytes(5000), "a zip of nothing": _zipped({})}
    found["a deep tuple as a key"] = _zipped(
        {"a/data.pkl": b"\x80\x02})" + b"\x85" * 300_000 + b"Ns."}
    )
    found["a bomb"] = _zipped({"a/data.pkl": b"\x00" * 200_000_000})
    found["a call"] = _zipped({"a/data.pkl": b"cos\nsystem\n(S'true'\ntR."})
    found["cut short"] = _zipped({"a/data.pkl": honest})[:-30]
    for number in range(200):
        mutated = bytearray(honest)
        for _ in range(int(rng.integers(1, 6))):
            mutated[int(rng.integers(len(mutated)))] = int(rng.integers(256))
        found[f"mutated pickle {number}"] = _zipped({"a/data.pkl": bytes(mutated)})
    return found


def _zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def _distributions() -> dict[str, Any]:
    """Privacy loss distributions of which one number is nonsense."""
    found = {}
    for field, values in {
        "_discretization": (float("nan"), -1.0, 0.0, float("inf"), "a", None),
        "_infinity_mass": (float("nan"), 2.0, "a", float("inf")),
        "_loss_probs": (
            {1: float("nan")},
            {1: 5.0},
            {},
            {"a": 1.0},
            {float("nan"): 1.0},
            {1: -1.0},
        ),
    }.items():
        for value in values:
            masses = {
                "_loss_probs": {1: 0.75, -1: 0.25},
                "_infinity_mass": 0.0,
                "_discretization": 1.0986,
            }
            one = SimpleNamespace(**{**masses, field: value})
            found[f"{field}={value!r}"] = SimpleNamespace(
                _pmf_remove=one, _pmf_add=one, _symmetric=True
            )
    return found
