"""The catalogue: every kind has every part, and a mechanism from outside gets as far as ours."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

import gdpnum
from gdpnum import kinds, representations  # noqa: F401  (they make their kinds known)
from gdpnum.kind import KINDS, Kind, Knob, Missing
from gdpnum.mechanisms.mechanism import Leaf
from gdpnum.pairs.atomic import AtomicPair
from gdpnum.pairs.pair import Bracket, Divergences, Pair
from tests.cli import invoking

CATALOGUED = tuple(KINDS.values())


@pytest.mark.parametrize("kind", CATALOGUED, ids=lambda kind: kind.name)
def test_every_part_is_there_or_says_why_not(kind):
    """Of each kind: a pair or a bracket, a mu without slack or a reason, words, divergences."""
    leaf = kind.example
    assert type(leaf) is kind.description
    assert isinstance(kind.pair(leaf), (Pair, Bracket))
    assert isinstance(kind.is_gaussian(leaf), bool)
    assert isinstance(kind.is_tight(leaf), bool)
    assert 0.0 <= kind.mass_at_infinity(leaf) <= 1.0
    # What is not known is said to be so.
    with suppress(gdpnum.UnsupportedMechanism):
        assert kind.squared_mu(leaf) >= 0
    with suppress(gdpnum.UnsupportedMechanism):
        found = kind.divergences(leaf, np.array([0.5, 1.0, 2.0]))
        assert isinstance(found, Divergences)
        assert (found.worst[1:] >= found.worst[:-1] * (1.0 - 1e-9)).all()
    for part, known in (("curve", Callable), ("knob", Knob), ("readers", tuple)):
        found = getattr(kind, part)
        assert found.reason if isinstance(found, Missing) else isinstance(found, known)
    assert kind.words(leaf, 3)


@pytest.mark.parametrize("kind", CATALOGUED, ids=lambda kind: kind.name)
def test_every_kind_is_the_same_after_json(kind):
    run = kind.example * 2
    text = gdpnum.statement(run).to_json()
    assert gdpnum.Statement.from_json(text).run == run


@pytest.mark.parametrize("kind", CATALOGUED, ids=lambda kind: kind.name)
def test_a_knob_is_a_field(kind):
    if isinstance(kind.knob, Knob):
        assert kind.knob.field in {field.name for field in fields(kind.description)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coin(Leaf):
    """A bit that is turned over with probability 1 / 2 - bias / 2: a mechanism of nobody's."""

    bias: float

    @property
    def neighbouring(self):
        return "replace"


def _pair(leaf):
    loss = math.log((1.0 + leaf.bias) / (1.0 - leaf.bias))
    kept = 0.5 * (1.0 + leaf.bias)
    masses = np.array([1.0 - kept, kept])
    return AtomicPair(np.array([-loss, loss]), masses, masses[::-1], symmetric=True)


@pytest.fixture
def coin():
    with patch.dict(KINDS):
        gdpnum.register(
            Kind(
                description=Coin,
                example=Coin(bias=0.5),
                pair=_pair,
                # The largest separation is at alpha = beta = (1 - bias) / 2.
                squared_mu=lambda leaf: Fraction(gdpnum.mu_from_advantage(leaf.bias)) ** 2,
                is_gaussian=lambda _: False,
                is_tight=lambda _: False,
                mass_at_infinity=lambda _: 0.0,
                divergences=Missing("nobody has worked them out; describe it as PureDP"),
                concentration=lambda *_: math.inf,
                curve=Missing("its curve is computed, from its pair"),
                knob=Knob("bias", is_noise=False, between=(1e-6, 1.0 - 1e-6)),
                words=lambda leaf, count: f"a coin of bias {leaf.bias}, tossed {count} times",
                readers=(),
            )
        )
        yield Coin(bias=0.4)


def test_a_mechanism_from_outside_goes_all_the_way(coin, tmp_path):
    fit = gdpnum.fit_gdp(coin)
    assert fit.mu == pytest.approx(gdpnum.mu_from_advantage(0.4), rel=1e-9)
    several = gdpnum.fit_gdp(coin * 20)
    assert several.mu_lower <= several.mu
    assert several.mu == pytest.approx(math.sqrt(20.0) * fit.mu, rel=0.2)
    found = gdpnum.statement(coin * 20)
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert "a coin of bias 0.4, tossed 20 times" in text
    assert gdpnum.Statement.from_json(found.to_json()) == found
    path = tmp_path / "coin.json"
    path.write_text(found.to_json())
    assert invoking.document("run", "Coin:bias=0.4")["mu"] == fit.mu
    table = gdpnum.sweep([coin, coin * 2], columns=["mu"], workers=1)
    assert next(record["mu"] for record in table) == pytest.approx(fit.mu, rel=1e-6)
    other = gdpnum.RandomizedResponse(epsilon=math.log(1.4 / 0.6))
    assert gdpnum.compare(coin, other).order in ("equal", "too close to call")
    assert gdpnum.calibrate(coin, advantage=0.25).value == pytest.approx(0.25, rel=2e-3)
