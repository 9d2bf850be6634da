"""The directive ``screenshot``: `gdpnum explore` as it looks in this very build, light and dark.

::

    :::{screenshot} noise_multiplier=0.8&view=trade
    :alt: A map of mu over epochs and noise
    :height: 900
    :::

The argument is the text of the link. ``width`` and ``height`` are those of the window, ``file`` is
a file in docs/ to choose on the page. Without Chromium the page says so in place of the picture.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import tempfile
import time
from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.explore.serving import serving  # noqa: E402
from tests.report.chromium import BINARY, Chromium  # noqa: E402

# All that a page shows is there: numbers, and maps where there are some.
_SETTLED = """
document.documentElement.dataset.shown !== undefined
&& !document.querySelector("[aria-busy]")
&& (document.body.dataset.view !== "trade" || Boolean(document.getElementById("map").dataset.drawn
    && document.getElementById("line").dataset.drawn))
&& (document.body.dataset.view !== "compare" || document.querySelector("tbody tr") !== null)
&& (!document.getElementById("file").files.length || !document.getElementById("read-shown").hidden)
"""
_SECONDS = 60.0


class Studio:
    """A browser before the running program, opened once for all pictures of a build."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._port: int | None = None
        self._browser: Any = None

    def picture(
        self, link: str, *, width: int, height: int, dark: bool, file: Path | None
    ) -> bytes:
        """The page at a link, as PNG."""
        if self._browser is None:
            self._port = self._opened.enter_context(serving())
            folder = self._opened.enter_context(tempfile.TemporaryDirectory())
            self._browser = self._opened.enter_context(Chromium(folder))
            self._browser("Emulation.setScrollbarsHidden", hidden=True)
        browser = self._browser
        browser.open("about:blank")
        browser.open(f"http://127.0.0.1:{self._port}/#{link}", width=width, dark=dark)
        browser.resize(width, height)
        self._wait()
        if file is not None:
            root = browser("DOM.getDocument")["root"]["nodeId"]
            chooser = browser("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
            browser("DOM.setFileInputFiles", nodeId=chooser, files=[str(file)])
            self._wait()
        time.sleep(0.3)  # until it is painted
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        found = browser("Page.captureScreenshot", clip=clip)
        return base64.b64decode(found["data"])

    def close(self) -> None:
        """End the program and the browser."""
        self._opened.close()

    def _wait(self) -> None:
        deadline = time.monotonic() + _SECONDS
        while not self._browser.evaluate(f"Boolean({_SETTLED})"):
            if time.monotonic() > deadline:
                raise TimeoutError("the page does not settle")
            time.sleep(0.05)


_STUDIO = Studio()


class Screenshot(SphinxDirective):
    """The page at a link, twice: for readers of light pages and of dark ones."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "alt": directives.unchanged_required,
        "width": directives.positive_int,
        "height": directives.positive_int,
        "file": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """The nodes of both pictures."""
        if BINARY is None:
            said = "This build had no Chromium to take the picture with."
            return [nodes.paragraph("", said)]
        width, height = self.options.get("width", 1280), self.options.get("height", 900)
        named = self.options.get("file")
        file = ROOT / "docs" / named if named else None
        images = [self._image(width, height, dark, file) for dark in (False, True)]
        return [nodes.raw("", f"<p>{''.join(images)}</p>", format="html")]

    def _image(self, width: int, height: int, dark: bool, file: Path | None) -> str:
        content = _STUDIO.picture(
            self.arguments[0], width=width, height=height, dark=dark, file=file
        )
        where = f"{self.env.docname}:{self.lineno}:{dark}"
        name = f"{hashlib.sha256(where.encode()).hexdigest()[:16]}.png"
        folder = Path(self.env.app.outdir) / "_pictures"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        source = f"{'../' * self.env.docname.count('/')}_pictures/{name}"
        kind = (
            f"screenshot {'narrow' if width < 600 else 'wide'} only-{'dark' if dark else 'light'}"
        )
        size = f'width="{width}" height="{height}"'
        return f'<img class="{kind}" src="{source}" {size} alt="{escape(self.options["alt"])}">'


def _close(*_: object) -> None:
    _STUDIO.close()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("screenshot", Screenshot)
    app.connect("build-finished", _close)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
