"""How batches were drawn, without an engine: the run that a history then is."""

import json
import math

import pytest

import gdpnum
from gdpnum import DPSGD, CTDAccountant, Gaussian, fit_gdp
from gdpnum.draws import Clipping, Draws, Seen, run_as

TEN = Draws(scheme="shuffled", sampler="RandomSampler", batches_per_epoch=10)
POISSON = Draws(scheme="poisson", sampler="UniformWithReplacementSampler", rate=0.1)


def mu(history, draws, **more):
    return fit_gdp(run_as(history, Seen(draws=draws, **more))).mu


@pytest.mark.parametrize(
    ("history", "squares"),
    [
        ([(2.0, 0.1, 10)], [1 / 4]),
        ([(2.0, 0.1, 11)], [1 / 4, 1 / 4]),
        # The least noise of each epoch: 2, then 1, then 1, then 2.
        ([(2.0, 0.1, 13), (1.0, 0.1, 10), (2.0, 0.1, 12)], [1 / 4, 1, 1, 1 / 4]),
        # Two batches a step: half as many steps an epoch.
        ([(2.0, 0.2, 10)], [1 / 4, 1 / 4]),
        ([], [0.0]),
        ([(2.0, 0.1, 0)], [0.0]),
    ],
)
def test_each_epoch_is_one_release_of_its_least_noise(history, squares):
    assert mu(history, TEN) == pytest.approx(math.sqrt(sum(squares)), rel=1e-9, abs=1e-12)


def test_what_is_not_known_is_a_release_a_step():
    draws = Draws(scheme="unknown", sampler="Mine", batches_per_epoch=10, copies=2)
    assert mu([(2.0, 0.1, 9)], draws) == pytest.approx(3.0, rel=1e-9)


@pytest.mark.parametrize("draws", [TEN, Draws(scheme="unknown", sampler="Mine")])
def test_without_noise_everything_is_revealed(draws):
    assert mu([(0.0, 0.1, 1)], draws) == math.inf


def test_nothing_seen_is_the_history_as_it_stands():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=7)
    assert run_as([(1.0, 0.1, 7)], None) == run_as([(1.0, 0.1, 7)], Seen()) == run
    assert run_as([(1.0, 0.1, 7)], Seen(draws=POISSON)) == run


def test_noise_that_nobody_knows_guarantees_nothing():
    lost = Clipping(count_sigma=None, is_recorded=False)
    assert mu([(1.0, 0.1, 7)], POISSON, clipping=lost) == math.inf
    known = Clipping(count_sigma=None, is_recorded=False, noise_multiplier=0.9)
    assert run_as([(1.0, 0.1, 7)], Seen(draws=POISSON, clipping=known)) == DPSGD(
        noise_multiplier=0.9, sample_rate=0.1, steps=7
    )


def test_what_holds_of_two_ways_to_draw_is_the_worse():
    both = Seen(draws=TEN).and_then(Seen(draws=POISSON))
    assert run_as([(1.0, 0.1, 4)], both) == Gaussian(sigma=1.0, neighbouring="zero_out") * 4
    other = Seen(draws=Draws(scheme="poisson", sampler="UniformWithReplacementSampler", rate=0.2))
    mixed = Seen(draws=POISSON).and_then(other)
    history = [(1.0, 0.1, 4), (1.0, 0.2, 3)]
    assert run_as(history, mixed) == run_as(history, None)
    adaptive = Seen(clipping=Clipping(count_sigma=1.0, is_recorded=True))
    assert fit_gdp(run_as(history, Seen().and_then(adaptive))).mu == math.inf


def test_a_state_keeps_what_was_seen():
    seen = Seen(draws=TEN, clipping=Clipping(count_sigma=1.0, is_recorded=True), divisor=2.0)
    assert Seen.from_dict(json.loads(json.dumps(seen.to_dict()))) == seen
    accountant = CTDAccountant()
    accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    assert "seen" not in accountant.state_dict()
    assert accountant.batches is None
    accountant.seen = Seen(draws=TEN)
    again = CTDAccountant()
    again.load_state_dict(accountant.state_dict())
    assert again.seen == accountant.seen
    assert again.get_mu_and_regret()[0] == pytest.approx(1.0, rel=1e-9)
    assert "shuffled by RandomSampler" in gdpnum.statement(again).stated.batches


@pytest.mark.parametrize(
    "state",
    [
        7,
        [1, 2],
        {"none such": 1},
        {"draws": 3},
        {"draws": {"scheme": "guessed", "sampler": "x"}},
        {"draws": {"scheme": "shuffled", "sampler": "x", "batches_per_epoch": 0}},
        {"draws": {"scheme": "poisson", "sampler": "x", "rate": 2.0}},
        {"clipping": {"count_sigma": -1.0, "is_recorded": True}},
    ],
)
def test_a_state_that_says_something_else_is_refused(state):
    with pytest.raises(gdpnum.InvalidArgument, match="how batches were drawn"):
        Seen.from_dict(state)
