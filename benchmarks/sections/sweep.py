"""The paper's regret sweep (Figure 4), 720 settings."""

from statistics import mean, median

from bench import Question
from cases import Case, figure_3
from packages import OURS
from report import is_wrong, spread, table, time

TITLE = "The regret sweep of Figure 4"
SAMPLE = 24

#: A peer, and what it is asked of each setting.
PEERS = {"gdpnum 0.1.2": "mu", "riskcal": "tpr"}


def measure(bench):
    every = figure_3()
    cases = [bench.bracketed(case) for case in bench.few(_sample(every))]
    found = {"settings": len(every), "sample": len(cases), "ours": [], "peak_mb": []}
    peers = {peer: {"estimates": []} for peer in PEERS}
    for _ in range(min(3, bench.repeats)):
        one = bench.single(Question(OURS, "sweep", {"settings": every}), limit=600.0)
        found["ours"].append(one["seconds"])
        found["peak_mb"].append(one["peak_mb"])
        found["failed"] = one["errors"]
        for peer, quantity in PEERS.items():
            rows = [bench.row(case, quantity, [peer], repeats=1) for case in cases]
            seconds = [second for row in rows for second in row["answers"][peer]["seconds"]]
            peers[peer]["estimates"].append(mean(seconds) * len(every))
            peers[peer]["wrong"] = sum(is_wrong(row, peer) for row in rows)
            peers[peer]["failed"] = len(rows) - len(seconds)
        print(f"sweep       {len(every)} settings: {time(one['seconds'])}", flush=True)
    return {**found, "peers": peers}


def _sample(every):
    """Evenly spread over the curves and over the rates of each."""
    chosen = (every[(place * len(every)) // SAMPLE + 7 * place % 30] for place in range(SAMPLE))
    return [Case([tuple(setting)]) for setting in chosen]


def render(result):
    rows = [[f"{OURS}, on all cores", _range(result["ours"]), "", "", f"{result['failed']}"]]
    for peer, one in result["peers"].items():
        ratio = spread(_ratios(result, peer))
        counts = [f"{one[what]} of {result['sample']}" for what in ("wrong", "failed")]
        rows.append([f"{peer}, one by one", _range(one["estimates"]), ratio, *counts])
    return "\n\n".join(
        [
            f"12 curves of 60 sampling rates, {result['settings']} settings. The peers, which know "
            f"no cores, are timed on {result['sample']} settings spread evenly, and their time for "
            "all is estimated from that; riskcal is asked for the TPR at FPR 1e-4, having no mu. "
            f"A process of this library's sweep needs {max(result['peak_mb']):.0f} MB.",
            table(["", "time for all", "ratio", "wrong", "failed"], rows),
        ]
    )


def _range(values):
    return f"{time(median(values))} ({time(min(values))} to {time(max(values))})"


def _ratios(result, peer):
    pairs = zip(result["peers"][peer]["estimates"], result["ours"], strict=True)
    return [theirs / ours for theirs, ours in pairs]


def summary(result):
    line = {"work": f"sweep, {result['settings']} settings", OURS: time(median(result["ours"]))}
    for peer, one in result["peers"].items():
        wrong = f", {one['wrong']} of {result['sample']} wrong" if one["wrong"] else ""
        line[peer] = spread(_ratios(result, peer)) + wrong
    return [line]


def claims(result):
    found = median(_ratios(result, "gdpnum 0.1.2"))
    return [("sweep: 20 times gdpnum 0.1.2", f"{found:.1f} times", found >= 20.0)]
