"""For each charge an operation beside exact arithmetic that needs it, on inputs found by search.

A pin raises AssertionError where the operation errs by more than its charge. With the charge set
to zero it must raise: then the operation errs, and nothing else makes up for it.
"""

import inspect
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import acb, arb, ctx

from gdpnum import Gaussian, PureDP, charges, kinds, risk
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.bounds.lines import Lines, lines_of_masses
from gdpnum.bounds.sums import BLOCK, SHORT_BLOCK, running_sums, tail_sums
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.floats import UNIT
from gdpnum.formulas.gaussian import delta_of_mu, separations, tpr_of_mu
from gdpnum.formulas.mass_at_infinity import joint_mass_at_infinity
from gdpnum.formulas.randomized_response import randomized_response_mu
from gdpnum.lattice.coarsening import counted
from gdpnum.lattice.compose import compose
from gdpnum.lattice.discretize import lattice, pessimistic
from gdpnum.lattice.distribution import Factor, LossDistribution, drift, log_moment
from gdpnum.lattice.frequencies import lasting
from gdpnum.lattice.spectrum import Spectrum
from gdpnum.lattice.window import Window
from gdpnum.pairs.atomic import discrete_gaussian_pair
from gdpnum.pairs.gaussian import GaussianPair
from gdpnum.renyi.divergences import renyi_divergences
from tests.charges.batch_pins import BATCH_PINS
from tests.charges.contour_pins import CONTOUR_PINS
from tests.charges.person_pins import PERSON_PINS

BITS = 256
LONG = 0.5 * float(np.finfo(np.longdouble).eps)


def generator():
    return np.random.default_rng(20260307)


def phi(x):
    """The normal distribution function in ball arithmetic."""
    return (-x / arb(2).sqrt()).erfc() / 2


def exact(values):
    return [arb(float(one)) for one in values]


def worst(errors, charge):
    """Assert that the largest of some errors is something, and no more than is charged."""
    largest = max(float(one) for one in errors)
    assert largest > 0.0, "no input errs: the search is too easy"
    assert largest <= charge, f"errs by {largest:.3g}, charged {charge:.3g}"


def relative(found, true):
    return abs(arb(float(found)) - true) / abs(true)


def in_balls(function):
    """The pin with balls of many more bits than doubles have."""

    def pinned():
        with ctx.workprec(BITS):
            function()

    return pinned


# --- one release on a lattice -------------------------------------------------------------------


def cell():
    errors = []
    for mu in (0.02, 0.3, 1.0):
        losses = generator().uniform(-8.0 * mu, 8.0 * mu, 120)
        found = GaussianPair(mu).tails(losses)[1]
        for loss, value in zip(losses, found, strict=True):
            x = arb(float(loss)) / arb(mu) - arb(mu) / 2
            errors.append(relative(value, phi(-x)))
    worst(errors, charges.cell())


def _profiles(mu, step, low, high, places):
    """The exact profile of pessimistic masses, over the true one, less one, at some nodes."""
    nodes = lattice(step, low, high)
    one = pessimistic(GaussianPair(mu), nodes, step)
    losses, masses = exact(one.losses), exact(one.masses)
    excess = []
    for place in places:
        w = losses[place]
        found = arb(one.mass_at_infinity)
        for loss, mass in zip(losses[place + 1 :], masses[place + 1 :], strict=True):
            found += mass * (1 - (w - loss).exp())
        m = arb(mu)
        true = phi(m / 2 - w / m) - w.exp() * phi(-m / 2 - w / m)
        excess.append(float(found / true - 1))
    return excess


def growth():
    # Where exp(w) Q is next to nothing beside delta, moving mass up does not help.
    found = []
    for mu in generator().uniform(9.0, 12.0, 40):
        found += _profiles(float(mu), 1.0, -2.0, 80.0, [2])
    assert min(found) >= 0.0
    assert max(found) <= 4.0 * charges.growth()


def lift():
    # Where delta is small beside exp(w) Q, the split cancels.
    found = []
    for mu in generator().uniform(0.8e-3, 1.2e-3, 30):
        step = float(mu) / 30.0
        found += _profiles(float(mu), step, -6.0 * mu, 6.0 * mu, [300, 330])
    assert min(found) >= 0.0


def end_cell():
    found = []
    for mu in generator().uniform(0.8e-6, 1.2e-6, 200):
        node = float(mu)
        nodes = np.array([0.0, node])
        one = pessimistic(GaussianPair(float(mu)), nodes, node)
        m, w = arb(float(mu)), arb(node)
        true = phi(m / 2 - w / m) - w.exp() * phi(-m / 2 - w / m)
        found.append(float(arb(one.mass_at_infinity) / true - 1))
    assert min(found) >= 0.0


def cut_tail():
    for sigma in (0.05, 0.07, 0.5, 2.0, 40.0):
        one = discrete_gaussian_pair(sigma)
        reach = math.ceil(13.0 * sigma) + 2
        twice = 2 * arb(sigma) ** 2
        weights = {k: (-(arb(k) ** 2) / twice).exp() for k in range(-reach - 200, reach + 201)}
        total = sum(weights.values(), arb(0))
        beyond = sum((weights[k] for k in range(reach, reach + 200)), arb(0)) / total
        assert beyond > 0
        assert arb(one.mass_at_infinity) >= beyond


# --- sums ---------------------------------------------------------------------------------------


def _exact_running(values):
    total, found = Fraction(0), []
    for one in values:
        total += Fraction(float(one))
        found.append(total)
    return found


def running_sum():
    errors = []
    for count, block in ((300, BLOCK), (700, SHORT_BLOCK)):
        values = generator().uniform(0.0, 1.0, count) ** 8
        found, true = running_sums(values, block), _exact_running(values)
        for one, sum_ in zip(found, true, strict=True):
            high = float(one)
            low = float(one - np.longdouble(high))
            errors.append(abs((Fraction(high) + Fraction(low)) / sum_ - 1))
    worst(errors, charges.running_sum(700, SHORT_BLOCK))


def tail_sum():
    values = generator().uniform(0.0, 1.0, 2000) ** 8
    found, true = tail_sums(values), _exact_running(values[::-1])[::-1]
    errors = [abs(Fraction(one) / sum_ - 1) for one, sum_ in zip(found, true, strict=True)]
    worst(errors, charges.tail_sum(2000, BLOCK))


def joint_mass():
    for seed in range(200):
        random = np.random.default_rng(seed)
        masses = [(float(m), int(n)) for m, n in zip(
            10.0 ** random.uniform(-18, -1, 3), random.integers(1, 1000, 3), strict=True
        )]  # fmt: skip
        true = 1 - math.prod(((1 - arb(m)) ** n for m, n in masses), start=arb(1))
        assert arb(joint_mass_at_infinity(masses)) >= true


# --- transforms ---------------------------------------------------------------------------------


def _bell(size, width):
    places = np.arange(size) - size / 2
    weights = np.exp(-0.5 * (places / width) ** 2)
    return weights / weights.sum()


def transform():
    # One transform there and back; the other charges of the way are far smaller for a power of one.
    size = 64
    errors = []
    for seed in range(20):
        masses = np.random.default_rng(seed).dirichlet(np.ones(size))
        found = np.fft.rfft(masses)
        with ctx.workprec(BITS):
            for k in (1, 7, 20):
                turn = [acb(0, -2 * arb.pi() * k * j / size).exp() for j in range(size)]
                true = sum((m * t for m, t in zip(exact(masses), turn, strict=True)), acb(0))
                value = acb(float(found[k].real), float(found[k].imag))
                errors.append(abs(value - true))
    worst(errors, charges.transform(size, UNIT))


def direct_sum():
    spectrum = Spectrum(2**15)
    masses = _bell(40, 6.0)
    spectrum.multiply(masses, 4000)
    kept = spectrum._kept
    assert 2 * kept.size * masses.size < 2**15, "not summed directly"
    found, bound = spectrum._transform(masses, 0)
    assert bound == charges.direct_sum(masses.size, UNIT)
    errors = []
    for place in range(0, kept.size, max(1, kept.size // 20)):
        turn = [
            acb(0, -2 * arb.pi() * int(kept[place]) * j / 2**15).exp() for j in range(masses.size)
        ]
        true = sum((m * t for m, t in zip(exact(masses), turn, strict=True)), acb(0))
        value = acb(float(found[place].real), float(found[place].imag))
        errors.append(abs(value - true))
    worst(errors, bound)


def departure():
    # (z - 1) S against the exact product of the same rounded S.
    errors = []
    random = generator()
    size = 4096
    spectrum = Spectrum(size)
    spectrum._begin(_bell(16, 3.0), 1)
    for k in range(1, 60):
        s = complex(*random.normal(size=2))
        found = complex(spectrum._less_one[k] * s)
        true = (acb(0, -2 * arb.pi() * k / size).exp() - 1) * acb(s.real, s.imag)
        errors.append(abs(acb(found.real, found.imag) - true) / abs(true))
    worst(errors, charges.departure(UNIT))


def log_power():
    from gdpnum.lattice.spectrum import _log_size_of_one_plus

    errors = []
    for re, im in generator().uniform(-0.9, 0.4, (300, 2)):
        found = float(_log_size_of_one_plus(np.array([complex(re, im)]))[0])
        true = (abs(acb(1 + arb(re), arb(im)))).log()
        allowed = float(charges.log_power(np.array([found]), np.hypot([re], [im]), UNIT)[0])
        errors.append(abs(arb(found) - true) / max(allowed, 1e-300))
    worst(errors, 1.0)


def phase():
    errors = []
    for angle in generator().uniform(-3000.0, 3000.0, 300):
        found = complex(np.exp(1j * angle))
        true = acb(0, arb(float(angle) * (1.0 + 2.0**-52))).exp()
        charge = float(charges.phase(np.array([abs(angle)]), UNIT)[0])
        errors.append(abs(acb(found.real, found.imag) - true) / charge if charge else arb(1e300))
    worst(errors, 1.0)


def dropped():
    # Frequencies at which the product is below exp(-100) are left out: their 2-norm is charged.
    size, left_out = 4096, math.exp(-100.0)
    norm = math.sqrt(sum(left_out**2 for _ in range(size)))
    worst([norm], charges.dropped(-100.0, size))


def samples():
    # |F|^2 between two samples: a two-point law has its largest excess half way, exactly.
    masses = np.zeros(2001)
    masses[0] = masses[-1] = 0.5
    size, count = 2**15, 3
    kept = set(lasting(masses, count, size, -100.0).tolist())
    # F vanishes at odd multiples of 1/4000; all frequencies elsewhere must be there.
    for k in range(0, size // 2 + 1, 97):
        true = abs((acb(0, -2 * arb.pi() * k * 2000 / size).exp() + 1) / 2)
        if float(true.log()) * count > -100.0:
            assert k in kept
    assert charges.samples() > 8.0 * UNIT * math.log2(size), "less than a transform's own error"


def _tilted_units(tilt):
    """Error of tilted masses against the exact ones, in units of rounding."""
    losses = 0.37 * np.arange(-40.0, 41.0)
    masses = _bell(81, 9.0)
    one = LossDistribution(float(losses[0]), 0.37, masses)
    log_total = one.log_moment(tilt)
    found = masses * np.exp(tilt * one.losses - log_total)
    found = found / float(found.sum())
    weights = [
        m * (arb(tilt) * w).exp() for m, w in zip(exact(masses), exact(one.losses), strict=True)
    ]
    total = sum(weights, arb(0))
    errors = [
        abs(arb(float(a)) - b / total) / (b / total) / arb(UNIT)
        for a, b in zip(found, weights, strict=True)
        if a > 1e-300
    ]
    largest = abs(tilt) * float(np.abs(one.losses).max())
    return errors, largest, masses.size


def tilt():
    errors, largest, size = _tilted_units(3.3)
    worst(errors, charges.tilt(largest, size))
    # So is the log of a moment, however often it is counted.
    one = LossDistribution(0.0, 0.1, _bell(81, 9.0))
    both = zip(exact(one.masses), exact(one.losses), strict=True)
    weights = [m * (arb(0.7) * w).exp() for m, w in both]
    for times in (10, 10**7, 10**11):
        assert arb(log_moment([Factor(one, times)], 0.7)) >= sum(weights, arb(0)).log() * times


def back():
    # exp(log_scale - tilt w) from doubles.
    errors = []
    charged = charges.back(700.0, 300.0)
    for log_scale, shift in generator().uniform(0.0, 1.0, (200, 2)) * [700.0, 300.0]:
        found = math.exp(log_scale - shift)
        true = (arb(log_scale) - arb(shift) * (1 + arb(UNIT))).exp()
        errors.append(relative(found, true) / arb(UNIT))
    worst(errors, charged)


def coarse_sum():
    errors = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        values, weights = random.uniform(0, 1, 64), np.exp(-0.01 * np.arange(64))
        found = float((values * weights).sum())
        true = sum((v * (arb(-0.01) * j).exp() for j, v in enumerate(exact(values))), arb(0))
        errors.append(relative(found, true) / arb(UNIT))
    worst(errors, charges.coarse_sum(64, 0.64))


# --- what is cut off, and what wraps round ------------------------------------------------------


def _composition(window, masses=None, count=40, *, step=0.25, gathering=None):
    masses = np.array([0.5, 0.3, 0.15, 0.05]) if masses is None else masses
    one = LossDistribution(-0.25, step, masses)
    found = compose([Factor(one, count)], window, gathering or counted(1))
    power = [Fraction(1)]
    single = [Fraction(float(m)) for m in masses]
    for _ in range(count):
        power = [
            sum(power[i - j] * single[j] for j in range(len(single)) if 0 <= i - j < len(power))
            for i in range(len(power) + len(single) - 1)
        ]
    return found, power


def _window(low, high, *, tilts=(0.0,), span=None, above=1.0, below=-1.0, up=1.0, down=1.0):
    return Window(
        low=low, high=high, tilts=tilts, span=span or (high - low), above=above, below=below,
        step_up=up, step_down=down, extended=False,
    )  # fmt: skip


def above_window():
    found, power = _composition(_window(-10.0, 6.0, span=30.0))
    end = found.losses[-1]
    true = sum(p for i, p in enumerate(power) if -10.0 + 0.25 * i > end)
    assert 0 < true <= Fraction(found.above)


def below_window():
    found, power = _composition(_window(-4.0, 20.0, span=30.0))
    true = sum(p for i, p in enumerate(power) if -10.0 + 0.25 * i < found.losses[0])
    assert 0 < true <= Fraction(found.below)


def wrapped():
    # A circle shorter than the sum: what is beyond comes back into the window.
    found, power = _composition(_window(1.5, 5.0, span=4.0))
    tails = found.tail_below()
    for i, loss in enumerate(found.losses):
        true = sum(p for j, p in enumerate(power) if -10.0 + 0.25 * j >= loss - 1e-9)
        assert Fraction(float(tails[i])) <= true


def drift_of_losses():
    errors = []
    for low, step in generator().uniform(0.1, 0.9, (50, 2)):
        one = LossDistribution(float(low), float(step), np.ones(3) / 3.0)
        factors = [Factor(one, 10**6 + 1)]
        said = (10**6 + 1) * one.lowest
        true = Fraction(10**6 + 1) * Fraction(one.lowest)
        charged = drift(factors)
        errors.append(abs(Fraction(said) - true) / Fraction(charged) if charged else 1e300)
    worst(errors, 1.0)


def binomial_excess():
    for trials, probability, most in ((1000, 1e-3, 12), (50, 0.02, 5), (10**4, 1e-5, 3)):
        q = arb(probability)
        inside = sum(
            (arb.bin_uiui(trials, k) * q**k * (1 - q) ** (trials - k) for k in range(most + 1)),
            arb(0),
        )
        assert 1 - inside > 0
        assert arb(charges.binomial_excess(trials, probability, most)) >= 1 - inside


# --- what is read off ---------------------------------------------------------------------------


def log_alpha():
    losses = np.linspace(0.5, 600.0, 40)
    masses = np.exp(-0.05 * losses)
    lines = lines_of_masses(losses, masses, 0.0)
    for i in range(0, 40, 5):
        true = sum(
            (m * (-w).exp() for m, w in zip(exact(masses[i:]), exact(losses[i:]), strict=True)),
            arb(0),
        )
        assert arb(float(lines.log_alphas[i])) <= true.log()


def chord():
    # The line between two claims must be at or above both.
    low = []
    for seed in range(300):
        random = np.random.default_rng(seed)
        epsilons = np.sort(random.uniform(0.5, 3.0, 3))
        deltas = np.array([0.2, 0.02, 0.001]) * random.uniform(0.5, 1.0, 3)
        lines = lines_of_claims(epsilons, deltas)
        for tpr, log, end in zip(lines.tprs, lines.log_alphas, lines.epsilons, strict=True):
            place = int(np.flatnonzero(epsilons == end)[0])
            shown = arb(float(tpr)) - (arb(float(end)) + arb(float(log))).exp()
            low.append(shown >= arb(float(deltas[place])))
    assert all(low)


def epsilon():
    bad = 0
    for seed in range(400):
        random = np.random.default_rng(seed)
        tpr, alpha = float(random.uniform(0.2, 0.9)), float(random.uniform(1e-12, 1e-3))
        lines = Lines(np.array([40.0]), np.array([math.log(alpha)]), np.array([tpr]), 0.0)
        delta = float(random.uniform(1e-9, 0.9 * tpr))
        found = float(lines.epsilon(np.array([delta]))[0])
        true = (arb(tpr) - arb(delta)).log() - arb(math.log(alpha))
        bad += bool(arb(found) < true)
    assert bad == 0


def quantile():
    errors = []
    for alpha, tpr in 10.0 ** generator().uniform(-12.0, -0.4, (200, 2)):
        found = float(
            separations(np.array([math.log(alpha)]), np.array([tpr]), np.array([1.0 - tpr]))[0]
        )
        rounded = arb(math.log(alpha)).exp()
        # A quantile by Newton's method in balls, from the double.
        errors.append(abs(arb(found) - (_quantile(arb(tpr)) - _quantile(rounded))))
    worst(errors, charges.quantile(1.0))


def _quantile(p):
    from scipy.special import ndtri

    x = arb(float(ndtri(float(p))))
    for _ in range(6):
        x = (x - (phi(x) - p) / ((-x * x / 2).exp() / (2 * arb.pi()).sqrt())).mid()
    return x


def closed_form():
    low = []
    for one in generator().uniform(1e-3, 0.99, 300):
        # mu = -2 Phi^-1(1 / (e^eps + 1)): then Phi(-mu / 2) is to be at most that.
        mu = randomized_response_mu(float(one), 2)
        low.append(phi(-arb(mu) / 2) <= 1 / (arb(float(one)).exp() + 1))
    assert all(low)


def gaussian_rate():
    low = []
    for mu, fpr in zip(
        generator().uniform(0.1, 3.0, 300),
        10.0 ** generator().uniform(-9.0, -0.5, 300),
        strict=True,
    ):
        found = float(tpr_of_mu(float(mu), np.array([fpr]))[0])
        low.append(arb(found) >= phi(_quantile(arb(float(fpr))) + arb(float(mu))))
    assert all(low)


def gaussian_profile():
    low = []
    for mu, epsilon_ in generator().uniform(0.2, 3.0, (300, 2)):
        found = GaussianCurve(float(mu)).delta(float(epsilon_))
        m, e = arb(float(mu)), arb(float(epsilon_))
        low.append(arb(found) >= phi(m / 2 - e / m) - e.exp() * phi(-m / 2 - e / m))
    assert all(low)
    assert float(delta_of_mu(1.0, np.array([1.0]))[0]) > 0.0


def renyi():
    low = []
    assert kinds.CATALOGUE
    for sigma in generator().uniform(0.5, 3.0, 200):
        found = renyi_divergences(Gaussian(sigma=float(sigma)), np.array([2.5])).worst[0]
        low.append(arb(float(found)) >= arb(2.5) / (2 * arb(float(sigma)) ** 2))
    assert all(low)


def odds():
    # What tells nothing leaves a prior, as the share of members among the accused, at what it was.
    nothing = PureDP(epsilon=0.0)
    priors, fprs = generator().uniform(0.01, 0.99, (2, 300))
    shares = np.asarray(risk.positive_predictive_value(nothing, prior=priors, fpr=fprs))
    assert np.all(shares >= priors)


NAMES = sorted(
    name
    for name, one in vars(charges).items()
    if inspect.isfunction(one) and not name.startswith("_")
)

PINS: dict[str, Callable[[], None]] = {
    name: function
    for name, function in globals().items()
    if name in NAMES and callable(function) and getattr(function, "__module__", "") == __name__
}
PINS["drift"] = drift_of_losses
PINS = {name: in_balls(function) for name, function in PINS.items()}
PINS |= BATCH_PINS | PERSON_PINS | CONTOUR_PINS


# Charges that are logarithms of what is granted.
LOGARITHMS = {"aliases", "slow_decay"}


def zeroed(monkeypatch, name):
    """Take a charge away: zero, or arrays of zeros."""
    original = getattr(charges, name)
    none = -np.inf if name in LOGARITHMS else 0.0

    def nothing(*arguments, **named):
        found = original(*arguments, **named)
        if isinstance(found, tuple):
            return tuple(np.zeros_like(one) for one in found)
        return np.full_like(found, none) if isinstance(found, np.ndarray) else none

    monkeypatch.setattr(charges, name, nothing)
