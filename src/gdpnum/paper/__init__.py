"""The paper's tables and figures, computed again by the library's public functions.

``reproduce`` writes them all to a folder, with an index page that sets each number beside the
paper's own and says where they differ, and why. ``contents`` lists the sections; each has a file of
its own, named after what it shows. ``result`` holds what a section returns, ``settings`` the runs
of the paper, ``canvas`` how figures are laid out, ``page`` and ``files`` how all is written.

Figures need the extra ``gdpnum[plot]``.
"""

from gdpnum.paper.reproduction import Progress, reproduce

__all__ = ["Progress", "reproduce"]
