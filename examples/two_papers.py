"""Compare the guarantees of two papers that state epsilon at different deltas."""

import gdpnum

# The first tells how it trained, and states epsilon = 4 at delta = 1e-5.
first = gdpnum.DPSGD(noise_multiplier=16.0, sample_rate=16_384 / 50_000, steps=1765)

# The second adds Gaussian noise once, and states only epsilon = 5 at delta = 1e-9. For Gaussian
# noise that tells mu. (For any other mechanism it would not.)
second = gdpnum.GDP(mu=gdpnum.mu_from_epsilon_delta(5.0, 1e-9))

found = gdpnum.compare(second, first)
print(found)
print(f"The second, with the larger epsilon, is {found.order}.")

# At one delta the epsilons can be compared, at that delta.
for delta in (1e-5, 1e-9):
    one, two = (gdpnum.tradeoff_curve(run).epsilon(delta) for run in (first, second))
    print(f"delta = {delta:g}: epsilon = {one:.2f} and {two:.2f}")
