"""Draw the picture in README.md: python docs/first_result.py (needs the extra plot)."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import PercentFormatter

import gdpnum
from gdpnum.rounding import upper

# The same input gives the same file, byte for byte.
mpl.rcParams["svg.hashsalt"] = "gdpnum"
mpl.rcParams["svg.fonttype"] = "none"

run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16_384 / 50_000, steps=2000)
fit, curve = gdpnum.fit_gdp(run), gdpnum.tradeoff_curve(run)
epsilon = curve.epsilon(1e-5)

fpr = np.linspace(0.0, 1.0, 401)
beta = np.maximum(
    np.maximum(0.0, 1.0 - 1e-5 - np.exp(epsilon) * fpr), np.exp(-epsilon) * (1.0 - 1e-5 - fpr)
)

figure, axes = plt.subplots(figsize=(5.0, 3.6), layout="constrained")
axes.plot(
    fpr,
    1.0 - beta,
    ":",
    color="#666666",
    label=f"what (ε = {upper(epsilon, digits=3)}, δ = 1e-5) alone says",
)
axes.plot(
    fpr,
    [fit.tpr(x) for x in fpr],
    color="#0072b2",
    label=f"what μ = {upper(fit.mu, digits=3)} says",
)
axes.plot(fpr, curve.tpr(fpr), "--", color="#d55e00", label="what the mechanism guarantees")
axes.plot(fpr, fpr, color="#bbbbbb", linewidth=0.8, label="guessing")
axes.set(
    xlabel="false positive rate of an attack",
    ylabel="true positive rate, at most",
    xlim=(0.0, 1.0),
    ylim=(0.0, 1.02),
)
axes.xaxis.set_major_formatter(PercentFormatter(1.0))
axes.yaxis.set_major_formatter(PercentFormatter(1.0))
axes.legend(loc="lower right", frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})
