"""Explore: a page in the browser, served from this machine, that answers while one drags.

``state`` is what is set, and the link; ``fields`` and ``schemes`` say what can be set. ``plan``,
``trade``, ``compare`` and ``read`` each ask the library for one view and return texts, numbers and
drawings; ``take`` is what can be taken away. ``server`` puts them behind addresses, ``guard`` keeps
others out, ``serving`` listens. The page in ``page/`` shows what it is told and computes nothing.

It needs the extra ``explore``: Starlette and uvicorn to serve, contourpy for the lines of a map.
"""

from gdpnum.explore.server import application
from gdpnum.explore.serving import serve

__all__ = ["application", "serve"]
