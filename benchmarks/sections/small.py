"""What is small and frequent: step(), the import, and the memory of one call."""

from statistics import median

from bench import Question, say
from cases import DELTA, FPR, paper
from packages import OURS, PACKAGES
from report import factor, failure, ratio, spread, table, time

TITLE = "step(), import and memory"

STEPPERS = [OURS, "gdpnum 0.1.2", "riskcal", "Opacus PRV", "Opacus RDP"]
CALLS = 100_000

#: What each package is asked for its memory: mu where it has one.
QUANTITIES = {OURS: "mu", "gdpnum 0.1.2": "mu", "riskcal": "tpr"}


def measure(bench):
    calls = CALLS // 100 if bench.quick else CALLS
    asked = {name: Question(name, "step", {"calls": calls}) for name in STEPPERS}
    steps = bench.turns(asked)
    say("step", f"{calls} calls", steps)
    return {
        "calls": calls,
        "steps": steps,
        "imports": _imports(bench),
        "memory": {name: _memory(bench, name) for name in PACKAGES},
    }


def _imports(bench):
    """Statement -> seconds of whole processes, in turns."""
    wanted = [(OURS, "pass"), (OURS, "import numpy, scipy.special"), (OURS, "import gdpnum")]
    wanted += [(name, f"import {package.module}") for name, package in PACKAGES.items()]
    found = {}
    # The first round reads the files from disk, and is not counted.
    for number in range(min(3, bench.repeats) + 1):
        for name, code in wanted:
            # Opacus has two accountants and one import.
            key = f"{PACKAGES[name].environment}: {code}"
            if key in found and len(found[key]) > number:
                continue
            found.setdefault(key, []).append(bench.statement(name, code))
    found = {key: seconds[1:] for key, seconds in found.items()}
    say("import", "whole process", {key: {"seconds": one} for key, one in found.items()})
    return found


def _memory(bench, name):
    quantity = QUANTITIES.get(name, "epsilon")
    extra = {"mu": {}, "tpr": {"fpr": FPR}, "epsilon": {"delta": DELTA}}[quantity]
    request = {"segments": paper().segments, **extra}
    found = bench.single(Question(name, quantity, request))
    say("memory", f"{quantity} of {paper().name}", {name: found})
    return {**found, "quantity": quantity}


def render(result):
    ours = result["steps"][OURS]
    steps = [
        [name, _per_call(one, result["calls"]), ratio(one, ours) if name != OURS else ""]
        for name, one in result["steps"].items()
    ]
    imports = [
        [environment, f"`{code}`", time(median(seconds))]
        for key, seconds in result["imports"].items()
        for environment, code in [key.split(": ", 1)]
    ]
    memory = [[name, one["quantity"], *_peak(one)] for name, one in result["memory"].items()]
    return "\n\n".join(
        [
            f"One `step()` of an accountant, of {result['calls']:,} in one go:",
            table(["", "per call", "ratio"], steps),
            "Imports, as the time of a whole process. `import gdpnum` here loads what is used when "
            "it is used, so the fit's module is what the peers' imports compare with.",
            table(["environment", "statement", "time"], imports),
            f"One call for the paper's setting, {paper().name}, in a fresh process: time of the "
            "first call, and peak memory of the process with all it imports.",
            table(["", "quantity", "first call", "peak MB"], memory),
        ]
    )


def _per_call(answer, calls):
    return failure(answer) if "error" in answer else time(median(answer["seconds"]) / calls)


def _peak(answer):
    if "error" in answer:
        return [failure(answer), ""]
    return [time(answer["first"]), f"{answer['peak_mb']:.0f}"]


def summary(result):
    ours = result["steps"][OURS]
    step = {"work": "step(), per call", OURS: time(median(ours["seconds"]) / result["calls"])}
    for name, one in result["steps"].items():
        if name != OURS:
            step[name] = ratio(one, ours)
    imports = {"work": "import, whole process"}
    mine = result["imports"][f"ours: import {PACKAGES[OURS].module}"]
    memory = {"work": "peak memory, one call"}
    least = result["memory"][OURS].get("peak_mb")
    for name, package in PACKAGES.items():
        seconds = result["imports"][f"{package.environment}: import {package.module}"]
        pairs = [a / b for a, b in zip(seconds, mine, strict=False)]
        imports[name] = time(median(mine)) if name == OURS else spread(pairs)
        peak = result["memory"][name].get("peak_mb")
        if peak:
            memory[name] = f"{peak:.0f} MB" if name == OURS else factor(peak / least)
    return [step, imports, memory]
