"""The guides of the documentation that need other packages: their blocks print what is shown."""

import warnings

import pytest

from tests.documentation import code

GUIDES = [page for page in code.pages() if any(block.needs for block in code.blocks(page))]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_does_what_it_shows(page):
    for package in sorted({name for block in code.blocks(page) for name in block.needs}):
        pytest.importorskip(package)
    session = code.Session()
    printed = ""
    try:
        # What other packages warn of is theirs to mend.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for block in code.blocks(page):
                if block.kind == "{output}":
                    assert printed.strip() == block.text.strip(), f"{page}:{block.line}"
                elif block.kind == "{run}" and block.argument == "shell":
                    session.shell(block.text)
                elif block.kind == "{run}" and "picture" not in block.options:
                    printed = session.python("\n" * block.line + block.text, str(page))
    finally:
        session.close()
