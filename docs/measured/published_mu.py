"""Measure what the published gdpnum 0.1.2 says, setting by setting, for the page "Why mu changed".

Not part of the build: it needs an environment with ``gdpnum==0.1.2`` in it, such as the one that
``make bench`` makes, and takes some minutes. Its result is kept, as that of a benchmark is::

    .venvs/gdpnum-0.1.2/bin/python docs/measured/published_mu.py
"""

import itertools
import json
from importlib import metadata
from pathlib import Path

from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd

SIGMAS = [0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0]
RATES = [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3]
STEPS = [100, 300, 1000, 3000, 10000, 30000]


def main() -> None:
    """Ask for each setting and write the answers."""
    version = metadata.version("gdpnum")
    if version != "0.1.2":
        raise SystemExit(f"this is gdpnum {version}; run it where gdpnum==0.1.2 is installed")
    rows = []
    for sigma, rate, steps in itertools.product(SIGMAS, RATES, STEPS):
        try:
            mu, _ = get_mu_and_regret_for_dpsgd(sigma, rate, steps)
            rows.append([sigma, rate, steps, float(mu)])
        except Exception as error:  # a crash is a result
            rows.append([sigma, rate, steps, type(error).__name__])
        print(rows[-1], flush=True)
    lines = ",\n".join(json.dumps(row) for row in rows)
    Path(__file__).with_suffix(".json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
