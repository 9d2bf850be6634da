"""The runs whose reports are looked at; python -m tests.report.settings FOLDER writes them there,
with pictures at three widths, in light and dark, and as printed, if Chromium is installed.
"""

import sys
import tempfile
from pathlib import Path

import gdpnum
from gdpnum.report import html
from gdpnum.statements import statement
from tests.report import chromium

HOSTILE = "</script></title><!--<script>alert(1)</script><img src=x onerror=alert(2)> & \"'"

SETTINGS = {
    "headline": lambda: statement(
        gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16_384 / 50_000, steps=2000),
        dataset_size=50_000,
        name="CIFAR-10 classifier",
        date="2026-03-01",
    ),
    "not_a_good_summary": lambda: statement(
        gdpnum.DPSGD(noise_multiplier=0.5, sample_rate=0.01, steps=1000)
    ),
    "rare_events": lambda: statement(
        gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.001, steps=1000)
    ),
    "no_finite_mu": lambda: statement(gdpnum.ApproxDP(epsilon=1.0, delta=1e-3)),
    "perfect": lambda: statement(gdpnum.PureDP(epsilon=0.0)),
    "nothing": lambda: statement(gdpnum.ApproxDP(epsilon=0.0, delta=1.0)),
    "replace": lambda: statement(gdpnum.Gaussian(sigma=2.0, neighbouring="replace")),
    "hostile": lambda: statement(gdpnum.Gaussian(sigma=2.0), name=HOSTILE),
    "long": lambda: statement(
        gdpnum.GDP(mu=1.0).curve(), fprs=[0.0, 1e-300, 1 / 3, 1.0], name="x" * 200
    ),
}


def write(folder):
    folder.mkdir(exist_ok=True)
    pages = {name: folder / f"{name}.html" for name in SETTINGS}
    for name, page in pages.items():
        page.write_text(html(SETTINGS[name]()), encoding="utf-8")
    if chromium.BINARY is None:
        return
    with tempfile.TemporaryDirectory() as profile, chromium.Chromium(profile) as browser:
        for name, page in pages.items():
            for width in (390, 900, 1280):
                for dark in (False, True):
                    browser.open(page, width=width, dark=dark)
                    picture = folder / f"{name}-{width}-{'dark' if dark else 'light'}.png"
                    picture.write_bytes(browser.screenshot())
            page.with_suffix(".pdf").write_bytes(browser.pdf())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
