"""JAX-Privacy's own tests of accounting and plans, with gdpnum's accountant in the place of theirs.

    python benchmarks/peers/run_jax_privacy.py CHECKOUT [--with PATH]...

CHECKOUT is a clone of google-deepmind/jax_privacy. Its development version needs those of
dp-accounting and optax: pass their source folders with --with. Prints the ledger that
docs/peers.md has, and fails if fewer tests pass with ours than with theirs.
"""

import argparse
import sys
from pathlib import Path

import suite

TESTS = ("tests/accounting_test.py", "tests/execution_plan_test.py")


def main():
    """Run both, print the ledger, return 1 if ours does worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--with", dest="paths", action="append", default=[], type=Path)
    given = parser.parse_args()
    stock = suite.outcomes(given.checkout, TESTS, given.paths)
    ours = suite.outcomes(given.checkout, TESTS, given.paths, plugin="in_place")
    print(f"jax_privacy {suite.commit(given.checkout)}")
    print("\n".join(suite.table(stock, ours)))
    passed = [sum(one for one, _ in found.values()) for found in (stock, ours)]
    return int(not stock or passed[1] < passed[0])


if __name__ == "__main__":
    sys.exit(main())
