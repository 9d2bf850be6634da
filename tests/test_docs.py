"""The pages of the documentation: each code block runs, and none is left out."""

import re

import pytest

from tests.documentation import DOCS, code

pytest.importorskip("matplotlib").use("Agg")

PAGES = code.pages()
NAMES = [str(page.relative_to(DOCS)) for page in PAGES]

# Blocks that are not code, or that make an environment, which a test does not.
SHOWN = ("{output}", "{toctree}", "{glossary}", "{eval-rst}", "{include}")
MAKES_AN_ENVIRONMENT = re.compile(r"\$ (pip|python -m venv|make) ")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_of_a_page_runs(page):
    session = code.Session()
    try:
        for block in code.blocks(page):
            if block.kind != "{run}" or block.needs:
                continue
            if block.argument == "shell":
                session.shell(block.text)
            else:
                session.python("\n" * block.line + block.text, str(page))
    finally:
        session.close()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_no_code_is_only_shown(page):
    for block in code.blocks(page):
        if block.kind == "console":
            assert all(MAKES_AN_ENVIRONMENT.match(line) for line in block.text.splitlines()), block
        else:
            assert block.kind in ("{run}", *SHOWN), f"{page.name}:{block.line} {block.kind}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_the_build_cannot_run_is_run_by_the_integration_tests(page):
    needing = [block for block in code.blocks(page) if block.needs]
    outputs = [block for block in code.blocks(page) if block.kind == "{output}"]
    assert len(outputs) <= len(needing)
    assert not needing or page.parent.name == "guides"


def test_every_public_name_has_its_place_in_the_api():
    import gdpnum

    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    modules = {"__version__", "converter", "dpsgd", "integrations", "plot", "report", "risk"}
    missing = [
        name
        for name in gdpnum.__all__
        if name not in modules and not re.search(rf"auto\w+:: gdpnum\.{name}$", text, re.MULTILINE)
    ]
    assert not missing


def test_every_term_of_the_style_is_in_the_glossary():
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    for term in ("alpha", "beta", "curve", "loss", "profile", "mu", "slack", "regret", "statement"):
        assert re.search(rf"^{term}$", text, re.MULTILINE), term
