"""The page and what it asks: a small Starlette application in which every answer is the library's.

It remembers nothing: what is set comes with each question, as the text of the link.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Collection, Iterator
from importlib.resources import files
from io import BytesIO
from typing import IO, Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

import gdpnum
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.explore import compare, plan, read, scores, take, trade
from gdpnum.explore.fields import FIELDS, PLANNED
from gdpnum.explore.find import shown_noise, target_said
from gdpnum.explore.guard import LOCAL_NAMES, Guard
from gdpnum.explore.noise_line import NoiseLine
from gdpnum.explore.schemes import SCHEMES
from gdpnum.explore.state import AXES, DESIGNS, MEASURES, MOST_PINS, TARGETS, State
from gdpnum.explore.trade_map import STAGES, Map

_PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
    "/drawing.css": ("drawing.css", "text/css; charset=utf-8"),
    **{
        f"/{name}": (name, "text/javascript; charset=utf-8")
        for name in ("script.js", "asking.js", "drawing.js", "maps.js")
    },
}

# What the page sends of its own beside a file: the parts of a run, and scores.
_LARGEST_BODY = 2**26

# Each may take disk and memory.
_UPLOADS_AT_ONCE = 4


def application(
    *,
    names: Collection[str] = LOCAL_NAMES,
    addresses: bool = False,
    reader: read.Reader,
) -> ASGIApp:
    """The application, for `serve` and for tests.

    ``names`` are the hosts under which it answers; ``reader`` reads run files.
    """
    asked = _Asked(reader)
    app = Starlette(
        routes=[
            *(Route(where, _static(*what)) for where, what in _PAGE.items()),
            Route("/api/describe", _answering(lambda _: describe())),
            Route("/api/plan", _answering(asked.plan)),
            Route("/api/find", _answering(asked.find)),
            Route("/api/map/{stage}", asked.map),
            Route("/api/noise", asked.noise),
            Route("/api/read", asked.upload, methods=["POST"]),
            Route("/api/reading", asked.reading, methods=["POST"]),
            Route("/take/{file}", asked.take),
        ],
        # What is no mistake of the user's is also written to the terminal, with its traceback.
        exception_handlers={GdpnumError: _refused, ClientDisconnect: _gone, Exception: _failed},
    )
    # Around all of it: as a middleware, Starlette would put it inside what answers failures.
    return Guard(app, names=names, addresses=addresses)


def describe() -> dict[str, Any]:
    """What can be set, in which steps and words."""
    return {
        "version": gdpnum.__version__,
        "default": State().query,
        "defaults": State().texts,
        "fields": {name: field.document() for name, field in FIELDS.items()},
        "planned": list(PLANNED),
        "schemes": [scheme.document() for scheme in SCHEMES.values()],
        "targets": list(TARGETS.items()),
        "measures": list(MEASURES.items()),
        "axes": [[name, FIELDS[name].label] for name in AXES],
        "files": take.described(),
        "designs": list(DESIGNS.items()),
        "most_pins": MOST_PINS,
        "largest_upload": read.LARGEST_CHECKPOINT,
        "parts_in_link": read.MOST_PARTS_IN_LINK,
    }


class _Asked:
    """The questions of the page."""

    def __init__(self, reader: read.Reader) -> None:
        self._reader = reader
        # One map at a time: the numbers that one drags come first.
        self._maps = asyncio.Semaphore(1)
        self._uploads = asyncio.Semaphore(_UPLOADS_AT_ONCE)

    def plan(self, query: str) -> dict[str, Any]:
        state = State.of(query)
        found = plan.plan(state)
        found["texts"] |= {"python": take.python(state), "command": take.command(state)}
        if state.view == "compare":
            found["compared"] = compare.compare(state)
        if state.view == "trade":
            found["drawings"] |= trade.here(state)
            found |= trade.keys(state)
        return {"query": state.query, "pin": state.pin, **found}

    def find(self, query: str) -> dict[str, Any]:
        state = State.of(query)
        noise = shown_noise(state)
        return {"noise_multiplier": noise, "said": f"{target_said(state)}: noise {noise}"}

    async def map(self, request: Request) -> Response:
        stage = request.path_params["stage"]
        if stage not in STAGES:
            return _said(f"stage={stage!r} is none; pass coarse or fine")
        return await self._by_rows(request, lambda state: Map(state, stage))

    async def noise(self, request: Request) -> Response:
        return await self._by_rows(request, NoiseLine)

    async def _by_rows(self, request: Request, made: Callable[[State], Any]) -> Response:
        picture = made(State.of(request.url.query))
        rows: list[Any] = []
        async with self._maps:
            computed: Iterator[Any] = picture.rows()
            # Given up as soon as nobody waits for it.
            while not await request.is_disconnected():
                row = await run_in_threadpool(next, computed, None)
                if row is None:
                    return JSONResponse(await run_in_threadpool(picture.document, rows))
                rows.append(row)
        return Response(status_code=204)

    async def upload(self, request: Request) -> Response:
        name = unquote(request.headers.get("x-file-name", ""))[:200]
        async with self._uploads:
            with tempfile.TemporaryFile() as file:
                size = await _received(request, file, read.LARGEST_CHECKPOINT)
                file.seek(0)
                found = await run_in_threadpool(read.uploaded, name, file, size, self._reader)
        return JSONResponse(found)

    async def reading(self, request: Request) -> Response:
        body = BytesIO()
        await _received(request, body, _LARGEST_BODY)
        return JSONResponse(await run_in_threadpool(_reading, request.url.query, body.getvalue()))

    async def take(self, request: Request) -> Response:
        name = request.path_params["file"]
        try:
            found = await run_in_threadpool(take.file, name, State.of(request.url.query))
        except GdpnumError as error:
            return Response(f"{error}\n", 422, media_type="text/plain")
        if found is None:
            return Response(f"there is no file {name!r}\n", 404, media_type="text/plain")
        kind, content = found
        # Never shown under this page's own address.
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=headers)


def _reading(query: str, body: bytes) -> dict[str, Any]:
    state = State.of(query)
    try:
        document = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise InvalidArgument("what was sent is no JSON object; load the page again")
    parts = document.get("parts") or state.parts
    run = State.reading(parts) if parts else state.run
    found = read.reading(state, run)
    if document.get("scores"):
        audited = scores.audited(state, run, document["scores"])
        found["texts"] |= audited["texts"]
        found["drawings"] |= audited["drawings"]
    return found


def _answering(function: Callable[[str], dict[str, Any]]) -> Callable[[Request], Any]:
    """The answer to what is set."""

    async def answer(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(function, request.url.query))

    return answer


def _said(message: str) -> Response:
    # Not as a failed request, of which a browser complains in its console.
    return JSONResponse({"message": message})


async def _refused(_: Request, error: Exception) -> Response:
    """What is wrong with what is set."""
    return _said(str(error))


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=204)


async def _failed(_: Request, error: Exception) -> Response:
    """A mistake of ours: the page says so and keeps what it shows."""
    return _said(
        f"gdpnum failed at this ({type(error).__name__}), which is a bug; change what is set, and "
        "please report it with the link"
    )


async def _received(request: Request, file: IO[bytes], most: int) -> int:
    """Write what is sent to a file, if it is not too much; how much it was."""
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise InvalidArgument(f"the file has more than {most} bytes; pass a smaller one")
        file.write(chunk)
    return size


def _static(name: str, kind: str) -> Callable[[Request], Any]:
    content = files("gdpnum.explore").joinpath(f"page/{name}").read_bytes()

    async def answer(_: Request) -> Response:
        return Response(content, headers={"Content-Type": kind})

    return answer
