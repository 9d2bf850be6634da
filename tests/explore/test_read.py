"""Files: read without being run, bounded, and never kept."""

import io
import json
import os
import pickle
import zipfile
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import gdpnum
from gdpnum.blocks.drawing import markup
from gdpnum.explore import read, scores, server
from gdpnum.explore.state import State
from tests.explore.serving import Asking, serving

RUN = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=500)
STATEMENT = gdpnum.statement(RUN, name="Mine <b>", dataset_size=1000, date="2026-03-01")


def checkpoint(history, *, zipped=False):
    state = {"history": history, "mechanism": "rdp"}
    content = pickle.dumps({"privacy_accountant_state_dict": state})
    if not zipped:
        return content
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("archive/data.pkl", content)
    return archive.getvalue()


RUN_FILE = b'{"name": "Twice", "parts": [{"type": "Gaussian", "sigma": 2.0, "count": 2}]}'


@pytest.mark.parametrize(
    ("name", "content", "kind", "run"),
    [
        ("s.json", STATEMENT.to_json().encode(), "statement", RUN),
        ("c.pt", checkpoint([(1.0, 0.01, 300), (1.0, 0.01, 200)]), "Opacus checkpoint", RUN),
        ("c.pt", checkpoint([(1.0, 0.01, 500)], zipped=True), "Opacus checkpoint", RUN),
        ("r.json", RUN_FILE, "run file", gdpnum.Gaussian(sigma=2.0) * 2),
    ],
)
def test_each_kind_is_read(asked, name, content, kind, run):
    found = asked.read(name, content)
    assert (found["kind"], found["label"]) == (kind, name)
    assert State.reading(found["parts"]) == run
    shown = asked.reading("fpr=0.01", parts=found["parts"])
    assert shown["values"]["mu"] == gdpnum.fit_gdp(run).mu
    # As part of the link it is the same.
    linked = asked.reading(State(view="read", parts=found["parts"], fpr=0.01).query)
    assert linked == shown


def test_a_run_that_was_read_can_be_pinned_and_taken_away(asked):
    parts = asked.read("r.json", RUN_FILE)["parts"]
    query = State(pins=(State(parts=parts, name="Twice").pin,)).query
    text = markup(asked.json(f"/api/plan?{query}&view=compare")["compared"]["table"])
    assert "Twice" in text
    assert "0.70711" in text  # sqrt(2) / 2, rounded up
    _, _, body = asked(f"/take/statement.json?{State(view='read', parts=parts).query}")
    assert gdpnum.Statement.from_json(body.decode()).run == gdpnum.Gaussian(sigma=2.0) * 2


# --- statements are verified --------------------------------------------------------------------


def test_a_true_statement_is_verified(asked):
    assert any(
        line.startswith("Verified") for line in asked.read("s.json", STATEMENT.to_json())["checks"]
    )


def test_a_statement_of_another_run_is_not_verified(asked):
    other = gdpnum.statement(gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=500))
    document = json.loads(other.to_json())
    document["parts"][0]["mechanism"]["inner"]["sigma"] = 1.0
    document["mechanism"] = document["mechanism"].replace("sigma=2.0", "sigma=1.0")
    found = asked.read("s.json", json.dumps(document))
    said = found.get("message") or " ".join(found["checks"])
    assert "Not verified: mu" in said or "does not agree" in said


def test_a_statement_that_contradicts_itself_is_refused(asked):
    document = json.loads(STATEMENT.to_json())
    document["mu"] = 0.1
    assert "s.json" in asked.read("s.json", json.dumps(document))["message"]


@dataclass
class Found:
    name: str
    holds: bool
    stated: float = 1.0
    computed: float = 2.0


@pytest.mark.parametrize("holds", [True, False])
def test_the_librarys_own_verification_is_used_where_there_is_one(asked, monkeypatch, holds):
    def verify(statement):
        assert statement == STATEMENT
        return SimpleNamespace(findings=[Found("mu", True), Found("regret", holds)])

    monkeypatch.setattr(gdpnum, "verify", verify, raising=False)
    (said,) = asked.read("s.json", STATEMENT.to_json())["checks"]
    if holds:
        assert said == "Verified: all 2 numbers stated hold, computed again."
    else:
        assert said == "Not verified: regret is stated as 1; it is 2."


# --- what is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty", b""),
        ("text.txt", b"Chapter 1\n"),
        ("x.json", b"{"),
        ("x.json", b"[1]"),
        ("x.json", b'{"schema": "gdpnum-statement-1"}'),
        ("x.json", b'{"parts": [{"type": "Gaussian", "sigma": -1}]}'),
        ("x.json", b'{"parts": ' + b"[" * 50_000),
        ("x.pt", b"PK\x03\x04 and no more"),
        ("x.pt", b"\x80\x04 and no more"),
        ("x.pt", pickle.dumps({"model": 1})),
        ("x.pt", checkpoint([("a", 1, 2)])),
        ("x.bin", b"\xff\xfe\x00"),
        ("scores.csv", b"score,included\nabc,1\n1,0\n"),
        ("scores.csv", b"score,included\n1,maybe\n"),
        ("scores.csv", b"score,included\n"),
        ("scores.json", b'{"scores_in": [1, NaN], "scores_out": [0]}'),
        ("scores.json", b'{"scores_in": [], "scores_out": [0]}'),
        ("scores.json", b'{"scores_in": "abc", "scores_out": [0]}'),
        ("<img src=x>\x1b[31m", b"?"),
    ],
)
def test_a_bad_file_gives_a_message(asked, name, content):
    found = asked.read(name, content)
    assert list(found) == ["message"]
    assert "Traceback" not in found["message"]
    assert "\x1b" not in found["message"]


@pytest.mark.parametrize(
    "body", [b"[", b"[]", b'{"parts": "["}', b'{"parts": 3}', b'{"parts": "{}"}', b"\xff"]
)
def test_a_bad_question_gives_a_message(asked, body):
    found = asked.json("/api/reading", method="POST", body=body)
    assert list(found) == ["message"]


class Trap:
    """Pickled, it is a program that makes a folder."""

    def __init__(self, folder):
        self._folder = str(folder)

    def __reduce__(self):
        return os.mkdir, (self._folder,)


@pytest.mark.parametrize("zipped", [False, True])
def test_nothing_in_an_upload_is_run(asked, tmp_path, zipped):
    trap = Trap(tmp_path / "sprung")
    asked.read("c.pt", checkpoint([(1.0, 0.01, 5), trap], zipped=zipped))
    found = asked.read("c.pt", checkpoint([(trap, 0.01, 5)], zipped=zipped))
    assert "message" in found
    assert not (tmp_path / "sprung").exists()
    # The trap is one.
    pickle.loads(pickle.dumps(trap))
    assert (tmp_path / "sprung").exists()


def test_uploads_do_not_meet_the_unpickler(asked, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("unpickled")

    content = checkpoint([(1.0, 0.01, 500)])
    for name in ("load", "loads", "Unpickler", "_Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    assert asked.read("c.pt", content)["kind"] == "Opacus checkpoint"


def test_uploads_are_bounded(monkeypatch):
    monkeypatch.setattr(read, "LARGEST_CHECKPOINT", 1000)
    monkeypatch.setattr(read, "LARGEST_TEXT", 100)
    monkeypatch.setattr(server, "_LARGEST_BODY", 1000)
    with serving() as port:
        asked = Asking(port)
        assert "has 101 bytes, above 100" in asked.read("x.json", b" " * 101)["message"]
        assert "more than 1000 bytes" in asked.read("x.pt", b"PK" + b" " * 5000)["message"]
        found = asked.json("/api/reading", method="POST", body=b" " * 1001)
        assert "more than 1000 bytes" in found["message"]
        # A small one is read as before.
        assert asked.read("r.json", RUN_FILE)["kind"] == "run file"


# --- audit --------------------------------------------------------------------------------------

SCORES = {"scores_in": [3.0, 2.0, 2.5], "scores_out": [0.0, 1.0]}


def test_scores_are_told_from_runs(asked):
    lines = "score,included\n" + "".join(
        f"{score},{side}\n"
        for key, side in (("scores_in", 1), ("scores_out", "false"))
        for score in SCORES[key]
    )
    for name, content in (("s.csv", lines), ("s.json", json.dumps(SCORES))):
        found = asked.read(name, content)
        assert (found["kind"], found["scores"]) == ("scores", SCORES)


@pytest.fixture
def audits(monkeypatch):
    """A library that audits; what it was asked."""

    class Found:
        mu_lower, p_value, refuted, confidence = 0.51239, 0.012345, False, 0.95

        def tpr(self, fpr):
            return min(1.0, fpr + 0.1)

    asked_for = []

    def audit(scores_in, scores_out, *, claim=None, confidence=0.95):
        asked_for.append((scores_in, scores_out, claim))
        return Found()

    def audit_one_run(scores, included, *, guesses=None, claim=None, confidence=0.95):
        asked_for.append((scores, included, claim))
        return SimpleNamespace(mu_lower=0.3, p_value=0.001, refuted=True, confidence=0.95)

    for function in (audit, audit_one_run):
        monkeypatch.setattr(gdpnum, function.__name__, function, raising=False)
    scores._audit.cache_clear()
    yield asked_for
    scores._audit.cache_clear()


def test_scores_are_audited_beside_the_account(asked, audits):
    found = asked.reading("noise_multiplier=2", scores=SCORES)
    assert audits == [(*SCORES.values(), State.of("noise_multiplier=2").run)]
    said = found["texts"]["audit_said"]
    assert "mu is at least 0.5123 at confidence 0.95" in said
    assert "not refuted (p = 0.0124)" in said
    assert "a run of its own" in said
    assert '"shown"' in json.dumps(found["drawings"]["read_even"])
    # A drag of the FPR does not audit again.
    asked.reading("noise_multiplier=2&fpr=0.3", scores=SCORES)
    assert len(audits) == 1


def test_canaries_of_one_run_are_audited_as_such(asked, audits):
    found = asked.reading("scores=one_run", scores=SCORES)
    both = [*SCORES["scores_in"], *SCORES["scores_out"]]
    assert audits == [(both, [True] * 3 + [False] * 2, State.of("").run)]
    assert "which is refuted (p = 0.00100)" in found["texts"]["audit_said"]
    assert '"shown"' not in json.dumps(found["drawings"]["read_even"])
