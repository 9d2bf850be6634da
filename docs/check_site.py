"""Check a built site: internal links and anchors, nothing loaded from elsewhere, no raw formula.

``python docs/check_site.py build/docs``. Where Chromium is installed every page is also opened, on
a phone and in a narrow window, and nothing may be cut: it fits, or it scrolls by itself.
External links are for ``sphinx-build -b linkcheck``, which needs the network.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.report.chromium import BINARY, Chromium

# What a page loads, as opposed to what it links to.
_LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}

# A phone, a narrow window, a wide one: their widths in pixels.
_WIDTHS = (390, 900, 1280)

# What sticks out of the window on the right and does not scroll, by its tag and its text.
_CUT = """
(document.documentElement.scrollWidth > innerWidth ? ["the page"] : []).concat(
  [...document.querySelectorAll("article *")].filter((one) => {
    const box = one.getBoundingClientRect();
    const scrolls = "pre, .table-wrapper, .formula, .formula-inline.long, .scroll, .columns";
    return box.width > 0 && box.right > innerWidth + 1 && !one.closest(scrolls);
  }).map((one) => one.tagName.toLowerCase() + " " + one.textContent.trim().slice(0, 40)))
"""

# Markup that was not understood and came through as text.
_LEFTOVERS = re.compile(
    r"\$\$|\\(?:alpha|beta|mu|varepsilon|delta|Phi|frac)\b|\{(?:py:)?obj\}`|\{term\}`"
)


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.text: list[str] = []
        self._inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in _LOADED and _LOADED[tag] in values:
            self.loaded.append(values[_LOADED[tag]])
        if tag in ("pre", "code", "script", "style", "annotation"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.text.append(data)


def problems(site: Path) -> list[str]:
    """What is wrong with the site, a line each."""
    read = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in read.items():
        name = path.relative_to(site)
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    found.append(f"{name} loads {link} from elsewhere")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                found.append(f"{name} points to {link}, which is not there")
            elif parts.fragment and target in read:
                anchor = unquote(parts.fragment)
                if anchor not in read[target].anchors:
                    found.append(f"{name} points to {link}, where there is no such anchor")
        found += [
            f"{name} shows {leftover!r}: markup that was not understood"
            for leftover in _LEFTOVERS.findall("".join(page.text))
        ]
    if not (site / "searchindex.js").exists():
        found.append("there is no search index")
    return found


def cut(site: Path) -> list[str]:
    """What a page shows only in part, a line each; needs Chromium."""
    found = []
    with TemporaryDirectory() as folder, Chromium(folder) as browser:
        for path in sorted(site.rglob("*.html")):
            browser.open(path)
            for width in _WIDTHS:
                browser.resize(width)
                cuts = [" ".join(one.split()) for one in browser.evaluate(_CUT)[:2]]
                name = path.relative_to(site)
                found += [f"{name} cuts {one} at {width} pixels" for one in cuts]
    return found


def main() -> None:
    """Check the site that is named, and say what is wrong."""
    site = Path(sys.argv[1]).resolve()
    found = problems(site) + (cut(site) if BINARY else [])
    whole = ", nothing is cut" if BINARY else "; no Chromium here, so no page was looked at"
    print("\n".join(found) or f"{site}: links resolve, nothing is loaded from elsewhere{whole}")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
