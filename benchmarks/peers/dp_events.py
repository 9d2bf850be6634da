"""Every event of dp-accounting in every relation: what its own accountants say, and what ours does.

    python benchmarks/peers/dp_events.py

Needs a dp-accounting that has all events: put python/dp_accounting of a clone of
google/differential-privacy on PYTHONPATH. Writes the table of docs/dp_events.md;
tests/integrations/test_dp_event_table.py computes it again, theirs as far as the installed version
has the event.
"""

import math
import sys
import warnings
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "dp_events.md"
BEGIN, END = "<!-- table: benchmarks/peers/dp_events.py -->\n", "<!-- end of table -->\n"
DELTA = 1e-5
RELATIONS = {
    "ADD_OR_REMOVE_ONE": "add_remove",
    "REPLACE_ONE": "replace",
    "REPLACE_SPECIAL": "replace_special",
}
REFUSED = "refused"

# With the usual interval of 1e-4 their distribution of it takes minutes.
SLOW = "RandomAllocation"


class Maker:
    """Events by the names of their classes; for those of a newer version, stand-ins."""

    def __init__(self, module):
        self.module, self.missing = module, False

    def __getattr__(self, name):
        kind = getattr(self.module, f"{name}DpEvent", None)
        if kind is None:
            self.missing = True
            return lambda **fields: type(f"{name}DpEvent", (self.module.DpEvent,), fields)()
        return kind


def cases(make):
    """(what is shown, the event)."""

    def gaussian(sigma):
        return make.Gaussian(noise_multiplier=sigma)

    def times(count, event):
        return make.SelfComposed(event=event, count=count)

    def poisson(event, rate=0.01):
        return make.PoissonSampled(sampling_probability=rate, event=event)

    def drawn(name, event):
        return getattr(make, name)(source_dataset_size=10_000, sample_size=100, event=event)

    def best(shape):
        return make.RepeatAndSelect(event=gaussian(2.0), mean=10.0, shape=shape)

    def integers(sensitivity, dimension=None):
        return make.DiscreteGaussian(sigma=5.0, sensitivity=sensitivity, dimension=dimension)

    rho = make.module.ZCDpEvent  # the one whose name has but one "Dp"
    yield "NoOp", make.NoOp()
    yield "NonPrivate", make.NonPrivate()
    yield "Unsupported", make.Unsupported()
    yield (
        "Composed(Gaussian(4), 2 Laplace(4))",
        make.Composed(events=[gaussian(4.0), times(2, make.Laplace(noise_multiplier=4.0))]),
    )
    yield "Gaussian(1)", gaussian(1.0)
    yield "10 Laplace(3)", times(10, make.Laplace(noise_multiplier=3.0))
    yield (
        "5 DiscreteLaplace(0.2, 3)",
        times(5, make.DiscreteLaplace(noise_parameter=0.2, sensitivity=3)),
    )
    yield "4 DiscreteGaussian(5)", times(4, integers(1.0))
    yield "4 DiscreteGaussian(5, 2)", times(4, integers(2.0))
    yield "4 DiscreteGaussian(5, 2, dimension=1)", times(4, integers(2.0, 1))
    yield (
        "20 RandomizedResponse(0.7, 4)",
        times(20, make.RandomizedResponse(noise_parameter=0.7, num_buckets=4)),
    )
    yield "10 EpsilonDelta(0.3, 1e-7)", times(10, make.EpsilonDelta(epsilon=0.3, delta=1e-7))
    yield "20 ExponentialMechanism(0.3)", times(20, make.ExponentialMechanism(epsilon=0.3))
    yield "20 PermuteAndFlip(0.3)", times(20, make.PermuteAndFlip(epsilon=0.3))
    yield "4 ZCDp(0.05)", times(4, rho(0.05))
    yield "4 ZCDp(0.05, xi=0.02)", times(4, rho(0.05, 0.02))
    yield (
        "SingleEpochTreeAggregation(3, 100)",
        make.SingleEpochTreeAggregation(noise_multiplier=3.0, step_counts=100),
    )
    yield (
        "5 MixtureOfGaussians(2, [0, 2, 3], [0.8, 0.1, 0.1])",
        times(
            5,
            make.MixtureOfGaussians(
                standard_deviation=2.0,
                sensitivities=[0.0, 2.0, 3.0],
                sampling_probs=[0.8, 0.1, 0.1],
            ),
        ),
    )
    yield "1000 PoissonSampled(0.01, Gaussian(1))", times(1000, poisson(gaussian(1.0)))
    yield "1000 PoissonSampled(0.01, 2 Gaussian(2))", times(1000, poisson(times(2, gaussian(2.0))))
    yield (
        "1000 PoissonSampled(0.01, Laplace(1))",
        times(1000, poisson(make.Laplace(noise_multiplier=1.0))),
    )
    yield "1000 PoissonSampled(0.01, ZCDp(0.5))", times(1000, poisson(rho(0.5)))
    yield "PoissonSampled(0, Gaussian(0))", poisson(gaussian(0.0), 0.0)
    for name in ("SampledWithoutReplacement", "SampledWithReplacement"):
        shown = f"2000 {name}(10000, 100, Gaussian(2))"
        yield shown, times(2000, drawn(name, gaussian(2.0)))
    yield (
        "1000 SampledWithoutReplacement(10000, 100, ZCDp(0.5))",
        times(1000, drawn("SampledWithoutReplacement", rho(0.5))),
    )
    yield (
        "500 TruncatedSubsampledGaussian(1000, 0.05, 60, 2)",
        times(
            500,
            make.TruncatedSubsampledGaussian(
                dataset_size=1000,
                sampling_probability=0.05,
                truncated_batch_size=60,
                noise_multiplier=2.0,
            ),
        ),
    )
    yield (
        "RandomAllocation(Gaussian(2), 1, 10)",
        make.RandomAllocation(event=gaussian(2.0), num_selected=1, num_steps=10),
    )
    yield "RepeatAndSelect(Gaussian(2), 10, shape=1)", best(1.0)
    yield "RepeatAndSelect(Gaussian(2), 10, shape=0)", best(0.0)
    yield "RepeatAndSelect(Gaussian(2), 10, shape=inf)", best(math.inf)


SENSITIVITY = "RDP: of one sensitivity, where a replaced record moves the query by two"
#: What is to be said of a row, by how the event begins and the relation (or None for all).
NOTES = (
    ("20 RandomizedResponse", None, "PLD: counts any number of answers as one"),
    ("20 ExponentialMechanism", None, "RDP: counts any number of selections as one"),
    ("RepeatAndSelect", "replace", SENSITIVITY),
    ("Gaussian", "replace", SENSITIVITY),
    ("Composed", "replace", SENSITIVITY),
    ("10 Laplace", "replace", SENSITIVITY),
    ("4 DiscreteGaussian", "replace", SENSITIVITY),
    (
        "2000 SampledWithoutReplacement",
        "replace",
        f"{SENSITIVITY} (google/differential-privacy#378); an attack has 2.583",
    ),
    (
        "1000 PoissonSampled(0.01, ZCDp",
        "add_remove",
        "RDP: that of the Gaussian of this rho, which is no bound for all that is zCDP; ours is",
    ),
    (
        "1000 PoissonSampled(0.01, ZCDp",
        "replace_special",
        "as above; what the special record does to a sample is not part of the event",
    ),
    ("RandomAllocation", None, "PLD: at an interval of 1e-3, for the time it takes"),
    ("RandomAllocation", "replace", "the relation is not looked at"),
)


def epsilon_of(package, accountant, event):
    """Epsilon by an accountant, None where it refuses the event."""
    try:
        return float(accountant.compose(event).get_epsilon(DELTA))
    except package.UnsupportedEventError:
        return None


def theirs(package, event, relation, *, coarsely=False):
    """Epsilon by their PLD accountant and by their RDP accountant."""
    interval = {"value_discretization_interval": 1e-3} if coarsely else {}
    pld = package.pld.PLDAccountant(neighboring_relation=relation, **interval)
    renyi = package.rdp.RdpAccountant(neighboring_relation=relation)
    return [epsilon_of(package, one, event) for one in (pld, renyi)]


def shown(epsilon):
    """Four decimals; refused where there is none."""
    return REFUSED if epsilon is None else f"{epsilon:.4f}"


def note(event, relation):
    """What is to be said of a row."""
    return "; ".join(
        text for name, only, text in NOTES if event.startswith(name) and only in (None, relation)
    )


def table(package, accountant):
    """The rows, all computed."""
    yield "| event | relation | PLD | RDP | ours | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    make = Maker(package.dp_event)
    for name, event in cases(make):
        if make.missing:
            raise SystemExit(f"this dp-accounting has no {name}; put a newer one on PYTHONPATH")
        for relation, label in ((package.NeighboringRelation[r], RELATIONS[r]) for r in RELATIONS):
            cells = theirs(package, event, relation, coarsely=name.startswith(SLOW))
            cells.append(epsilon_of(package, accountant(relation), event))
            columns = [f"`{name}`", label, *map(shown, cells), note(name, label)]
            yield f"| {' | '.join(columns)} |"


def main():
    """Write the table into the page."""
    import dp_accounting

    from gdpnum.integrations.dp_accounting import GdpnumAccountant

    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = "".join(f"{row}\n" for row in table(dp_accounting, GdpnumAccountant))
    PAGE.write_text(f"{before}{BEGIN}\n{rows}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
