"""DP-SGD under the names of the published gdpnum: an accountant that follows the training loop.

::

    accountant = gdpnum.CTDAccountant()
    for _ in range(1000):
        ...  # one step of training
        accountant.step(noise_multiplier=1.0, sample_rate=0.001)
    mu, regret = accountant.get_mu_and_regret()

The accountant keeps Opacus's history, a list of (noise_multiplier, sample_rate, num_steps), and
answers from the description of it, ``accountant.run``, which the rest of gdpnum takes as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.account import coarsened, tradeoff_curve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.draws import Seen, batches_in_words, run_as
from gdpnum.errors import InvalidArgument, InvalidType, UnsupportedMechanism
from gdpnum.floats import Floats
from gdpnum.history import Segment, checked_rate, checked_sigma, run_of, segments
from gdpnum.measures.gdp import fit_gdp
from gdpnum.mechanisms import DPSGD, Mechanism
from gdpnum.risk import reported_fprs

__all__ = ["AccountingMismatch", "CTDAccountant", "get_mu_and_regret_for_dpsgd"]

# Where a curve is out of reach at the usual tolerance, up to this one will do: looser, as sound.
_COARSEST = 0.1


class AccountingMismatch(UserWarning):
    """What was accounted for is not what was run; the message says which way numbers are off."""


def get_mu_and_regret_for_dpsgd(
    noise_multiplier: float,
    sample_rate: float,
    num_steps: int,
    grid_step: float | None = None,
    err: float = 1e-10,
) -> tuple[float, float]:
    """Return (mu, regret) of DP-SGD; ``err`` is the slack of `fit_gdp`, which says what holds.

    >>> mu, regret = get_mu_and_regret_for_dpsgd(9.4, 16384 / 50000, 2000)
    >>> f"{mu:.2f} {regret:.3f}"
    '1.57 0.001'
    """
    steps = _validate.count("num_steps", num_steps, advice="pass the number of steps")
    run = DPSGD(noise_multiplier=noise_multiplier, sample_rate=sample_rate, steps=steps)
    fit = fit_gdp(run, slack=_slack(err), grid_step=grid_step)
    return fit.mu, fit.regret


class CTDAccountant:
    """Counts the steps of DP-SGD and says what they cost, in the manner of Opacus's accountants.

    Guarantee: with each step's batch drawn by Poisson sampling, and neighbours that differ by one
    added or removed record, mu, epsilon and the advantage are upper bounds and beta is a lower one.
    The name, for "connect the dots", is the published one.

    Before the first step nothing is released: mu and epsilon are 0, and beta is 1 - alpha.
    A step with ``noise_multiplier=0`` reveals each record that it samples: mu is infinite, and so
    is epsilon unless delta is at least the probability of being sampled.

    ``history`` may be assigned or appended to; it is checked when a question is asked. Answers are
    kept until it changes.

    >>> accountant = CTDAccountant()
    >>> for _ in range(1000):
    ...     accountant.step(noise_multiplier=1.0, sample_rate=0.001)
    >>> accountant.history
    [(1.0, 0.001, 1000)]
    >>> mu, regret = accountant.get_mu_and_regret()
    >>> round(mu, 3), round(accountant.get_epsilon(1e-5), 3)
    (0.089, 0.149)
    """

    def __init__(self) -> None:
        self.history: list[Segment] = []
        self.seen: Seen | None = None
        self._asked: tuple[tuple[Segment, ...], Seen | None] = ((), None)
        self._fits: dict[tuple[float, float | None], tuple[float, float]] = {}
        self._curves: dict[float | None, TradeoffCurve] = {}

    # --- what happens ---------------------------------------------------------------------------

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Count one step; a step that cannot be accounted for is refused and leaves no trace."""
        history = self.history
        if history:
            try:
                sigma, rate, steps = history[-1]
            except (TypeError, ValueError):
                segments(history)  # says what is wrong with it
                raise
            # A float like that of the last step, as most are, needs no second check.
            plain = type(noise_multiplier) is type(sample_rate) is float
            if plain and sigma == noise_multiplier and rate == sample_rate:
                history[-1] = (sigma, rate, steps + 1)
                return
        noise_multiplier, sample_rate = checked_sigma(noise_multiplier), checked_rate(sample_rate)
        if history and sigma == noise_multiplier and rate == sample_rate:
            history[-1] = (sigma, rate, steps + 1)
        else:
            history.append((noise_multiplier, sample_rate, 1))

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """Return what Opacus's DPOptimizer calls at each step, to be attached to it.

        An optimizer has one such hook: attached by hand, it displaces the one of the engine.

        Batches accumulated before a step are counted as Opacus counts them, as one batch of the
        summed rate. Poisson batches are not that, since a record can be in several of them and then
        moves the sum several times as far; where how they were drawn was seen it is accounted for,
        else the hook warns `AccountingMismatch` of it.
        """

        def count_step(optimizer: Any) -> None:
            batches = optimizer.accumulated_iterations
            if batches > 1 and (self.seen is None or self.seen.draws is None):
                warnings.warn(
                    f"{batches} batches were accumulated before a step, which is accounted for as "
                    "one batch of the summed sample_rate; a record can be in several Poisson "
                    "batches, so privacy is overstated; take a step after each, or use "
                    "BatchMemoryManager, which divides one batch",
                    AccountingMismatch,
                    stacklevel=2,
                )
            rate = sample_rate * batches
            self.step(noise_multiplier=optimizer.noise_multiplier, sample_rate=rate)

        return count_step

    def __len__(self) -> int:
        """The number of steps so far."""
        return sum(steps for _, _, steps in segments(self.history))

    # --- what it costs --------------------------------------------------------------------------

    @property
    def run(self) -> Mechanism:
        """What was run, as a mechanism: for `fit_gdp`, `tradeoff_curve` and the rest.

        >>> accountant = CTDAccountant()
        >>> accountant.step(noise_multiplier=1.0, sample_rate=0.01)
        >>> accountant.run
        PoissonSampled(Gaussian(sigma=1.0), rate=0.01)
        """
        return run_as(self.history, self.seen)

    @property
    def batches(self) -> str | None:
        """How batches were drawn and how that was checked, for a statement; None if nobody looked.

        ``seen`` is what was seen, by the engine that Opacus made with this accountant.
        """
        return None if self.seen is None else batches_in_words(self.seen)

    def get_mu_and_regret(
        self,
        *,
        err: float = 1e-10,
        grid_step: float | None = None,
        use_connect_dots: bool = True,  # noqa: ARG002
    ) -> tuple[float, float]:
        """Return (mu, regret) of `fit_gdp` with ``err`` as its slack.

        ``grid_step`` fixes the lattice; by default it follows from the accuracy, about 0.1 %.
        ``use_connect_dots``, here and below, is accepted as published and has no effect.
        """
        grid_step = _step(grid_step)
        question = (_slack(err), grid_step)
        self._forget_if_changed()
        if question not in self._fits:
            fit = fit_gdp(self.run, slack=question[0], grid_step=grid_step)
            self._fits[question] = (fit.mu, fit.regret)
        return self._fits[question]

    def get_epsilon(
        self,
        delta: float,
        *args: object,  # noqa: ARG002
        grid_step: float | None = None,
        **kwargs: object,  # noqa: ARG002
    ) -> float:
        """Return an epsilon for which the steps so far are (epsilon, delta)-DP, from above.

        ``grid_step`` fixes the lattice. Without it, where an accuracy of 0.1 % in mu is out of
        reach, the bound is one of 1 % or 10 %: looser, and as valid. Anything else is for other
        accountants and has no effect: Opacus forwards here what its users write for RDP
        (``alphas``), PRV (``eps_error``, ``delta_error``), GDP (``poisson``) or the optimizer.
        """
        delta = _validate.probability("delta", delta, advice="pass a small one such as 1e-5")
        return self._curve(grid_step).epsilon(delta)

    @overload
    def get_beta(
        self, alpha: float, *, grid_step: float | None = ..., use_connect_dots: bool = ...
    ) -> float: ...
    @overload
    def get_beta(
        self,
        alpha: ArrayLike | None = ...,
        *,
        grid_step: float | None = ...,
        use_connect_dots: bool = ...,
    ) -> float | Floats: ...
    def get_beta(
        self,
        alpha: ArrayLike | None = None,
        *,
        grid_step: float | None = None,
        use_connect_dots: bool = True,  # noqa: ARG002
    ) -> float | Floats:
        """Return the least false negative rate of any attack with false positive rate ``alpha``.

        A number for a number, an array for several. By default at eight alphas:
        1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1 and (1 - advantage) / 2.
        """
        curve = self._curve(grid_step)
        if alpha is None:
            return curve.beta(np.array(reported_fprs(curve.advantage)))
        return curve.beta(alpha)

    def get_advantage(
        self,
        *,
        grid_step: float | None = None,
        use_connect_dots: bool = True,  # noqa: ARG002
    ) -> float:
        """Return the largest TPR - FPR of any attack, from above."""
        return self._curve(grid_step).advantage

    def get_pld(self, grid_step: float = 1e-4, use_connect_dots: bool = True) -> Any:
        """Return dp-accounting's privacy loss distribution of the steps; needs that package."""
        if self.run != run_of(self.history):
            raise UnsupportedMechanism(
                f"the steps are no Poisson samples of the recorded noise but {self.run!r}, which "
                "this distribution cannot describe; get_mu_and_regret, get_epsilon and get_beta can"
            )
        pld = imported("dp_accounting.pld.privacy_loss_distribution", extra="dp-accounting")
        counts: dict[tuple[float, float], int] = {}
        for sigma, rate, steps in segments(self.history):
            if steps > 0 and rate > 0.0:  # it refuses a rate of 0, which releases nothing
                counts[sigma, rate] = counts.get((sigma, rate), 0) + steps
        total = pld.identity(value_discretization_interval=grid_step)
        for (sigma, rate), steps in counts.items():
            if sigma == 0.0:
                raise UnsupportedMechanism(
                    "a step has noise_multiplier=0, which dp-accounting cannot describe; "
                    "get_mu_and_regret, get_epsilon and get_beta can"
                )
            one = pld.from_gaussian_mechanism(
                standard_deviation=sigma,
                sampling_prob=rate,
                use_connect_dots=use_connect_dots,
                value_discretization_interval=grid_step,
            )
            total = total.compose(one.self_compose(steps))
        return total

    # --- Opacus's protocol ----------------------------------------------------------------------

    @classmethod
    def mechanism(cls) -> str:
        """Return the name under which states are saved."""
        return "ctd"

    def state_dict(
        self, destination: MutableMapping[str, Any] | None = None
    ) -> MutableMapping[str, Any]:
        """Return the history and the name of the mechanism; plain numbers, fit for JSON."""
        state: MutableMapping[str, Any] = {} if destination is None else destination
        if not isinstance(state, MutableMapping):
            raise InvalidType(
                f"{_validate.shown('destination', destination)}, not a dictionary; pass one"
            )
        state["history"] = list(segments(self.history))
        state["mechanism"] = self.mechanism()
        if self.seen is not None:
            state["seen"] = self.seen.to_dict()
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any] | None) -> None:
        """Continue from a saved state; one that is not right is refused and changes nothing."""
        if not isinstance(state_dict, Mapping) or not state_dict:
            raise InvalidArgument(
                f"state_dict={_validate.brief(state_dict)} holds no state; "
                "pass what state_dict() returned"
            )
        for key in ("history", "mechanism"):
            if key not in state_dict:
                raise InvalidArgument(
                    f"state_dict has no {key!r}, only "
                    f"{_validate.brief(sorted(map(str, state_dict)))}; "
                    "pass what state_dict() returned"
                )
        saved = state_dict["mechanism"]
        if saved != self.mechanism():
            raise InvalidArgument(
                f"state_dict is of the mechanism {_validate.brief(saved)}, not "
                f"{self.mechanism()!r}; to take over its steps, assign its 'history' to "
                "accountant.history"
            )
        history = list(segments(state_dict["history"]))
        if state_dict.get("seen") is not None:
            saved_with = Seen.from_dict(state_dict["seen"])
            fresh = self.seen in (None, Seen())
            self.seen = saved_with if fresh else saved_with.and_then(cast("Seen", self.seen))
        self.history = history

    # --- kept answers ---------------------------------------------------------------------------

    def _curve(self, grid_step: float | None) -> TradeoffCurve:
        self._forget_if_changed()
        grid_step = _step(grid_step)
        if grid_step not in self._curves:
            self._curves[grid_step] = _curve_of(self.run, grid_step)
        return self._curves[grid_step]

    def _forget_if_changed(self) -> None:
        # By content: Opacus assigns and pops entries of the history without telling.
        asked = (segments(self.history), self.seen)
        if asked != self._asked:
            self._asked, self._fits, self._curves = asked, {}, {}


def _curve_of(run: Mechanism, grid_step: float | None) -> TradeoffCurve:
    if grid_step is not None:
        return tradeoff_curve(run, grid_step=grid_step)
    # A search for the noise, as that of Opacus, also comes by runs of very rare or large losses.
    return coarsened(
        lambda tolerance: tradeoff_curve(run, tolerance=tolerance),
        tolerance=1e-3,
        coarsest=_COARSEST,
    )


def _step(grid_step: object) -> float | None:
    return None if grid_step is None else _validate.lattice_step("grid_step", grid_step)


def _slack(err: object) -> float:
    return _validate.fraction("err", err, advice="pass an absolute allowance such as 1e-10")
