"""The lattice engine: losses put on a grid, added up by Fourier transform, every error bounded.

``plan`` and ``window`` choose grid and transform, ``discretize`` and ``split`` put a release on it,
``spectrum``, ``tilted`` and ``compose`` add the losses up, ``above`` and ``below`` bound a
profile from its two sides, ``engine`` keeps what was found.
"""
