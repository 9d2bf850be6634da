"""The guides of the documentation that need other packages: their blocks print what is shown."""

import pkgutil
import warnings

import pytest

from tests.documentation import code

GUIDES = [page for page in code.pages() if any(block.needs for block in code.blocks(page))]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_does_what_it_shows(page):
    modules = {name for block in code.blocks(page) for name in block.needs}
    missing = {name for name in modules if not _is_there(name)}
    if not any(block.needs and not missing & set(block.needs) for block in code.blocks(page)):
        pytest.skip(f"none of its blocks can run without {sorted(missing)}")
    session = code.Session()
    printed, skipped = "", False
    try:
        # What other packages warn of is theirs to mend.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for block in code.blocks(page):
                if block.kind == "{output}":
                    assert skipped or printed.strip() == block.text.strip(), f"{page}:{block.line}"
                elif block.kind == "{run}" and missing & set(block.needs):
                    # Another version of the package has what this block is about.
                    skipped = True
                elif block.kind == "{run}" and block.argument == "shell":
                    session.shell(block.text)
                elif block.kind == "{run}" and "picture" not in block.options:
                    skipped = False
                    printed = session.python("\n" * block.line + block.text, str(page))
    finally:
        session.close()


def _is_there(name):
    # A module, or something in one that another version of it has not.
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True
