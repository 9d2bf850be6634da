"""The accountant: from what was run to a composed privacy loss, with bounds on every error.

``pair`` (with ``gaussian``, ``laplace``, ``atomic``) reads one release through its loss,
``dominating`` finds it from a mechanism, ``discretize`` puts it on a lattice, ``spectrum`` and
``compose`` add the losses up, ``window``, ``scheme`` and ``split`` plan, ``accountant`` runs it.
"""
