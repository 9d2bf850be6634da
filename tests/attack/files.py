"""Hostile files for every reader: an error of the library's, in a moment, whatever is in them."""

from __future__ import annotations

import io
import json
import os
import pickle
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from typer.testing import CliRunner

import gdpnum as g
from gdpnum.cli import app
from gdpnum.cli.sources import source_of
from tests.attack.keeper import Case, keep
from tests.attack.ledger import Ledger

DEEP = 100_000


def _nine(i: int) -> str:
    return ", ".join([f"*x{i - 1}"] * 9) if i else "1"


#: Texts that are nothing anyone should believe, whoever reads them.
TEXTS: dict[str, str] = {
    "empty": "",
    "spaces": " \n\t\n" * 1000,
    "a byte order mark": "\ufeff",
    "null bytes": "\x00" * 1000,
    "deep lists": "[" * DEEP + "]" * DEEP,
    "deep objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "a deep key": '{"parts": ' + "[" * DEEP + "]" * DEEP + "}",
    "deep TOML": "a = " + "[" * DEEP + "]" * DEEP,
    "a deep TOML table": "[" + ".".join("a" * 20_000) + "]",
    "deep YAML": "\n".join(" " * i + "a:" for i in range(2000)),
    "a number of many digits": "1" * 10_000,
    "a key of many digits": '{"mu": ' + "1" * 10_000 + "}",
    "a TOML number of many digits": "dataset_size = " + "1" * 10_000,
    "an exponent of many digits": "1e" + "9" * 5000,
    "a huge count": '{"parts": [{"type": "Gaussian", "sigma": 1.0, "count": 1e400}]}',
    "a huge sigma": '{"parts": [{"type": "Gaussian", "sigma": 1e400}]}',
    "many steps": '{"parts": [{"type": "DPSGD", "noise_multiplier": 1, "sample_rate": 0.1, '
    '"steps": 1e300}]}',
    "a part that is none": '{"parts": [[[]]]}',
    "a type that is none": '{"parts": [{"type": ["Gaussian"], "sigma": 1.0}]}',
    "a curve inside": '{"parts": [{"type": "KnownCurve", "tradeoff": {"curve": "x"}}]}',
    "a run inside": '{"parts": [{"type": "BestOf", "run": [], "number": "geometric", "mean": 2}]}',
    "a name that is none": '{"name": {"a": 1}, "parts": [{"type": "Gaussian", "sigma": 1.0}]}',
    "deltas that are none": '{"deltas": 1, "parts": [{"type": "Gaussian", "sigma": 1.0}]}',
    "keys twice": '{"parts": [{"type": "Gaussian", "sigma": 9.0, "sigma": 1.0}]}',
    "not a number": '{"mu": NaN}',
    "a sigma that is not a number": '{"parts": [{"type": "Gaussian", "sigma": NaN}]}',
    "a TOML sigma that is not a number": '[[parts]]\ntype = "Gaussian"\nsigma = nan',
    "a TOML date": '[[parts]]\ntype = "Gaussian"\nsigma = 2020-01-01',
    "a list": "[1, 2, 3]",
    "a text": '"statement"',
    "null": "null",
    "a schema alone": '{"schema": "gdpnum-statement-2"}',
    "a schema that is none": '{"schema": [1]}',
    "an audit alone": '{"schema": "gdpnum-audit-1"}',
    "a curve alone": '{"curve": "piecewise", "steep": {}, "flat": null}',
    "a curve of nothing": '{"curve": "piecewise", "steep": {"epsilons": [], "log_alphas": [], '
    '"tprs": [], "mass_at_infinity": 0}, "flat": null}',
    "a curve beyond floats": '{"curve": "gaussian", "mu": 1e400, "slack": 0}',
    "a budget alone": '{"budget": "mu"}',
    "a million columns": ",".join("a" * 1_000_000),
    "a column of quotes": '"' * 100_001,
    "a cell of a million": 'score,included\n"' + "1" * 1_000_000 + '",1\n',
    "YAML that refers to itself": "a: &a [*a]",
    "YAML that doubles": "\n".join(f"x{i}: &x{i} [{_nine(i)}]" for i in range(9)),
    "YAML that makes objects": "!!python/object/apply:os.system ['true']",
    "YAML of numbers": "deployment: {privacy_loss: {privacy_parameters: {epsilon: .nan}}}",
    "YAML of lists": "deployment: [1, {privacy_loss: 3}]",
    "HTML": "<script>alert(1)</script>",
    "scores that are none": "score,included\nnan,1\ninf,0\n1e999,2\n,\n",
    "scores of NaN": "score,included\n" + "nan,1\nnan,0\n" * 20,
    "scores of one kind": "score,included\n" + "1,1\n" * 20,
    "scores of nobody": "score,included\n",
    "names twice": "score,score,included\n1,2,1\n",
    "settings that are none": "noise_multiplier,sample_rate,steps\n-1,2,1e400\nnan,nan,nan\n",
    "settings of many digits": "noise_multiplier,sample_rate,steps\n1,0.1," + "9" * 10_000 + "\n",
    "settings twice": "noise_multiplier,noise_multiplier\n1,2\n",
    "settings in JSON": '{"noise_multiplier": 1e400, "sample_rate": [], "steps": {}}',
    "surrogates": "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    "a surrogate in JSON": '{"name": "\\ud800", "parts": []}',
}  # fmt: skip

#: Bytes that are no text.
BYTES: dict[str, bytes] = {
    "not UTF-8": b"score,included\n\xff\xfe,1\n",
    "UTF-16": '{"parts": []}'.encode("utf-16"),
    "a JPEG": b"\xff\xd8\xff\xe0" + bytes(range(256)) * 10,
    "gzip": b"\x1f\x8b\x08" + b"\x00" * 100,
}

#: Commands, where a file goes in as {}.
COMMANDS = (
    *("verify {}", "audit {}", "audit {} --one-run", "audit good.csv --claim {}"),
    *("run {}", "report {}", "table {} {}", "compare {} {}", "sweep --settings {}"),
    *("sweep --noise-multiplier 1 --sample-rate 0.1 --steps 5 --workers 1 --resume {}",),
    *("opacus {}",),
)

ENDINGS = ("json", "toml", "yaml", "csv")

#: What one command may make sense of: a setting that fails is a row, and a pipe without a writer
#: is waited for by whoever names one.
SENSE = {"sweep --settings"}


def attack_files(ledger: Ledger, seed: int, until: float) -> None:
    """Every text, archive, path and object to every reader of such."""
    rng = np.random.default_rng([seed, 3])
    cases = [*_of_texts(), *_of_commands(rng), *_of_paths(), *_of_archives(rng), *_of_rows(rng)]
    cases += [
        Case(f"PLD: {name}", partial(_refused, g.from_pld, one))
        for name, one in _distributions().items()
    ]
    cases += [
        Case(f"history: {name}", partial(_refused, g.from_opacus, one))
        for name, one in _histories().items()
    ]
    cases += [
        Case(f"event: {name}", partial(_refused, _event, one)) for name, one in _events().items()
    ]
    keep(ledger, "files", cases, until)


# --- texts --------------------------------------------------------------------------------------


def _of_texts() -> Iterator[Case]:
    readers: dict[str, Callable[[str], Any]] = {
        "Statement.from_json": g.Statement.from_json,
        "TradeoffCurve.from_json": g.TradeoffCurve.from_json,
        "Budget.from_json": g.Budget.from_json,
        "RenyiBudget.from_json": g.RenyiBudget.from_json,
        "AuditResult.from_json": g.AuditResult.from_json,
        "from_registry": g.from_registry,
        "verify": g.verify,
        **{f"a .{one}": lambda text, one=one: source_of(text, f"a.{one}") for one in ENDINGS},
    }
    if find_spec("starlette"):
        from gdpnum.explore.read import uploaded

        readers["explore"] = lambda text: uploaded(
            "a.json", io.BytesIO(text.encode()), len(text), source_of
        )
    for name, text in TEXTS.items():
        for reader, read in readers.items():
            if name == "many steps":  # a run, of which there is no account
                continue
            yield Case(f"{reader} of {name}", partial(_refused, read, text))


def _of_commands(rng: np.random.Generator) -> Iterator[Case]:
    contents: dict[str, bytes] = {
        name: text.encode("utf-8", "replace") for name, text in TEXTS.items()
    }
    scores = io.BytesIO()
    np.savez_compressed(scores, scores=np.zeros(20_000_000), included=np.zeros(10))
    objects = io.BytesIO()
    np.savez(objects, scores=np.array([None, {}], dtype=object))
    contents |= {**BYTES, "npz, a bomb": scores.getvalue(), "npz of objects": objects.getvalue()}
    honest = g.statement(g.Gaussian(sigma=1.0)).to_json()
    for number in range(60):
        place = int(rng.integers(len(honest)))
        contents[f"a statement cut at {place} #{number}"] = honest[:place].encode()
    for name, content in contents.items():
        for command in COMMANDS:
            if name == "empty" and command.endswith("--resume {}"):
                continue  # where rows will be
            ending = ENDINGS[int(rng.integers(len(ENDINGS)))]
            yield Case(
                f"gdpnum {command} of {name}.{ending}", partial(_typed, command, content, ending)
            )


def _refused(read: Callable[[Any], Any], content: Any) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = read(content)
    yield f"BELIEVED: {str(answer)[:150]}"


def _typed(command: str, content: bytes, ending: str) -> Iterator[str]:
    """The command line ends with a message and a status, not with a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"hostile.{ending}"
        path.write_bytes(content)
        yield from _run(command, str(path), folder)


def _run(command: str, path: str, folder: str) -> Iterator[str]:
    (Path(folder) / "good.csv").write_text("score,included\n" + "1,1\n0,0\n" * 20)
    words = [path if one == "{}" else one for one in command.split(" ")]
    words = [str(Path(folder) / one) if one == "good.csv" else one for one in words]
    found = CliRunner().invoke(app, words)
    if found.exit_code == 0 and not any(command.startswith(one) for one in SENSE):
        yield f"BELIEVED: {found.output[:150]}"
    if found.exception is not None and not isinstance(found.exception, SystemExit | g.GdpnumError):
        yield f"BARE: {type(found.exception).__name__}: {str(found.exception)[:150]}"
    elif "Traceback" in found.output:
        yield f"TRACEBACK: {found.output[-300:]}"
    elif found.exit_code and len(found.output.strip()) < 20:
        yield f"UNCLEAR: {found.output}"


# --- paths --------------------------------------------------------------------------------------


def _of_paths() -> Iterator[Case]:
    def made(kind: str, folder: str) -> str:
        path = Path(folder) / "hostile.json"
        if kind == "a folder":
            path.mkdir()
        elif kind == "a link to itself":
            path.symlink_to(path)
        elif kind == "a link to nothing":
            path.symlink_to(path.with_name("nothing"))
        elif kind == "a pipe":
            os.mkfifo(path)
        elif kind == "a name too long":
            return str(path) + "x" * 5000
        elif kind == "nothing":
            return str(path)
        else:
            path.symlink_to(kind)
        return str(path)

    def typed(command: str, kind: str) -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            yield from _run(command, made(kind, folder), folder)

    def read(reader: Callable[[str], Any], kind: str) -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield from _refused(reader, made(kind, folder))
            except FileNotFoundError:  # which is what it is
                return

    kinds = ("a folder", "a link to itself", "a link to nothing", "a name too long", "nothing",
             "/dev/zero", "/dev/null", "/dev/full")  # fmt: skip
    for kind in kinds:
        for command in COMMANDS:
            # A sweep writes its rows to a path that holds nothing yet.
            if not (command.endswith("--resume {}") and "nothing" in kind):
                yield Case(f"gdpnum {command} of {kind}", partial(typed, command, kind))
    for kind in (*kinds, "a pipe"):
        yield Case(f"from_opacus of {kind}", partial(read, g.from_opacus, kind))
    # A pipe is waited for by commands that read text, as by any other program.
    for command in ("opacus {}", COMMANDS[9]):
        yield Case(f"gdpnum {command} of a pipe", partial(typed, command, "a pipe"))


# --- checkpoints --------------------------------------------------------------------------------


def _checkpoint(data: bytes) -> Any:
    return g.from_opacus(io.BytesIO(data))


def _of_archives(rng: np.random.Generator) -> Iterator[Case]:
    state = {"privacy_accountant_state_dict": {"history": "none", "mechanism": 1}}
    honest = pickle.dumps(state)
    found = {"nothing": b"", "noise": rng.bytes(5000), "a zip of nothing": _zipped({})}
    found["a deep tuple as a key"] = _zipped(
        {"a/data.pkl": b"\x80\x02})" + b"\x85" * 300_000 + b"Ns."}
    )
    found["deep lists"] = _zipped(
        {"a/data.pkl": b"\x80\x02" + b"]" * 300_000 + b"a" * 299_999 + b"."}
    )
    found["many marks"] = _zipped({"a/data.pkl": b"\x80\x02" + b"(" * 5_000_000 + b"."})
    found["a long number"] = _zipped({"a/data.pkl": b"\x80\x02\x8b" + b"\xff\xff\xff\x7f" + b"1"})
    found["a number of many digits"] = _zipped({"a/data.pkl": b"L" + b"9" * 100_000 + b"L\n."})
    found["a bomb"] = _zipped({"a/data.pkl": b"\x00" * 200_000_000})
    found["a bomb of lists"] = _zipped({"a/data.pkl": b"\x80\x02" + b"]" * 100_000_000 + b"."})
    found["a call"] = _zipped({"a/data.pkl": b"cos\nsystem\n(S'true'\ntR."})
    found["many files"] = _zipped({f"a/{number}": b"" for number in range(20_000)})
    found["cut short"] = _zipped({"a/data.pkl": honest})[:-30]
    found["no zip, pickles in a row"] = honest * 4
    for number in range(300):
        mutated = bytearray(honest)
        for _ in range(int(rng.integers(1, 6))):
            mutated[int(rng.integers(len(mutated)))] = int(rng.integers(256))
        found[f"mutated pickle {number}"] = _zipped({"a/data.pkl": bytes(mutated)})
    for number in range(100):
        mutated = bytearray(_zipped({"a/data.pkl": honest}))
        for _ in range(int(rng.integers(1, 6))):
            mutated[int(rng.integers(len(mutated)))] = int(rng.integers(256))
        found[f"mutated zip {number}"] = bytes(mutated)
    for name, data in found.items():
        yield Case(f"checkpoint: {name}", partial(_refused, _checkpoint, data))


def _zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


# --- rows of a sweep ----------------------------------------------------------------------------


def _of_rows(rng: np.random.Generator) -> Iterator[Case]:
    """Rows that were kept, changed: computed again, or refused, but never in the table as told."""
    settings = g.grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.1], steps=[5])

    def swept(path: Path) -> g.SweepTable:
        return g.sweep(settings, columns=["mu", "epsilon@1e-5"], workers=1, resume=path)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        wanted = swept(path)
        first, *rows = path.read_text().splitlines()
    nothing: list[Any] = [None, True, -1, "a", [], {}, 1e400, math_nan(), 10**30, "inf", "nan"]
    changed: dict[str, str] = {name: text for name, text in TEXTS.items() if name != "empty"}
    for number in range(200):
        row = json.loads(rows[int(rng.integers(len(rows)))])
        holder = row if rng.random() < 0.4 else row["row"]
        key = list(holder)[int(rng.integers(len(holder)))]
        if rng.random() < 0.2:
            del holder[key]
        else:
            holder[key] = nothing[int(rng.integers(len(nothing)))]
        changed[f"a row changed at {key} #{number}"] = json.dumps(row)

    def check(text: str) -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows"
            path.write_text(f"{first}\n{text}\n", encoding="utf-8", errors="replace")
            for one, true in zip(swept(path), wanted, strict=True):
                for key, value in true.items():
                    told = one.get(key)
                    # Another number, or a failure told in full, is what might have been.
                    is_number = type(told) in (int, float) and told >= 0.0
                    is_failure = one["error"] is not None and told in (None, one["error"])
                    if (
                        told != value
                        and not (isinstance(value, float) and is_number)
                        and not is_failure
                    ):
                        yield f"BELIEVED: {key} is {told!r}, but {value!r}"

    for name, text in changed.items():
        yield Case(f"rows: {name}", partial(check, text))


def math_nan() -> float:
    """NaN, which JSON of Python writes."""
    return float("nan")


# --- objects of other packages ------------------------------------------------------------------


def _histories() -> dict[str, Any]:
    """Histories, and states, of which something is nonsense."""
    good = (1.0, 0.1, 5)
    found: dict[str, Any] = {
        "of itself": (of_itself := [good]),
        "a deep list": _nested([], 50_000),
        "many digits": [(1.0, 0.1, 10**5000)],
        "a state of nothing": {"history": None},
        "a state of texts": {"history": "abc", "mechanism": "rdp"},
        "a seen that is none": {"history": [good], "seen": [1]},
        "a deep seen": {"history": [good], "seen": {"draws": _nested({}, 5000)}},
    }
    of_itself.append(of_itself)  # type: ignore[arg-type]
    values = (None, "1", [], float("nan"), float("inf"), -1, 10**400, 1j, True, b"1", np.ones(2))
    for place in range(3):
        for value in values:
            entry = [*good]
            entry[place] = value
            found[f"{place} is {str(value)[:20]}"] = [good, tuple(entry)]
    return found


def _nested(inner: Any, depth: int) -> Any:
    for _ in range(depth):
        inner = {"a": inner} if isinstance(inner, dict) else [inner]
    return inner


def _events() -> dict[str, Any]:
    """Events of dp-accounting, if it is there, of which something is nonsense."""
    found: dict[str, Any] = {name: one for name, one in _histories().items() if "deep" in name}
    if not find_spec("dp_accounting"):
        return found
    import dp_accounting as dp

    gaussian = dp.GaussianDpEvent
    for value in (None, "1", [], float("nan"), float("inf"), -1, 10**400, 1j, True, np.ones(2)):
        said = str(value)[:20]
        found[f"noise {said}"] = gaussian(value)
        found[f"rate {said}"] = dp.PoissonSampledDpEvent(value, gaussian(1.0))
        found[f"count {said}"] = dp.SelfComposedDpEvent(gaussian(1.0), value)
        found[f"inner {said}"] = dp.PoissonSampledDpEvent(0.1, value)
        found[f"composed {said}"] = dp.ComposedDpEvent([gaussian(1.0), value])
        if type(value) is not list:  # which is nothing
            found[f"events {said}"] = dp.ComposedDpEvent(value)
        found[f"tree {said}"] = dp.SingleEpochTreeAggregationDpEvent(1.0, value)
        found[f"records {said}"] = dp.SampledWithoutReplacementDpEvent(value, 1, gaussian(1.0))
    deep: Any = gaussian(1.0)
    for _ in range(5000):
        deep = dp.ComposedDpEvent([deep])
    found["deep"] = deep
    itself = dp.ComposedDpEvent([])
    itself.events.append(itself)
    found["of itself"] = itself
    return found


def _event(event: Any) -> Any:
    return g.fit_gdp(g.from_dp_event(event, neighbouring="add_remove"))


def _distributions() -> dict[str, Any]:
    """Privacy loss distributions of which one number is nonsense."""
    found = {}
    for field, values in {
        "_discretization": (float("nan"), -1.0, 0.0, float("inf"), "a", None, 10**400),
        "_infinity_mass": (float("nan"), 2.0, "a", float("inf"), -0.5, None),
        "_loss_probs": (
            {1: float("nan")},
            {1: 5.0},
            {},
            {"a": 1.0},
            {float("nan"): 1.0},
            {1: -1.0},
            {10**400: 1.0},
            {1: "a"},
            None,
            [1.0],
            "abc",
        ),
    }.items():
        for value in values:
            masses = {
                "_loss_probs": {1: 0.75, -1: 0.25},
                "_infinity_mass": 0.0,
                "_discretization": 1.0986,
            }
            one = SimpleNamespace(**{**masses, field: value})
            found[f"{field}={str(value)[:40]}"] = SimpleNamespace(
                _pmf_remove=one, _pmf_add=one, _symmetric=True
            )
    return found
