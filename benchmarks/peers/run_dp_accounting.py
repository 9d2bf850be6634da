"""dp-accounting's own tests of its accountants, with gdpnum's accountant in the place of theirs.

    python benchmarks/peers/run_dp_accounting.py CHECKOUT

CHECKOUT is a clone of google/differential-privacy. Run are the tests of its PLD accountant, those
of the interface that every accountant is to pass, and those of calibration. Prints the ledger that
docs/dp_events.md has, and fails if there is a difference that is not explained below.
"""

import argparse
import sys
from pathlib import Path

import suite

ROOT = "python/dp_accounting"
TESTS = (
    f"{ROOT}/dp_accounting/pld/pld_privacy_accountant_test.py",
    f"{ROOT}/dp_accounting/mechanism_calibration_test.py",
)
# Of the tests of the Renyi accountant, those of the interface; the others read its orders.
RENYI = f"{ROOT}/dp_accounting/rdp/rdp_privacy_accountant_test.py"
INTERFACE = (
    "test_make_test_accountants",
    *(f"test_unsupported{number}" for number in range(6)),
    "test_no_events",
    "test_no_op",
    *(f"test_non_private{number}" for number in range(4)),
    "test_epsilon_delta_noop",
)

TWICE = (
    "Ours has a bound: a replaced record moves the query by twice the sensitivity, which is "
    "half the noise."
)

#: Why a test that passes with theirs does not with ours.
REASONS = {
    "test_composition_errors_for_neighboring_relation1": f"Laplace noise is to be refused. {TWICE}",
    "test_composition_errors_for_neighboring_relation3": (
        f"Discrete Laplace noise is to be refused. {TWICE}"
    ),
    "test_composition_errors_for_neighboring_relation5": (
        "Permute-and-flip is to be refused for a replaced record, as Laplace noise is. Ours has a "
        "bound: its epsilon is that of its guarantee, for whichever relation the scores have it."
    ),
    "test_contains_non_dp_event": (
        "It reads the private `_contains_non_dp_event`. Epsilon, delta, TPR and mu are as it wants."
    ),
    "test_epsilon_delta_basic": (
        "0.28 is asked for to the last bit. Ours is 2.2e-13 above: rounding is charged."
    ),
    "test_random_allocation_basic": (
        "Ours is tighter: epsilon 2.4242 where 2.4265 is asked for, which is theirs at their "
        "interval of 1e-4 (at 1e-3 it is 2.4498); from below, mu is within 2e-4 of ours."
    ),
    "test_truncated_subsampled_gaussian_basic": (
        "Ours is tighter: delta 2.3e-7 where 1e-6 is asked for, by the hull in place of their pair "
        "for a replaced record (proofs, Lemma B2)."
    ),
}


def main() -> int:
    """Run both, print the ledger, return 1 if a difference is not explained."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    checkout = parser.parse_args().checkout.resolve()
    tests = [*TESTS, *(f"{RENYI}::RdpPrivacyAccountantTest::{name}" for name in INTERFACE)]
    paths = [checkout / ROOT]
    stock = suite.outcomes(checkout, tests, paths)
    ours = suite.outcomes(checkout, tests, paths, plugin="in_place")
    counts = [sum(passed for passed, _ in found.values()) for found in (stock, ours)]
    print(f"google/differential-privacy at {suite.commit(checkout)}")
    print(f"{len(stock)} tests: {counts[0]} pass with theirs, {counts[1]} with ours.")
    different = [name for name in stock if stock[name][0] and not ours.get(name, (False,))[0]]
    print("\n| test | why ours differs |\n| --- | --- |")
    unexplained = 0
    for name in different:
        reason = REASONS.get(name.rpartition(".")[2])
        unexplained += reason is None
        print(f"| `{name.rpartition('.')[2]}` | {reason or 'NOT EXPLAINED: ' + ours[name][1]} |")
    return int(not stock or unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
