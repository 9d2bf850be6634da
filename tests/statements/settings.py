"""The settings whose texts are kept in golden/; python -m tests.statements.settings rewrites them.

Read what changed before you keep it.
"""

from pathlib import Path

import gdpnum
from gdpnum.statements import Statement, statement

GOLDEN = Path(__file__).parent / "golden"

FORMS = {"txt": str, "md": Statement.to_markdown, "tex": Statement.to_latex}

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
    "laplace": lambda: statement(gdpnum.Laplace(scale=1.0)),
    "no_finite_mu": lambda: statement(gdpnum.ApproxDP(epsilon=1.0, delta=1e-5)),
}


def written(text):
    """The text as its file holds it, whatever the version."""
    return text.replace(gdpnum.__version__, "VERSION").rstrip("\n") + "\n"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, build in SETTINGS.items():
        found = build()
        for ending, form in FORMS.items():
            (GOLDEN / f"{name}.{ending}").write_text(written(form(found)), encoding="utf-8")
