"""How to install this gdpnum, and not the other one of that name on PyPI."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "docs", "examples", "benchmarks", ".github")
ENDINGS = (".py", ".md", ".toml", ".yml", ".yaml", ".cff", ".txt")


def texts():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    for path in [*ROOT.glob("*.md"), *files]:
        if path.suffix in ENDINGS and "/_build/" not in str(path):
            yield path, path.read_text(encoding="utf-8")


def test_nobody_is_sent_to_the_other_gdpnum():
    """Only its number 0.1.2, asked for as such, comes from PyPI."""
    wrong = re.compile(
        r"pip3? install[^\n`]*?[\s'\"]gdpnum(?!==0\.1\.2|-\*\.whl|[\w-]*\.whl| @ git)"
    )
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path, text in texts()
        for match in wrong.finditer(text)
    ]
    assert found == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 reads no TOML")
def test_the_core_needs_three_packages_and_no_more():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[\w-]+", one)[0] for one in project["dependencies"]]
    assert names == ["numpy", "scipy", "typer"]


def test_nothing_here_needs_rich():
    """Typer may bring it; whoever has a typer without it has lost nothing."""
    for path in (ROOT / "src").rglob("*.py"):
        assert not re.search(r"^\s*(import|from) rich\b", path.read_text(encoding="utf-8"), re.M), (
            path
        )


def test_links_of_the_index_page_are_absolute():
    pytest.importorskip("hatchling")
    sys.path.insert(0, str(ROOT))
    try:
        from index_page import with_absolute_links
    finally:
        sys.path.remove(str(ROOT))
    text = with_absolute_links((ROOT / "README.md").read_text(encoding="utf-8"), "https://x/y")
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert len(targets) > 4
    assert all(target.startswith(("https://", "#")) for target in targets)
    assert "![" not in text or "](https://x/y/raw/main/docs/" in text
