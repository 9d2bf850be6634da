"""An attack on the library: random settings, bad inputs, mutated statements, hostile files.

`make attack SEED=1 MINUTES=30`, or `python -m tests.attack --help`. What it found is in
docs/attack.md. Nothing in `families` shares code with the library: a family draws a mechanism and,
apart from it, tests that exist against that mechanism.
"""
