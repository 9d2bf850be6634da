"""Tuning: the best of several runs, the others kept secret."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal, final, get_args

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.mechanisms.mechanism import Leaf, Mechanism, Neighbouring, checked, repeat

Number = Literal["geometric", "truncated_negative_binomial", "poisson", "fixed"]
"""How the number of runs was drawn."""

_LARGEST_MEAN = 1e6


@final
@dataclass(frozen=True, slots=True, repr=False)
class BestOf(Leaf):
    """The best of K independent runs, by a score that is part of each run's private output.

    Each run draws its configuration at random, independently of the data. K is drawn from a law
    that is public; K itself, the losers and the time it took stay secret. ``number`` is the law:
    "geometric" (``mean``), "truncated_negative_binomial" (``eta`` above -1, with ``mean`` or
    ``gamma``; eta 0 is the logarithmic law, 1 the geometric one), "poisson" (``mean``; with none
    at all, nothing is released), or a whole number: then all runs count in full.

    For phi the generating function of K and f the run's curve,
    delta(eps) <= E_Q[sup_u (W phi'(u) - exp(eps) phi'(f(1 - u)))+], W the likelihood ratio of a
    run. Sources: Papernot and Steinke 2022; Koskela, Redberg and Wang 2024; docs/proofs_person.md.

    >>> from gdpnum import Gaussian
    >>> BestOf(Gaussian(sigma=2.0), number="geometric", mean=10)
    BestOf(Gaussian(sigma=2.0), number='geometric', mean=10.0)
    >>> BestOf(Gaussian(sigma=2.0), number=3).parts
    ((Gaussian(sigma=2.0), 3),)
    """

    run: Mechanism
    _: KW_ONLY
    number: Number | int
    mean: float | None = None
    eta: float | None = None
    gamma: float | None = None

    def __post_init__(self) -> None:
        checked("run", self.run)
        if isinstance(self.number, str):
            law = _validate.choice("number", self.number, get_args(Number))
        else:
            count = _validate.count(
                "number", self.number, minimum=1, advice="pass how many runs, or the law of it"
            )
            if self.mean is not None:
                raise InvalidArgument(
                    f"mean={self.mean!r} is given beside number={count}; pass one"
                )
            law = "fixed"
            object.__setattr__(self, "mean", count)
        _validate.settle(self, number=law)
        self._check_shape(law)
        mean, gamma = self._mean_and_gamma(law)
        _validate.settle(self, mean=mean, gamma=gamma)

    def _check_shape(self, law: str) -> None:
        if law == "truncated_negative_binomial":
            if self.eta is None:
                raise InvalidArgument("eta is missing; pass the shape, above -1, as in eta=0.0")
            eta = _validate.real("eta", self.eta, advice="pass the shape, above -1")
            if not -1.0 < eta <= 1e3:
                raise InvalidArgument(f"eta={eta!r} is outside (-1, 1000]; pass the shape in it")
            object.__setattr__(self, "eta", eta)
        elif self.eta is not None or self.gamma is not None:
            raise InvalidArgument(
                f"eta={self.eta!r} and gamma={self.gamma!r} are for "
                f"'truncated_negative_binomial' only; leave them out with number={law!r}"
            )
        if law != "truncated_negative_binomial" and self.mean is None:
            raise InvalidArgument("mean is missing; pass the mean number of runs, as in mean=10")
        if law == "truncated_negative_binomial" and (self.mean is None) == (self.gamma is None):
            raise InvalidArgument(
                f"mean={self.mean!r} and gamma={self.gamma!r}: pass exactly one of the two"
            )

    def _mean_and_gamma(self, law: str) -> tuple[float, float | None]:
        """The mean and, for laws of negative binomial kind, what a run ends the series with."""
        if law == "fixed":
            return (
                _validate.count("mean", self.mean, minimum=1, advice="pass how many runs"),
                None,
            )
        if self.gamma is not None:
            gamma = _validate.positive("gamma", self.gamma, advice="pass a number in (0, 1]")
            if gamma > 1.0 or gamma < 1e-9:
                raise InvalidArgument(f"gamma={gamma!r} is outside [1e-9, 1]; pass one in it")
            return mean_of(self.shape, gamma), gamma
        mean = _validate.positive("mean", self.mean, advice="pass the mean number of runs")
        if mean > _LARGEST_MEAN:
            raise InvalidArgument(f"mean={mean!r} is above {_LARGEST_MEAN:g}; pass a smaller one")
        if law == "poisson":
            return mean, None
        if mean < 1.0:
            raise InvalidArgument(f"mean={mean!r} is below 1; a run is always made, pass 1 or more")
        gamma = _gamma_of(self.shape, mean)
        return (mean if law == "geometric" else mean_of(self.shape, gamma)), gamma

    @property
    def shape(self) -> float:
        """The eta of the truncated negative binomial law; 1 for the geometric one."""
        return 1.0 if self.eta is None else self.eta

    @property
    def neighbouring(self) -> Neighbouring | None:
        """The relation of the run."""
        return self.run.neighbouring

    @property
    def records_per_person(self) -> int | None:
        """The unit of the run."""
        return self.run.records_per_person

    @property
    def parts(self) -> tuple[tuple[Mechanism, int], ...]:
        """Itself, once; of a fixed number of runs, all of them, and of one run that run."""
        if self.number == "fixed":
            return repeat(self.run, int(self.mean or 1)).parts
        if self.gamma == 1.0 or not self.run.parts:
            return self.run.parts
        return ((self, 1),)

    def __repr__(self) -> str:
        if self.number == "fixed":
            return f"BestOf({self.run!r}, number={self.mean!r})"
        shape = "" if self.eta is None else f", eta={self.eta!r}, gamma={self.gamma!r}"
        mean = f", mean={self.mean!r}" if self.eta is None else ""
        return f"BestOf({self.run!r}, number={self.number!r}{mean}{shape})"


def mean_of(eta: float, gamma: float) -> float:
    """E[K] of the truncated negative binomial law: eta (1 - gamma) / (gamma (1 - gamma^eta)).

    >>> round(mean_of(1.0, 0.1), 12), round(mean_of(0.0, 0.1), 4)
    (10.0, 3.9087)
    """
    if gamma == 1.0:
        return 1.0
    log_gamma = math.log(gamma)
    # (1 - gamma^eta) / eta, which tends to log(1 / gamma) with eta; expm1 keeps its digits.
    spread = -log_gamma if eta == 0.0 else -math.expm1(eta * log_gamma) / eta
    return (1.0 - gamma) / (gamma * spread)


def _gamma_of(eta: float, mean: float) -> float:
    """The gamma of that mean, which falls as gamma grows."""
    if eta == 1.0:
        return 1.0 / mean
    low, high = 1e-9, 1.0
    if mean_of(eta, low) < mean:
        raise InvalidArgument(f"mean={mean!r} is out of reach for eta={eta!r}; pass gamma")
    while True:
        middle = math.sqrt(low * high)
        if not low < middle < high:
            # Of the two next to each other the one of more runs.
            return low if mean > 1.0 else 1.0
        if mean_of(eta, middle) >= mean:
            low = middle
        else:
            high = middle


def tuned(run: Mechanism, text: str) -> Mechanism:
    """The run with the tuning that a command line names, such as "best-of-geometric:10".

    The laws are geometric:MEAN, poisson:MEAN, logarithmic:MEAN, negative-binomial:MEAN:ETA and
    fixed:COUNT.

    >>> from gdpnum import Gaussian
    >>> tuned(Gaussian(sigma=2.0), "best-of-geometric:10")
    BestOf(Gaussian(sigma=2.0), number='geometric', mean=10.0)
    """
    advice = (
        "pass best-of-geometric:MEAN, best-of-poisson:MEAN, best-of-logarithmic:MEAN, "
        "best-of-negative-binomial:MEAN:ETA or best-of-fixed:COUNT"
    )
    if not isinstance(text, str):
        raise InvalidType(f"{_validate.shown('tuned', text)}, not text; {advice}")
    law, *numbers = text.removeprefix("best-of-").split(":")
    wanted = {"geometric": 1, "poisson": 1, "logarithmic": 1, "negative-binomial": 2, "fixed": 1}
    if not text.startswith("best-of-") or len(numbers) != wanted.get(law, -1):
        raise InvalidArgument(f"tuned={text!r} is not a tuning; {advice}")
    try:
        values = [int(one) if law == "fixed" else float(one) for one in numbers]
    except ValueError:
        raise InvalidArgument(f"tuned={text!r} has no number where one belongs; {advice}") from None
    if law == "fixed":
        return BestOf(run, number=int(values[0]))
    if law in ("geometric", "poisson"):
        return BestOf(run, number=law, mean=values[0])  # type: ignore[arg-type]  # a literal
    eta = values[1] if law == "negative-binomial" else 0.0
    return BestOf(run, number="truncated_negative_binomial", mean=values[0], eta=eta)
