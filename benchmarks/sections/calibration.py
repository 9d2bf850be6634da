"""The noise multiplier for a target."""

from statistics import median

from bench import Question, say
from cases import TARGETS
from packages import OURS
from report import duration, factor, geometric_mean, ratio, ratios, seconds_of, table, time

TITLE = "Calibration of noise"
LIMIT = 60.0


def peers_for(target):
    """Who can calibrate to this."""
    if "epsilon" in target:
        return ["dp-accounting"]
    return ["riskcal"] if "advantage" in target or "tpr" in target else []


def measure(bench):
    rows = []
    for target in bench.few(TARGETS, every=4):
        asked = {name: Question(name, "calibration", target) for name in [OURS, *peers_for(target)]}
        limit = 20.0 if bench.quick else LIMIT
        answers = bench.turns(asked, limit=limit, repeats=min(3, bench.repeats), budget=6.0)
        for one in answers.values():
            if "noise" in one:
                one.update(excess=_excess(bench, target, one["noise"]))
        name = ", ".join(f"{key}={value:g}" for key, value in target.items())
        say("calibration", name, answers)
        rows.append({"name": name, "answers": answers})
    return {"cases": rows}


def _excess(bench, target, noise):
    """What the noise achieves above the target, relative to it; judged at tolerance 1e-5."""
    return bench.judgement("achieved", {**target, "noise": noise})["excess"]


def render(result):
    lines = []
    for row in result["cases"]:
        ours = row["answers"][OURS]
        for label, one in row["answers"].items():
            name = row["name"] if label == OURS else ""
            compared = ratio(one, ours) if label != OURS else ""
            lines.append([name, label, duration(one), compared, *_noise(one)])
    return "\n\n".join(
        [
            "What the noise achieves is judged by this library at tolerance 1e-5, relative to the "
            "target: WRONG where the target is not met, and far below where more noise was added "
            "than needed. dp-accounting calibrates to epsilon, to 1e-3 in the noise; "
            "riskcal to an advantage or a TPR.",
            table(["target", "package", "time", "ratio", "noise", "achieved"], lines),
        ]
    )


def _noise(answer):
    if "noise" not in answer:
        return ["", ""]
    far = 100.0 * answer["excess"]
    return [f"{answer['noise']:.5f}", f"{'WRONG ' if far > 0.0 else ''}{far:+.3f} %"]


def summary(result):
    rows = result["cases"]
    times = [median(seconds_of(row["answers"][OURS])) for row in rows]
    line = {"work": f"calibration, {len(rows)} targets", OURS: time(geometric_mean(times))}
    for peer in ("dp-accounting", "riskcal"):
        asked = [row["answers"] for row in rows if peer in row["answers"]]
        found = [median(one) for answers in asked if (one := ratios(answers[peer], answers[OURS]))]
        parts = [factor(geometric_mean(found))] if found else []
        wrong = sum(answers[peer].get("excess", 0.0) > 0.0 for answers in asked)
        failed = sum("error" in answers[peer] for answers in asked)
        counts = ((wrong, "wrong"), (failed, "failed"))
        line[peer] = ", ".join(parts + [f"{count} {what}" for count, what in counts if count])
    return [line]
