"""Closed forms of Gaussian differential privacy, each in its one home, to the last digits."""
