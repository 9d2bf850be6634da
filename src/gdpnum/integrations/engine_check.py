"""`check_engine`: how a training engine drew its batches, and whether its accounting says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, final

from gdpnum.draws import Draws, Seen, batches_a_step, batches_in_words, run_as
from gdpnum.history import Segment
from gdpnum.integrations.opacus_record import record_of, seen_of
from gdpnum.mechanisms import Mechanism

__all__ = ["EngineCheck", "Finding", "check_engine", "findings_of"]

Effect = Literal["accounted", "uncovered", "harmless"]


@final
@dataclass(frozen=True)
class Finding:
    """Something that an engine's own accounting does not know.

    ``effect``: ``"accounted"``, the run of the check has it; ``"uncovered"``, no number here covers
    it; ``"harmless"``, privacy is none the worse.
    """

    name: str
    text: str
    effect: Effect = "accounted"

    def __str__(self) -> str:
        return self.text


@final
@dataclass(frozen=True)
class EngineCheck:
    """What was run, as far as it can be seen, with what was found and what was not looked at.

    ``run`` is accounted for as what it is. The check itself can be passed to `fit_gdp`,
    `tradeoff_curve` and `statement`; a statement of it says how batches were drawn, how that was
    checked and what was not.
    """

    run: Mechanism
    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...]
    batches: str

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found that privacy is the worse for."""
        return all(one.effect == "harmless" for one in self.findings)

    def __str__(self) -> str:
        found = [f"found: {one.text}" for one in self.findings] or ["found: nothing"]
        missed = [f"not checked: {one}" for one in self.unchecked]
        return "\n".join([f"run: {self.run!r}", *found, *missed])


def check_engine(engine: object, loader: object = None, optimizer: object = None) -> EngineCheck:
    """What an engine has run, found from its history, its data loader and its optimizer.

    ``engine`` is an Opacus PrivacyEngine, its accountant, a history or a checkpoint, or another
    engine with ``noise_multiplier``, ``sample_rate`` and ``steps``. ``loader`` and ``optimizer``
    are those that ``make_private`` returned; an engine made after
    ``gdpnum.integrations.opacus.register()`` has shown them already.

    Guarantee: the numbers of ``run`` hold for what was seen, under ``unchecked``. Batches that are
    no Poisson samples are accounted for as what they are: shuffled or in a fixed order as one
    release an epoch, for a record blanked out; from a sampler not known here without credit for
    sampling.

    >>> check = check_engine([(1.0, 0.01, 500)])
    >>> check.run
    PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 500
    >>> print(check.unchecked[0])
    how batches were drawn; Poisson samples are assumed (pass loader)
    """
    record = record_of(engine)
    seen = _both(record.seen or Seen(), seen_of(engine, loader, optimizer))
    findings = findings_of(record.steps, seen)
    if not any(count for _, _, count in record.steps):
        text = "no step is recorded, so the mechanism releases nothing; read it after training"
        findings = (Finding("no steps", text), *findings)
    missed = tuple(_missed(seen))
    return EngineCheck(
        run=run_as(record.steps, seen),
        findings=findings,
        unchecked=missed,
        batches=batches_in_words(seen),
    )


def _both(noted: Seen, shown: Seen) -> Seen:
    """What was noted when the engine was made, and what is shown now."""
    if noted == Seen():
        return shown
    draws = noted.draws
    if shown.draws is not None and shown.draws != draws:
        # A plain loader in the place of the one that was made: it is what was trained with.
        plain = draws is None or draws.scheme == "poisson"
        draws = shown.draws if plain else noted.and_then(replace(noted, draws=shown.draws)).draws
    return Seen(
        draws=draws,
        clipping=noted.clipping or shown.clipping,
        has_optimizer=noted.has_optimizer or shown.has_optimizer,
        divisor=noted.divisor if shown.divisor is None else shown.divisor,
        mean_batch=noted.mean_batch if shown.mean_batch is None else shown.mean_batch,
    )


def _missed(seen: Seen) -> list[str]:
    found = []
    if seen.draws is None:
        found.append("how batches were drawn; Poisson samples are assumed (pass loader)")
    else:
        epochs = seen.draws.scheme in ("shuffled", "ordered")
        ended = ", and that it ended every epoch it began" if epochs else ""
        found.append(f"that the training loop used this loader and no other{ended}")
    if not seen.has_optimizer:
        found.append("whether the clipping norm adapts to the data (pass optimizer)")
    return found


# --- what is found ------------------------------------------------------------------------------


def findings_of(steps: tuple[Segment, ...], seen: Seen) -> tuple[Finding, ...]:
    """What a history leaves out of what was seen."""
    found = [] if seen.draws is None else _of_draws(steps, seen.draws)
    return (*found, *_of_clipping(steps, seen), *_of_divisor(seen))


def _of_draws(steps: tuple[Segment, ...], draws: Draws) -> list[Finding]:
    found = []
    if draws.scheme != "poisson":
        unseen = draws.scheme == "unknown"
        credit = ", without credit for sampling" if draws.scheme != "with_replacement" else ""
        found.append(
            Finding(
                "sampler",
                f"batches were drawn {draws.words}: not by Poisson sampling, as Opacus records "
                f"(poisson_sampling=False); they are accounted for as "
                f"{'if so' if unseen else 'what they are'}{credit}, for a record blanked out",
            )
        )
    numbers = {batches_a_step(rate, draws) for _, rate, count in steps if count}
    most = max(numbers, default=1)
    if most > 1:
        how = (
            "a record can be in several of them and then moves the sum several times as far, "
            "which the summed sample_rate that Opacus records leaves out; accounted for so"
            if draws.scheme == "poisson"
            else "accounted for so"
        )
        effect: Effect = "accounted" if draws.scheme == "poisson" else "harmless"
        found.append(
            Finding("accumulation", f"up to {most} batches were accumulated a step; {how}", effect)
        )
    slowest = min((rate for _, rate, count in steps if count), default=1.0)
    if draws.rate is not None and slowest < draws.rate * (1.0 - 1e-9):
        found.append(
            Finding(
                "rate",
                f"the history has sample_rate={slowest!r}, but the sampler draws each record with "
                f"probability {draws.rate!r}: Opacus records 1 / len(data_loader); accounted for "
                "at the sampler's",
            )
        )
    if draws.copies > 1:
        what = (
            f"each of {draws.copies} workers draws from the whole dataset"
            if draws.scheme == "poisson"
            else f"a record can be in an epoch {draws.copies} times, as {draws.sampler} repeats "
            "some or several workers draw from the whole dataset"
        )
        found.append(
            Finding("copies", f"{what}, which is not recorded; accounted for as in one step")
        )
    return found


def _of_clipping(steps: tuple[Segment, ...], seen: Seen) -> list[Finding]:
    clipping, draws = seen.clipping, seen.draws
    if clipping is None:
        return []
    found = []
    recorded = min((sigma for sigma, _, count in steps if count), default=0.0)
    both = clipping.together(recorded, draws)
    if recorded > 0.0 and both == 0.0:
        found.append(
            Finding(
                "clipping noise",
                "adaptive clipping in Opacus before 1.6 records the noise multiplier of the "
                "gradients alone, and the one of gradients and count is lost; nothing is "
                "guaranteed; pass [(noise_multiplier, sample_rate, steps)] with the one that "
                "make_private was given",
            )
        )
    elif both < recorded * (1.0 - 1e-9):
        why = "in Opacus before 1.6 " if not clipping.is_recorded else ""
        found.append(
            Finding(
                "clipping noise",
                f"adaptive clipping {why}records noise_multiplier={recorded:.6g}; with the count "
                f"of clipped gradients it is {both:.6g}, and accounted for so",
            )
        )
    if draws is None or draws.scheme == "poisson":
        found.append(
            Finding(
                "batch size",
                "adaptive clipping divides a noisy count by the size of the batch, which is "
                "private if batches are Poisson samples; what that tells is ignored by Opacus and "
                "covered by no number here",
                "uncovered",
            )
        )
    return found


def _of_divisor(seen: Seen) -> list[Finding]:
    if seen.divisor is None or seen.mean_batch is None:
        return []
    if seen.divisor >= seen.mean_batch * (1.0 - 1e-9):
        return []
    more = (
        "gradients are divided by 0"
        if seen.divisor == 0.0
        else f"updates are {seen.mean_batch / seen.divisor:.3g} times those of the mean"
    )
    return [
        Finding(
            "expected batch size",
            f"Opacus divides by expected_batch_size={seen.divisor:g}, the floor of the mean "
            f"{seen.mean_batch:.6g}: {more}; privacy is the same",
            "harmless",
        )
    ]
