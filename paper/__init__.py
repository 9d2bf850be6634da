"""The paper computed again: every table and figure, and a ledger of what it claims.

It is no part of the library, and uses its public functions as anyone would. ``python -m paper``
(or ``make paper``) writes all to a folder, with an index page that sets each number beside the
paper's own and says where they differ, and why. Numbers of tables and figures are the paper's.

``contents`` lists the sections; each has a file of its own, named after what it shows. ``result``
holds what a section returns, ``claim`` and ``ledger`` what becomes of the paper's sentences,
``settings`` the runs of the paper, ``canvas`` how figures are laid out, ``page`` and ``files`` how
all is written. Figures need the extra ``gdpnum[plot]``.
"""

from paper.reproduction import Progress, reproduce

__all__ = ["Progress", "reproduce"]
