"""The command line: arguments in, text or JSON out; one command a file.

``entry`` gathers the commands, ``program`` turns whatever goes wrong into one line, ``options``
holds what several commands take, ``training`` reads a run of DP-SGD off them, ``sources`` reads
runs from files, ``present`` shows statements, ``files`` writes so that nothing half-written stays.

What computes is named through ``gdpnum``, which loads it when first used: so ``gdpnum --help``
answers at once.
"""

from gdpnum.cli.entry import app, main

__all__ = ["app", "main"]
