"""What can be taken away: Python lines, the command, the statement in each form, the picture."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from itertools import accumulate

import gdpnum
from gdpnum._optional import imported
from gdpnum.blocks.drawing import Node, markup, node
from gdpnum.explore import accounts, plan
from gdpnum.explore.compare import compare, names, paper_table, runs
from gdpnum.explore.fields import shown
from gdpnum.explore.schemes import arguments
from gdpnum.explore.state import State
from gdpnum.explore.trade import here, map_frame
from gdpnum.explore.trade_map import Map
from gdpnum.mechanisms import Mechanism
from gdpnum.statements import Statement
from gdpnum.training import as_option


def python(state: State) -> str:
    """Lines of Python that print the same numbers."""
    said = ", ".join(f"{key}={value!r}" for key, value in arguments(state).items())
    return (
        "import gdpnum\n\n"
        f"run = gdpnum.DPSGD({said})\n"
        "fit = gdpnum.fit_gdp(run)\n"
        "curve = gdpnum.tradeoff_curve(run)\n"
        f"print(fit.mu, fit.regret, curve.tpr({state.fpr!r}), curve.epsilon({state.delta!r}))\n"
    )


def command(state: State) -> str:
    """The command that prints the statement."""
    given = {**arguments(state), "delta": state.delta, "fpr": state.fpr}
    words = [
        word
        for key, value in given.items()
        for word in (as_option(key), value if isinstance(value, str) else shown(value))
    ]
    return shlex.join(["gdpnum", "dpsgd", *words])


def _stated(state: State) -> Statement:
    return accounts.stated(
        _shown(state), state.dataset_size if not _is_read(state) else None, state.name or None
    )


def _shown(state: State) -> Mechanism:
    return (state.read if _is_read(state) else None) or state.run


def _is_read(state: State) -> bool:
    return state.view == "read" and bool(state.parts)


def _picture(state: State) -> bytes:
    """The drawings that are shown, as one SVG file that needs nothing else."""
    if state.view == "trade":
        drawn = Map(state, "fine")
        lines = drawn.document(list(drawn.rows()))["drawing"]
        return _svg([map_frame(state).drawing(drawn.caption, lines, here(state)["here"])])
    if state.view == "compare":
        drawings = compare(state)["drawings"]
        return _svg([drawings["compare_even"], drawings["compare_log"]])
    drawings = plan.shown(state, _shown(state))["drawings"]
    return _svg([drawings["even"], drawings["log"]])


def _svg(panels: list[Node]) -> bytes:
    """Panels side by side, with the rules by which the page draws them."""
    style = files("gdpnum.explore").joinpath("page/drawing.css").read_text(encoding="utf-8")
    sizes = [tuple(map(float, panel[1]["viewBox"].split()[2:])) for panel in panels]
    width, height = sum(size[0] for size in sizes), max(size[1] for size in sizes)
    lefts = accumulate([0.0, *(size[0] for size in sizes)])
    tree = node(
        "svg",
        node("title", panels[0][1]["aria-label"]),
        node("style", style),
        node("rect", class_="paper", width="100%", height="100%"),
        *(
            node("g", *panel[2:], transform=f"translate({left:g} 0)")
            for left, panel in zip(lefts, panels, strict=False)
        ),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
    )
    return markup(tree).encode()


def _plotted(form: str) -> Callable[[State], bytes]:
    def drawn(state: State) -> bytes:
        figure = imported("matplotlib.figure", extra="plot").Figure(
            figsize=(4.5, 3.6), layout="constrained"
        )
        axes = figure.add_subplot()
        if state.view == "compare":
            # Numbered: two may have the same name.
            called = [f"{number}. {name}" for number, name in enumerate(names(state))]
            curves = map(accounts.curve, runs(state))
            gdpnum.plot.comparison(dict(zip(called, curves, strict=True)), ax=axes, scale="log")
        else:
            gdpnum.plot.roc(accounts.curve(_shown(state)), ax=axes)
        saved = BytesIO()
        stable = {"metadata": {"CreationDate": None}} if form == "pdf" else {"dpi": 200}
        figure.savefig(saved, format=form, **stable)
        return saved.getvalue()

    return drawn


#: The files by name: what kind each is, and how it is made.
FILES: dict[str, tuple[str, Callable[[State], bytes]]] = {
    "statement.json": ("application/json", lambda state: _stated(state).to_json().encode()),
    "statement.md": ("text/markdown", lambda state: _stated(state).to_markdown().encode()),
    "statement.tex": ("text/x-tex", lambda state: _stated(state).to_latex().encode()),
    "statement.txt": ("text/plain", lambda state: str(_stated(state)).encode()),
    "statement.html": ("text/html", lambda state: _stated(state).to_html().encode()),
    "picture.svg": ("image/svg+xml", _picture),
    "table.md": ("text/markdown", lambda state: paper_table(state, "markdown").encode()),
    "table.tex": ("text/x-tex", lambda state: paper_table(state, "latex").encode()),
    "run.py": ("text/x-python", lambda state: python(state).encode()),
}
if find_spec("matplotlib"):
    FILES |= {
        "plot.png": ("image/png", _plotted("png")),
        "plot.pdf": ("application/pdf", _plotted("pdf")),
    }


_SAID = {
    **{"json": "JSON", "md": "Markdown", "tex": "LaTeX", "txt": "text", "html": "web page"},
    **{"svg": "SVG", "png": "PNG", "pdf": "PDF", "py": "Python"},
}
# What the files of a stem are, and in which views they are offered.
_STEMS = {
    "statement": ("Statement", "plan trade compare read"),
    "picture": ("Picture", "plan trade compare read"),
    "plot": ("Plot", "plan compare read"),
    "table": ("Table of the runs", "compare"),
    "run": ("Lines", "plan trade compare"),
}


def described() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """The files for the page, by what they hold: (title, views, [(name, form)])."""
    named = [name.partition(".") for name in FILES]
    found = [
        (title, views, [("".join(name), _SAID[name[2]]) for name in named if name[0] == stem])
        for stem, (title, views) in _STEMS.items()
    ]
    return [group for group in found if group[2]]


def file(name: str, state: State) -> tuple[str, bytes] | None:
    """The kind of a file and its content; None if there is none of this name."""
    if name not in FILES:
        return None
    kind, made = FILES[name]
    return kind, made(state)
