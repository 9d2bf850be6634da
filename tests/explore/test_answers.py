"""Each answer is the library's."""

import io
import json
import math
import shlex
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout

import pytest

import gdpnum
from gdpnum.blocks.drawing import markup
from gdpnum.explore.state import State
from gdpnum.explore.trade import keys, map_frame
from gdpnum.explore.trade_map import STAGES, Map
from gdpnum.rounding import upper
from tests.cli.invoking import document, printed

QUERIES = {
    "default": "",
    "little noise": "noise_multiplier=0.5",
    "every record in every step": "batch_size=1000&dataset_size=1000&noise_multiplier=20",
    "replaced": "neighbouring=replace&epochs=1",
    "deep": "fpr=1e-9&delta=1e-12",
    "hopeless": "noise_multiplier=0.05&batch_size=1000&dataset_size=1000",
}


def library(query):
    """The numbers that the library gives for a state, asked directly."""
    state = State.of(query)
    rate = state.batch_size / state.dataset_size
    run = gdpnum.DPSGD(
        noise_multiplier=state.noise_multiplier,
        sample_rate=rate,
        steps=math.ceil(state.epochs * state.dataset_size / state.batch_size),
        neighbouring=state.neighbouring,
    )
    fit, curve = gdpnum.fit_gdp(run), gdpnum.tradeoff_curve(run)
    return {
        "mu": fit.mu,
        "mu_lower": fit.mu_lower,
        "regret": fit.regret,
        "advantage": fit.advantage,
        "tail_ratio": fit.tail_ratio,
        "tpr": curve.tpr(state.fpr),
        "tpr_gdp": fit.tpr(state.fpr),
        "epsilon": curve.epsilon(state.delta),
    }


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_numbers_are_the_librarys(asked, query):
    found = asked.json(f"/api/plan?{query}")
    assert found["values"] == library(query)
    assert found["query"] == State.of(query).query


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_what_is_written_is_never_below_the_number(asked, query):
    found = asked.json(f"/api/plan?{query}")
    texts, values = found["texts"], found["values"]
    for key in ("mu", "regret", "epsilon", "advantage"):
        assert float(texts[key]) >= values[key]
        assert float(texts[key]) <= values[key] * 1.001 + 1e-12 or key == "regret"
    if texts["tpr"].endswith("%"):
        assert float(texts["tpr"].removesuffix(" %")) / 100 >= values["tpr"]
    # The regret that is written is that of the mu that is written.
    run = State.of(query).run
    assert float(texts["regret"]) >= gdpnum.regret(gdpnum.GDP(mu=float(texts["mu"])), run) - 1e-9


def test_the_same_question_has_the_same_answer(asked):
    first, second = (asked("/api/plan?noise_multiplier=0.77")[2] for _ in range(2))
    assert first == second


def test_two_people_do_not_see_each_other(asked):
    def one(number):
        query = f"noise_multiplier={1 + number / 10}&name=person{number}"
        return number, [asked.json(f"/api/plan?{query}") for _ in range(2)]

    with ThreadPoolExecutor(8) as people:
        for number, answers in people.map(one, range(6)):
            alone = library(f"noise_multiplier={1 + number / 10}")
            for answer in answers:
                assert answer["values"] == alone
                assert f"person{number}&" in answer["query"] + "&"
                others = [f"person{other}" for other in range(6) if other not in (number, 1)]
                assert not any(
                    name in json.dumps(answer) for name in others if name != f"person{number}"
                )
    assert "person" not in json.dumps(asked.json("/api/plan"))


@pytest.mark.parametrize(
    "query",
    ["noise_multiplier=0", "batch_size=10&dataset_size=5", "fpr=x", "nonsense=1", "%FF=%00"],
)
@pytest.mark.parametrize("path", ["/api/plan", "/api/find", "/api/map/coarse", "/api/noise"])
def test_bad_values_give_a_message(asked, path, query):
    found = asked.json(f"{path}?{query}")
    if path in ("/api/map/coarse", "/api/noise") and "batch_size" in query:
        assert "drawing" in found  # the map shades what cannot be
        return
    assert list(found) == ["message"]
    assert ";" in found["message"]


# --- find ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "kind", "aim"),
    [
        ("target=mu&aim=0.5", "mu", 0.5),
        ("target=epsilon&aim=3", "epsilon", 3.0),
        ("target=tpr&aim=0.3", "tpr", 0.3),
        ("target=advantage&aim=0.2", "advantage", 0.2),
        ("target=mu&aim=1&neighbouring=replace&batch_size=6000", "mu", 1.0),
    ],
)
def test_the_noise_that_is_found_meets_the_target_closely(asked, query, kind, aim):
    noise = asked.json(f"/api/find?{query}")["noise_multiplier"]
    met = asked.json(f"/api/plan?{query}&noise_multiplier={noise}")["values"][kind]
    missed = asked.json(f"/api/plan?{query}&noise_multiplier={float(noise) * 0.99}")["values"][kind]
    assert met <= aim < missed


def test_a_target_that_nothing_meets_gives_a_message(asked):
    assert "message" in asked.json("/api/find?target=tpr&aim=0.05&fpr=0.1")


# --- trade --------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["mu", "epsilon", "tpr"])
def test_the_map_holds_the_librarys_numbers(measure):
    state = State.of(f"view=trade&measure={measure}&across=batch_size&up=epochs")
    drawn = Map(state, "coarse")
    rows = list(drawn.rows())
    assert (len(rows[0]), len(rows)) == STAGES["coarse"]
    for down, across in ((0, 0), (3, 4), (6, 8)):
        batch, epochs = drawn._points(0)[across], drawn._points(1)[down]
        exact = library(f"batch_size={min(batch, 60_000):.0f}&epochs={epochs}")[measure]
        assert rows[down][across] == pytest.approx(exact, rel=2e-2)
    found = drawn.document(rows)
    text = markup(found["drawing"])
    assert text.count('class="contour"') == len(drawn._levels())
    assert 'class="level"' in text
    assert "nan" not in text
    assert f"dataset size {state.dataset_size}" in found["caption"]


def test_lines_of_the_map_are_where_the_number_is(asked):
    """A point on the line of mu = 1, asked for by itself, has about that mu."""
    state = State.of("view=trade")
    drawn, frame = Map(state, "fine"), map_frame(state)
    contours = drawn._contours(frame, list(drawn.rows()))
    (line,) = contours.lines(math.log(1.0))
    for x, y in line[:: len(line) // 5].tolist():
        epochs = 1000 ** ((x - frame.left) / (frame.right - frame.left))
        noise = 0.3 * 100 ** ((frame.bottom - y) / (frame.bottom - frame.top))
        assert library(f"epochs={epochs}&noise_multiplier={noise}")["mu"] == pytest.approx(
            1, rel=0.06
        )


def test_a_drag_along_the_axes_keeps_the_map(asked):
    base = "view=trade&across=epochs&up=noise_multiplier"
    first = keys(State.of(base))
    assert keys(State.of(f"{base}&epochs=77&noise_multiplier=3&fpr=0.5&delta=1e-9&name=x")) == first
    assert keys(State.of(f"{base}&batch_size=99"))["map_key"] != first["map_key"]
    assert keys(State.of(f"{base}&measure=tpr&fpr=0.5")) != keys(State.of(f"{base}&measure=tpr"))
    found = asked.json(f"/api/plan?{base}&epochs=100")
    assert found["map_key"] == first["map_key"]
    assert "here" in found["drawings"]


def test_the_noise_line_meets_its_target(asked):
    found = asked.json("/api/noise?target=epsilon&aim=2&view=trade")
    rows = found["table"][-1][2:]
    assert len(rows) == 18
    for row in rows[::6]:
        epochs, noise = row[2][2], row[3][2]
        exact = library(f"epochs={epochs}&noise_multiplier={noise}")["epsilon"]
        assert 0.95 * 2 <= exact <= 2


# --- compare ------------------------------------------------------------------------------------


def compared(asked, query):
    return asked.json(f"/api/plan?{query}&view=compare")["compared"]


def test_pinned_runs_are_compared(asked):
    pins = [State.of(query).pin for query in ("noise_multiplier=0.6&name=Less noise", "epochs=100")]
    state = State.of("name=Mine&view=compare")
    query = State(**{"name": "Mine", "pins": tuple(pins)}).query
    found = compared(asked, query)
    text = markup(found["table"])
    for row in ("noise_multiplier=0.6", "epochs=100", ""):
        assert upper(library(row)["mu"], digits=5) in text
        assert upper(library(row)["epsilon"]) in text
    orders = markup(found["orders"])
    runs = [state.run, *(State.of(pin).run for pin in pins)]
    assert gdpnum.compare(*runs[:2]).order == "more private"
    assert "Mine is more private than Less noise" in orders
    assert orders.count("<li>") == 3
    latex, markdown = (asked(f"/take/table.{form}?{query}")[2].decode() for form in ("tex", "md"))
    assert latex.count("Less noise") == markdown.count("Less noise") == 1
    assert r"\begin{tabular}" in latex


def test_a_crossing_is_told(asked):
    pin = State.of("noise_multiplier=2&epochs=60&batch_size=600").pin
    state = State(pins=(pin,))
    order = gdpnum.compare(state.run, state.subjects[0].run).order
    said = markup(compared(asked, state.query)["orders"])
    assert (order == "incomparable") == ("they cross at about FPR" in said)


def test_names_are_texts_in_every_form(asked):
    name = r"<b>&|$\x{}"
    query = State(name=name, pins=(State(name=name).pin,)).query
    found = compared(asked, query)
    assert name in json.dumps(found["table"], ensure_ascii=False).replace("\\\\", "\\")
    assert "<b>" not in markup(found["table"])
    latex, markdown = (asked(f"/take/table.{form}?{query}")[2].decode() for form in ("tex", "md"))
    assert r"\$\textbackslash{}x\{\}" in latex
    assert r"\|" in markdown


# --- taking away --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", ["noise_multiplier=0.8", "neighbouring=replace&epochs=2.5&fpr=0.01"]
)
def test_the_python_lines_print_the_same_numbers(asked, query):
    found = asked.json(f"/api/plan?{query}")
    with redirect_stdout(io.StringIO()) as out:
        exec(found["texts"]["python"], {})
    values = found["values"]
    assert list(map(float, out.getvalue().split())) == [
        values[key] for key in ("mu", "regret", "tpr", "epsilon")
    ]


@pytest.mark.parametrize(
    "query",
    [
        "noise_multiplier=0.8",
        "neighbouring=replace&epochs=2.5&fpr=0.01",
        "batches=shuffled&noise_multiplier=20",
        "batches=cyclic&epochs=2&bands=4",
    ],
)
def test_the_command_states_the_same_numbers(asked, query):
    found = asked.json(f"/api/plan?{query}")
    stated = document(*shlex.split(found["texts"]["command"])[1:])
    assert stated["mu"] == found["values"]["mu"]
    assert stated["regret"] == found["values"]["regret"]
    deltas = {row["delta"]: row["epsilon"] for row in stated["epsilon"]}
    # Searched for alone and beside other deltas, it may differ in its last digit.
    epsilon = found["values"]["epsilon"]
    assert deltas[State.of(query).delta] == pytest.approx(epsilon, rel=1e-14)


def test_every_file_is_there(asked):
    described = asked.json("/api/describe")
    names = [name for _, _, files in described["files"] for name, _ in files]
    assert {"statement.json", "statement.html", "statement.tex", "picture.svg", "table.md"} <= {
        *names
    }
    for name in names:
        status, headers, body = asked(f"/take/{name}?noise_multiplier=2")
        assert status == 200, body
        assert headers["content-disposition"].endswith(f'filename="{name}"')
        assert len(body) > 50
    assert asked("/take/secrets.txt")[0] == 404
    assert asked("/take/..%2f..%2fetc%2fpasswd")[0] == 404
    assert asked("/take/statement.json?fpr=5")[0] == 422


def test_the_statement_taken_away_is_the_runs(asked, tmp_path):
    _, _, body = asked("/take/statement.json?noise_multiplier=2&name=Mine")
    stated = gdpnum.Statement.from_json(body.decode())
    assert stated.run == State.of("noise_multiplier=2").run
    assert (stated.name, stated.dataset_size) == ("Mine", 60_000)
    assert stated.mu == library("noise_multiplier=2")["mu"]
    (tmp_path / "s.json").write_bytes(body)
    assert printed("report", str(tmp_path / "s.json"))


def test_the_picture_of_the_map_has_the_run_on_it(asked):
    _, _, body = asked("/take/picture.svg?view=trade")
    assert body.count(b'class="contour"') > 5
    assert body.count(b'class="mark run"') == 1


def test_the_picture_needs_nothing_else(asked):
    from xml.etree import ElementTree

    _, _, body = asked("/take/picture.svg")
    tree = ElementTree.fromstring(body)
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert body.count(b'class="run"') == 2
    assert b"http" not in body.replace(b"http://www.w3.org/2000/svg", b"")
    _, _, both = asked(f"/take/picture.svg?{State(view='compare', pins=('epochs=20',)).query}")
    assert both.count(b'class="line line-1"') == 2


# --- a mistake of ours --------------------------------------------------------------------------


def test_a_bug_gives_a_message_too(monkeypatch):
    from gdpnum.explore import plan
    from tests.explore.serving import Asking, serving

    def broken(*_):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(plan, "plan", broken)
    with serving() as port:
        status, headers, body = Asking(port)("/api/plan")
        assert status == 200
        assert "ZeroDivisionError" in json.loads(body)["message"]
        assert b"secret" not in body
        assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("near", [0.5, 8.0])
@pytest.mark.parametrize(("kind", "aim"), [("mu", 0.5), ("epsilon", 2.0)])
def test_the_way_for_any_scheme_finds_the_same_noise(monkeypatch, kind, aim, near):
    from gdpnum.explore import find

    state = State(target=kind, aim=aim)
    wanted = {kind: aim, **({"delta": state.delta} if kind == "epsilon" else {})}
    exact = gdpnum.calibrate_dpsgd(sample_rate=256 / 60_000, steps=2344, **wanted).noise_multiplier
    monkeypatch.setattr(find, "_is_plain", lambda _: False)
    find._found.cache_clear()
    assert find.found_noise(state, near=near) == pytest.approx(exact, rel=2e-3)
    find._found.cache_clear()
