"""Events and accountants of dp-accounting."""

import copy
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gdpnum
from gdpnum import (
    DPSGD,
    ZCDP,
    ApproxDP,
    DiscreteLaplace,
    FixedSize,
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
    MixtureOfGaussians,
    PoissonSampled,
    PureDP,
    UnsupportedMechanism,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.integrations import dp_accounting as ours
from gdpnum.integrations.dp_accounting import from_dp_accountant, from_dp_event, from_pld
from tests.catalogue import PAPER, REFERENCE

theirs = pytest.importorskip("dp_accounting")
events = pytest.importorskip("dp_accounting.dp_event")
plds = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

Relation = theirs.NeighboringRelation
RELATIONS = {
    "add_remove": Relation.ADD_OR_REMOVE_ONE,
    "replace": Relation.REPLACE_ONE,
    "replace_special": Relation.REPLACE_SPECIAL,
}

gaussian, laplace = events.GaussianDpEvent, events.LaplaceDpEvent
sampled, composed = events.PoissonSampledDpEvent, events.ComposedDpEvent
repeated, tree = events.SelfComposedDpEvent, events.SingleEpochTreeAggregationDpEvent
response, mixture = events.RandomizedResponseDpEvent, events.MixtureOfGaussiansDpEvent


drawn = events.SampledWithoutReplacementDpEvent


def dpsgd(sigma, rate, steps):
    return repeated(sampled(rate, gaussian(sigma)), steps)


def mechanism(event, neighbouring="add_remove"):
    return from_dp_event(event, neighbouring=neighbouring)


# --- the mechanisms that events are -------------------------------------------------------------


@pytest.mark.parametrize("run", REFERENCE, ids=lambda run: run.name)
def test_reference_runs_are_the_native_mechanisms(run):
    event = composed([dpsgd(one.sigma, one.rate, one.steps) for one in run.segments])
    native = [
        DPSGD(noise_multiplier=one.sigma, sample_rate=one.rate, steps=one.steps)
        for one in run.segments
    ]
    assert mechanism(event) == gdpnum.Composed(native)


def test_a_reference_run_has_its_mu():
    (one,) = PAPER.segments
    fit = fit_gdp(mechanism(dpsgd(one.sigma, one.rate, one.steps)))
    assert PAPER.mu().lower <= fit.mu <= 1.002 * PAPER.mu().upper


@pytest.mark.parametrize(
    ("event", "neighbouring", "expected"),
    [
        (gaussian(2.0), "add_remove", Gaussian(sigma=2.0)),
        (gaussian(2.0), "replace_special", Gaussian(sigma=2.0, neighbouring="zero_out")),
        (gaussian(2.0), "replace", Gaussian(sigma=2.0, neighbouring="replace")),
        (laplace(3.0), "add_remove", Laplace(scale=3.0)),
        (laplace(3.0), "replace", Laplace(scale=3.0, neighbouring="replace")),
        (
            events.DiscreteLaplaceDpEvent(0.5, 3),
            "replace_special",
            DiscreteLaplace(scale=2.0, sensitivity=3, neighbouring="zero_out"),
        ),
        (events.DiscreteLaplaceDpEvent(0.5, 1), "add_remove", DiscreteLaplace(scale=2.0)),
        (sampled(0.1, laplace(3.0)), "add_remove", PoissonSampled(Laplace(scale=3.0), rate=0.1)),
        (
            sampled(0.1, gaussian(2.0)),
            "replace",
            PoissonSampled(Gaussian(sigma=2.0, neighbouring="replace"), rate=0.1),
        ),
        (
            sampled(0.5, sampled(0.5, gaussian(2.0))),
            "add_remove",
            PoissonSampled(Gaussian(sigma=2.0), rate=0.25),
        ),
        (
            sampled(0.1, composed([repeated(gaussian(4.0), 3), gaussian(4.0)])),
            "add_remove",
            PoissonSampled(Gaussian(sigma=2.0), rate=0.1),
        ),
        (sampled(1.0, repeated(laplace(3.0), 2)), "add_remove", Laplace(scale=3.0) * 2),
        (tree(2.0, 7), "replace_special", Gaussian(sigma=2.0, neighbouring="zero_out") * 3),
        (tree(2.0, [3, 8, 5]), "replace_special", Gaussian(sigma=2.0, neighbouring="zero_out") * 4),
        (tree(2.0, 1), "replace", Gaussian(sigma=2.0, neighbouring="replace")),
        (tree(2.0, 7), "replace", Gaussian(sigma=2.0, neighbouring="replace") * 3),
        (mixture(2.0, [0.0, 4.0], [0.75, 0.25]), "add_remove", None),
        (mixture(2.0, [4.0], [1.0]), "add_remove", None),
        (
            sampled(0.5, mixture(2.0, [1.0, 2.0], [0.5, 0.5])),
            "add_remove",
            MixtureOfGaussians(sigma=2.0, shifts=[0, 1, 2], weights=[0.5, 0.25, 0.25]),
        ),
        (events.ZCDpEvent(0.5), "replace", ZCDP(rho=0.5)),
        # What JAX-Privacy makes of no noise.
        (events.ZCDpEvent(math.inf), "replace", ApproxDP(epsilon=0.0, delta=1.0)),
        (sampled(0.5, events.ZCDpEvent(math.inf)), "add_remove", ApproxDP(epsilon=0.0, delta=1.0)),
        (repeated(composed([events.ZCDpEvent(0.25)] * 2), 3), "replace", ZCDP(rho=1.5)),
        (events.NoOpDpEvent(), "add_remove", PureDP(epsilon=0.0)),
        (composed([]), "add_remove", PureDP(epsilon=0.0)),
        (sampled(0.0, gaussian(1.0)), "add_remove", PureDP(epsilon=0.0)),
        (sampled(0.0, gaussian(0.0)), "add_remove", PureDP(epsilon=0.0)),
        (drawn(10, 0, gaussian(0.0)), "replace", PureDP(epsilon=0.0)),
        (
            drawn(1000, 10, repeated(gaussian(4.0), 4)),
            "replace",
            FixedSize(
                Gaussian(sigma=2.0, neighbouring="replace"), batch_size=10, dataset_size=1000
            ),
        ),
        (
            drawn(10, 10, laplace(2.0)),
            "replace",
            Laplace(scale=2.0, neighbouring="replace"),
        ),
        (composed([events.NoOpDpEvent(), gaussian(1.0)]), "add_remove", Gaussian(sigma=1.0)),
        (
            composed([gaussian(1.0), laplace(2.0), repeated(gaussian(1.0), 2)]),
            "add_remove",
            Gaussian(sigma=1.0) * 3 + Laplace(scale=2.0),
        ),
    ],
    ids=str,
)
def test_an_event_is_the_mechanism_it_describes(event, neighbouring, expected):
    if expected is None:  # a mixture that is a Poisson sample
        expected = PoissonSampled(Gaussian(sigma=0.5), rate=event.sampling_probs[-1])
    assert mechanism(event, neighbouring) == expected
    assert mechanism(event, RELATIONS[neighbouring]) == expected
    assert mechanism(event.to_named_tuple(), neighbouring) == expected


@pytest.mark.parametrize(
    "event",
    [
        events.NonPrivateDpEvent(),
        gaussian(0.0),
        laplace(0.0),
        sampled(0.5, gaussian(0.0)),
        mixture(0.0, [0.0, 1.0], [0.5, 0.5]),
        events.DiscreteLaplaceDpEvent(0.0, 1),
        composed([gaussian(1.0), repeated(events.NonPrivateDpEvent(), 3)]),
    ],
    ids=str,
)
def test_what_is_not_private_reveals_everything(event):
    run = mechanism(event)
    assert run == ApproxDP(epsilon=0.0, delta=1.0)
    assert fit_gdp(run).mu == math.inf
    assert tradeoff_curve(run).epsilon(0.5) == math.inf


def test_a_tree_without_noise_reveals_everything():
    assert mechanism(tree(0.0, 4), "replace_special") == ApproxDP(epsilon=0.0, delta=1.0)


@pytest.mark.parametrize("steps", [1, 2, 7, 8, 1000])
@pytest.mark.parametrize("sigma", [0.5, 4.0])
def test_tree_aggregation_is_exactly_gaussian(sigma, steps):
    mu = fit_gdp(mechanism(tree(sigma, steps), "replace_special")).mu
    assert mu == pytest.approx(math.sqrt(steps.bit_length()) / sigma, rel=1e-14)
    # Their Renyi bound is that of this Gaussian.
    rdp = theirs.rdp.RdpAccountant(orders=[2.0], neighboring_relation=Relation.REPLACE_SPECIAL)
    rdp.compose(tree(sigma, steps))
    assert rdp._rdp[0] == pytest.approx(mu**2)


# --- against dp-accounting's own distributions --------------------------------------------------


def their_curve(event, neighbouring, step=1e-3):
    accountant = theirs.pld.PLDAccountant(
        RELATIONS[neighbouring], value_discretization_interval=step
    )
    return from_pld(accountant.compose(event)._pld)


COMPARED = [
    (gaussian(1.5), "add_remove"),
    (gaussian(1.5), "replace"),
    (gaussian(1.5), "replace_special"),
    (dpsgd(1.0, 0.1, 20), "add_remove"),
    (dpsgd(1.0, 0.1, 20), "replace"),
    (dpsgd(1.0, 0.1, 20), "replace_special"),
    (composed([laplace(2.0), repeated(sampled(0.3, laplace(1.0)), 3)]), "add_remove"),
    (events.DiscreteLaplaceDpEvent(0.5, 1), "add_remove"),
    (events.DiscreteLaplaceDpEvent(0.2, 5), "replace_special"),
    (repeated(events.DiscreteLaplaceDpEvent(0.1, 3), 4), "add_remove"),
    (response(0.5, 4), "replace"),
    (response(0.5, 4), "replace_special"),
    (response(0.2, 2), "replace_special"),
    (repeated(mixture(2.0, [0.0, 1.0, 2.0], [0.81, 0.18, 0.01]), 50), "add_remove"),
    (mixture(1.0, [0.5, 1.0], [0.5, 0.5]), "replace_special"),
]


@pytest.mark.parametrize("neighbouring", ["add_remove", "replace", "replace_special"])
def test_truncated_batches_are_no_looser_than_their_distribution(neighbouring):
    event = repeated(events.TruncatedSubsampledGaussianDpEvent(1000, 0.05, 60, 1.0), 50)
    run = mechanism(event, neighbouring)
    assert "TruncatedPoisson" in repr(run)
    curve, reference = tradeoff_curve(run), their_curve(event, neighbouring)
    for delta in (1e-3, 1e-5, 1e-8):
        assert curve.epsilon(delta) <= reference.epsilon(delta) * (1.0 + 2e-3)


@pytest.mark.parametrize(("event", "neighbouring"), COMPARED, ids=str)
def test_mu_and_epsilon_are_those_of_their_distribution(event, neighbouring):
    run = mechanism(event, neighbouring)
    curve, reference = tradeoff_curve(run), their_curve(event, neighbouring)
    # Theirs is on a lattice of 1e-3, to which integer noise is rounded up.
    for delta in (1e-2, 1e-5, 1e-8):
        assert curve.epsilon(delta) == pytest.approx(reference.epsilon(delta), rel=2e-2)
    assert curve.advantage == pytest.approx(reference.advantage, rel=6e-3)
    assert fit_gdp(run).mu == pytest.approx(fit_gdp(reference).mu, rel=6e-3)


@pytest.mark.parametrize("neighbouring", ["replace", "replace_special"])
@pytest.mark.parametrize(
    "drawn", ["SampledWithoutReplacementDpEvent", "SampledWithReplacementDpEvent"]
)
def test_batches_of_a_fixed_size_are_read_as_such(drawn, neighbouring):
    event = repeated(getattr(events, drawn)(10_000, 100, gaussian(1.0)), 1000)
    run = mechanism(event, neighbouring)
    assert "FixedSize" in repr(run)
    # An attack on (1, .01, 1000) has 13.36 where dp-accounting's RDP says 3.58.
    if neighbouring == "replace":
        assert tradeoff_curve(run).epsilon(1e-5) >= 13.36
    with pytest.raises(gdpnum.GdpnumError):
        mechanism(event, "add_remove")


def test_what_is_read_through_a_distribution_is_not_attacked():
    event = repeated(mixture(1.0, [0.0, 1.0, 1.0 + 1e-9], [0.9, 0.05, 0.05]), 50)
    fit = fit_gdp(mechanism(event, "add_remove"))
    assert fit.mu_lower <= 1.313958 <= fit.mu


def test_a_sampled_tree_is_refused():
    with pytest.raises(UnsupportedMechanism, match="tree"):
        mechanism(sampled(0.1, tree(1.0, 8)), "replace_special")


def test_a_mixture_is_bounded_from_above():
    # As a mixture that no shortcut applies to: two nearly equal shifts bracket a Poisson sample.
    probabilities = [0.95, 0.025, 0.025]
    run = mechanism(repeated(mixture(1.0, [0.0, 1.0, 1.0 + 1e-9], probabilities), 200))
    native = fit_gdp(DPSGD(noise_multiplier=1.0, sample_rate=0.05, steps=200))
    assert isinstance(run.parts[0][0], MixtureOfGaussians)
    assert native.mu_lower <= fit_gdp(run).mu <= 1.003 * native.mu


def test_randomized_response_is_released_as_often_as_it_says():
    # Their accountant of 0.6 counts any number of answers as one.
    event = repeated(response(0.5, 4), 100)
    run = mechanism(event, "replace")
    ((leaf, count),) = run.parts
    assert count == 100
    assert leaf.categories == 4
    assert leaf.epsilon == pytest.approx(math.log(0.625 / 0.125))
    step = plds.from_randomized_response(0.5, 4, value_discretization_interval=1e-3)
    exact = from_pld(step.self_compose(100)).epsilon(1e-5)
    assert tradeoff_curve(run).epsilon(1e-5) == pytest.approx(exact, rel=5e-3)
    assert tradeoff_curve(run).epsilon(1e-5) > 10.0 * leaf.epsilon
    special = mechanism(event, "replace_special")
    assert tradeoff_curve(special).epsilon(1e-5) < tradeoff_curve(run).epsilon(1e-5)


def test_one_bucket_and_pure_chance_tell_nothing():
    for event in (response(0.0, 1), response(1.0, 4)):
        assert mechanism(event, "replace") == PureDP(epsilon=0.0)


# --- what has no bound --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "neighbouring", "message"),
    [
        (events.UnsupportedDpEvent(), "add_remove", r"^event: UnsupportedDpEvent has no bound"),
        (
            composed(
                [
                    gaussian(1.0),
                    laplace(1.0),
                    repeated(sampled(0.1, events.UnsupportedDpEvent()), 3),
                ]
            ),
            "add_remove",
            r"^events\[2\].event.event: UnsupportedDpEvent",
        ),
        (sampled(0.1, laplace(1.0)), "replace", "known for Gaussian noise"),
        (mixture(1.0, [0.0, 1.0], [0.5, 0.5]), "replace", "MixtureOfGaussians"),
        (response(0.5, 4), "add_remove", "number of answers"),
        (tree(5.0, 8), "add_remove", "^event: SingleEpochTree.*'replace_special' or 'replace'"),
        (sampled(0.1, tree(5.0, 8)), "add_remove", "^event: SingleEpochTree.*other leaves"),
        (sampled(0.1, repeated(gaussian(1.0), 2)), "replace", "several of Gaussian"),
        (
            sampled(0.1, composed([gaussian(1.0), laplace(1.0)])),
            "add_remove",
            "several of Gaussian",
        ),
        (sampled(0.1, repeated(laplace(1.0), 2)), "add_remove", "several of Gaussian"),
        (sampled(0.1, events.ZCDpEvent(0.5)), "replace_special", r"if ZCDP\(rho=0.5\) is released"),
        (drawn(100, 10, events.ZCDpEvent(0.5)), "replace_special", "no bound for neighbouring"),
        (drawn(100, 10, gaussian(1.0)), "add_remove", "draws the others more or less often"),
        (drawn(100, 10, laplace(1.0)), "replace", "no bound for neighbouring"),
    ],
    ids=str,
)
def test_an_event_without_a_bound_is_refused_by_its_path(event, neighbouring, message):
    with pytest.raises(UnsupportedMechanism, match=message):
        mechanism(event, neighbouring)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (sampled(1.5, gaussian(1.0)), r"^event: sampling_probability=1.5 is outside \[0, 1\]"),
        (repeated(gaussian(-1.0), 2), r"^event: noise_multiplier=-1.0 is negative"),
        (composed([gaussian(math.nan)]), r"^events\[0\]: noise_multiplier=nan"),
        (repeated(gaussian(1.0), -1), "^event: count=-1 is below 0"),
        (mixture(1.0, [0.0, 1.0], [0.5]), "2 shifts with 1 weights"),
        (mixture(1.0, [0.0, 1.0], [0.5, 0.1]), "of sum 0.6"),
        (events.DiscreteLaplaceDpEvent(-1.0, 1), "noise_parameter=-1.0 is negative"),
    ],
    ids=str,
)
def test_an_event_with_a_wrong_number_is_refused(event, message):
    with pytest.raises(InvalidArgument, match=message):
        mechanism(event)


def test_a_tree_without_steps_is_refused():
    with pytest.raises(InvalidArgument, match="step_counts is empty"):
        mechanism(tree(1.0, []), "replace_special")


@pytest.mark.parametrize("wrong", [None, 1.0, "GaussianDpEvent", Gaussian(sigma=1.0)])
def test_what_is_no_event_is_refused(wrong):
    with pytest.raises(InvalidType, match="not a DpEvent"):
        mechanism(wrong)
    with pytest.raises(InvalidType, match=r"events\[0\]"):
        mechanism(composed([wrong]))


@pytest.mark.parametrize("wrong", [None, "zeroed", 1, "ADD_OR_REMOVE_ONE"])
def test_the_relation_must_be_one(wrong):
    with pytest.raises(InvalidArgument, match="neighbouring"):
        mechanism(gaussian(1.0), wrong)


def test_the_relation_must_be_said():
    with pytest.raises(TypeError, match="neighbouring"):
        from_dp_event(gaussian(1.0))


# --- events that only newer versions have -------------------------------------------------------


def newer(name, **fields):
    return type(name, (events.DpEvent,), fields)()


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (newer("EpsilonDeltaDpEvent", epsilon=1.0, delta=1e-6), ApproxDP(epsilon=1.0, delta=1e-6)),
        (newer("EpsilonDeltaDpEvent", epsilon=0.0, delta=0.0), PureDP(epsilon=0.0)),
        (
            newer("ExponentialMechanismDpEvent", epsilon=0.5),
            gdpnum.ExponentialMechanism(epsilon=0.5),
        ),
        (
            newer("PermuteAndFlipDpEvent", epsilon=0.5),
            gdpnum.ReportNoisyMax(scale=4.0, noise="exponential"),
        ),
        (
            newer("DiscreteGaussianDpEvent", sigma=3.0, sensitivity=2.0, dimension=1),
            gdpnum.DiscreteGaussian(sigma=3.0, sensitivity=2),
        ),
        (
            newer("RandomAllocationDpEvent", event=gaussian(2.0), num_selected=3, num_steps=10),
            gdpnum.Allocated(Gaussian(sigma=2.0), bins=10, times=3),
        ),
        (
            newer("RandomAllocationDpEvent", event=gaussian(0.0), num_selected=0, num_steps=10),
            PureDP(epsilon=0.0),
        ),
        (
            newer("DiscreteGaussianDpEvent", sigma=3.0, sensitivity=1.0, dimension=None),
            gdpnum.DiscreteGaussian(sigma=3.0),
        ),
        (type("MyGaussian", (gaussian,), {})(2.0), Gaussian(sigma=2.0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_events_of_other_versions_are_known_by_name(event, expected):
    assert mechanism(event) == expected


@pytest.mark.parametrize("sensitivity", [1.5, 2.0])
def test_of_a_discrete_gaussian_on_vectors_rho_is_known(sensitivity):
    event = newer("DiscreteGaussianDpEvent", sigma=3.0, sensitivity=sensitivity, dimension=None)
    for neighbouring, moved in (("add_remove", sensitivity), ("replace", 2.0 * sensitivity)):
        run = mechanism(event, neighbouring)
        assert isinstance(run, ZCDP)
        assert run.rho == pytest.approx(moved**2 / 18.0)
        assert run.rho >= moved**2 / 18.0


# --- accountants --------------------------------------------------------------------------------


@pytest.mark.parametrize("neighbouring", RELATIONS)
def test_what_an_accountant_composed_is_read_from_its_ledger(neighbouring):
    accountant = theirs.pld.PLDAccountant(RELATIONS[neighbouring])
    accountant.compose(gaussian(2.0), 2).compose(sampled(0.1, gaussian(3.0)), 5)
    relation = neighbouring.replace("replace_special", "zero_out")
    two, three = (Gaussian(sigma=sigma, neighbouring=relation) for sigma in (2.0, 3.0))
    run = from_dp_accountant(accountant)
    assert run == two * 2 + PoissonSampled(three, rate=0.1) * 5


def test_it_matters_not_how_the_accountant_accounts():
    event = dpsgd(1.0, 0.01, 100)
    accountants = [theirs.rdp.RdpAccountant(), theirs.pld.PLDAccountant(), ours.GdpnumAccountant()]
    runs = {from_dp_accountant(accountant.compose(event)) for accountant in accountants}
    assert runs == {mechanism(event)}


def test_an_empty_accountant_is_refused():
    with pytest.raises(InvalidArgument, match="ledger is empty"):
        from_dp_accountant(theirs.pld.PLDAccountant())


@pytest.mark.parametrize("wrong", [None, gaussian(1.0), "accountant"])
def test_what_is_no_accountant_is_refused(wrong):
    with pytest.raises(InvalidType, match="ledger"):
        from_dp_accountant(wrong)


def test_ours_is_one_of_theirs():
    accountant = ours.GdpnumAccountant()
    assert isinstance(accountant, theirs.PrivacyAccountant)
    assert accountant.neighboring_relation is Relation.ADD_OR_REMOVE_ONE
    assert accountant.get_epsilon(1e-5) == 0.0
    assert accountant.get_delta(0.0) == 0.0
    assert accountant.compose(gaussian(2.0)) is accountant
    assert accountant.mechanism == Gaussian(sigma=2.0)
    exact = gdpnum.epsilon_from_mu(0.5, 1e-5)
    assert accountant.get_epsilon(1e-5) == pytest.approx(exact)
    assert accountant.get_delta(exact) == pytest.approx(1e-5)
    accountant.compose(laplace(1.0), 3)
    assert accountant.mechanism == Gaussian(sigma=2.0) + Laplace(scale=1.0) * 3
    assert accountant.get_epsilon(1e-5) > exact


def test_ours_bounds_what_theirs_brackets():
    event = dpsgd(1.0, 0.05, 100)
    epsilon = ours.GdpnumAccountant().compose(event).get_epsilon(1e-5)
    fine = theirs.pld.PLDAccountant(value_discretization_interval=1e-4).compose(event)
    assert epsilon == pytest.approx(fine.get_epsilon(1e-5), rel=2e-3)
    optimistic = plds.from_gaussian_mechanism(
        1.0, sampling_prob=0.05, pessimistic_estimate=False, use_connect_dots=False
    ).self_compose(100)
    assert epsilon >= optimistic.get_epsilon_for_delta(1e-5)


def test_ours_refuses_what_has_no_bound_and_stays_as_it_was():
    accountant = ours.GdpnumAccountant().compose(gaussian(2.0))
    event = composed([gaussian(1.0), repeated(events.UnsupportedDpEvent(), 2)])
    assert not accountant.supports(event)
    assert not accountant.supports(tree(1.0, 5))
    assert ours.GdpnumAccountant(Relation.REPLACE_SPECIAL).supports(tree(1.0, 5))
    with pytest.raises(theirs.UnsupportedEventError, match=r"events\[1\].event"):
        accountant.compose(event)
    assert accountant.ledger == gaussian(2.0)
    assert accountant.mechanism == Gaussian(sigma=2.0)


def test_ours_holds_its_relation():
    accountant = ours.GdpnumAccountant(Relation.REPLACE_ONE).compose(gaussian(2.0))
    assert accountant.mechanism == Gaussian(sigma=2.0, neighbouring="replace")
    assert not accountant.supports(sampled(0.1, laplace(1.0)))


def test_ours_takes_what_the_others_take_and_says_that_it_ignores_it():
    for given in ({"value_discretization_interval": 1e-3}, {"orders": [2.0, 8.0]}):
        (name,) = given
        with pytest.warns(ours.IgnoredSetting, match=f"{name} is not used") as caught:
            accountant = ours.GdpnumAccountant(**given)
        assert caught[0].filename == __file__
        assert accountant.compose(gaussian(2.0)).mechanism == Gaussian(sigma=2.0)
    with pytest.warns(ours.IgnoredSetting):  # by place, as theirs has it
        assert ours.GdpnumAccountant(Relation.REPLACE_ONE, 1e-3).neighboring_relation.value == 2
    with pytest.warns(ours.IgnoredSetting, match="orders"):
        accountant = ours.GdpnumAccountant([2.0, 8.0], Relation.REPLACE_SPECIAL)
    assert accountant.neighboring_relation is Relation.REPLACE_SPECIAL
    with pytest.raises(InvalidType, match="NeighboringRelation"):
        ours.GdpnumAccountant(neighboring_relation="replace")
    with pytest.raises(InvalidType, match="by name"):
        ours.GdpnumAccountant("replace")


def test_ours_bounds_attacks_and_mu():
    accountant = ours.GdpnumAccountant().compose(gaussian(math.sqrt(3.0)), 3)
    rates = np.array([0.01, 0.1, 0.5])
    exact = np.array([gdpnum.tpr_from_mu(1.0, rate) for rate in rates])
    assert accountant.get_true_positive_rates(rates) == pytest.approx(exact)
    assert accountant.get_true_positive_rates(0.1, deltas=[1e-3]) == pytest.approx(exact[1])
    assert accountant.get_gdp_parameter_estimate() == pytest.approx(1.0)
    # Theirs is an estimate from a grid of FPRs; ours is a bound, over all of them.
    run = dpsgd(1.0, 0.01, 200)
    bound = ours.GdpnumAccountant().compose(run).get_gdp_parameter_estimate()
    fit = fit_gdp(mechanism(run))
    assert fit.mu_lower <= bound <= fit.mu * (1.0 + 1e-4)
    optimistic = plds.from_gaussian_mechanism(
        1.0, sampling_prob=0.01, pessimistic_estimate=False, use_connect_dots=False
    ).self_compose(200)
    for epsilon in (0.1, 0.5, 1.0):
        assert gdpnum.delta_from_mu(bound, epsilon) >= optimistic.get_delta_for_epsilon(epsilon)


def test_ours_says_which_event_it_refuses():
    bad = events.UnsupportedDpEvent()
    for event in (bad, composed([gaussian(1.0), repeated(bad, 3)]), sampled(0.1, bad)):
        details = ours.GdpnumAccountant()._maybe_compose(event, 1, False)
        assert details.invalid_event == bad
    event = repeated(sampled(0.1, composed([laplace(1.0), laplace(2.0)])), 2)
    details = ours.GdpnumAccountant()._maybe_compose(event, 1, False)
    assert details.invalid_event == event.event


def test_all_or_nothing_at_the_ends():
    nothing, everything = ours.GdpnumAccountant(), ours.GdpnumAccountant()
    everything.compose(events.NonPrivateDpEvent())
    for delta in (0.0, 1e-12, 1.0):
        assert nothing.get_epsilon(delta) == 0.0
        assert everything.get_epsilon(delta) == math.inf
    for epsilon in (0.0, 1e-12, math.inf):
        assert nothing.get_delta(epsilon) == 0.0
        assert everything.get_delta(epsilon) == 1.0
    assert everything.get_true_positive_rates(0.1) == 1.0
    assert everything.get_gdp_parameter_estimate() == math.inf
    assert nothing.get_gdp_parameter_estimate() == 0.0


def test_its_types_are_known_to_a_checker(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "use.py"
    script.write_text(
        "from gdpnum.integrations.dp_accounting import GdpnumAccountant\n"
        "accountant = GdpnumAccountant(tolerance=1e-4)\n"
        "epsilon: float = accountant.compose(None, 3).get_epsilon(1e-5)\n"
        "mu: float = accountant.get_gdp_parameter_estimate()\n"
        "fits: bool = accountant.supports(None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(Path(gdpnum.__file__).parents[1])},
        check=False,
    )
    assert "use.py" not in done.stdout, done.stdout
    assert done.returncode in (0, 1), done.stderr


def test_no_privacy_is_an_infinite_epsilon():
    for event in (events.NonPrivateDpEvent(), gaussian(0.0), dpsgd(1e-3, 0.01, 10)):
        accountant = ours.GdpnumAccountant().compose(gaussian(1.0)).compose(event)
        assert accountant.get_epsilon(1e-5) == math.inf
        assert accountant.get_delta(1.0) == 1.0


def test_ours_can_be_copied_and_pickled():
    accountant = ours.GdpnumAccountant(tolerance=1e-2).compose(dpsgd(1.0, 0.1, 10))
    epsilon = accountant.get_epsilon(1e-5)
    for other in (copy.deepcopy(accountant), pickle.loads(pickle.dumps(accountant))):
        assert other.get_epsilon(1e-5) == epsilon
        other.compose(gaussian(1.0))
    assert accountant.get_epsilon(1e-5) == epsilon


def test_their_helper_calibrates_to_our_bound():
    sigma = theirs.calibrate_dp_mechanism(ours.GdpnumAccountant, gaussian, 1.0, 1e-5)
    assert sigma == pytest.approx(theirs.get_sigma_gaussian(1.0, 1e-5), abs=1e-5)

    def event(sigma):
        return dpsgd(sigma, 0.01, 500)

    sigma = theirs.calibrate_dp_mechanism(ours.GdpnumAccountant, event, 1.0, 1e-5, tol=1e-3)
    achieved = ours.GdpnumAccountant().compose(event(sigma)).get_epsilon(1e-5)
    assert 0.99 <= achieved <= 1.0


def test_their_helper_finds_the_number_of_steps():
    steps = theirs.calibrate_dp_mechanism(
        ours.GdpnumAccountant,
        lambda count: repeated(gaussian(10.0), count),
        1.0,
        1e-5,
        theirs.ExplicitBracketInterval(1, 100),
        discrete=True,
    )
    mu = math.sqrt(steps) / 10.0
    assert gdpnum.epsilon_from_mu(mu, 1e-5) <= 1.0 < gdpnum.epsilon_from_mu(mu * 1.08, 1e-5)


# --- imports ------------------------------------------------------------------------------------


def test_the_package_is_imported_when_it_is_needed_and_missed_by_name():
    code = """
import sys
sys.modules["dp_accounting"] = None
import gdpnum.converter
from gdpnum.integrations import dp_accounting as ours
try:
    ours.GdpnumAccountant
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install dp-accounting" in done.stdout


def test_numpy_numbers_are_numbers():
    event = repeated(sampled(np.float32(0.25), gaussian(np.float64(2.0))), np.int64(3))
    assert mechanism(event) == DPSGD(noise_multiplier=2.0, sample_rate=0.25, steps=3)
    run = mechanism(tree(2.0, np.array([3, 8])), "replace_special")
    assert run == Gaussian(sigma=2.0, neighbouring="zero_out") * 4


def test_events_without_end_and_events_that_are_none_are_refused():
    deep = gaussian(1.0)
    for _ in range(5000):
        deep = composed([deep])
    itself = composed([])
    itself.events.append(itself)
    for event in (deep, itself):
        with pytest.raises(gdpnum.InvalidArgument, match="nested more than"):
            mechanism(event)
    with pytest.raises(gdpnum.InvalidType, match="events=3"):
        mechanism(composed(3))
