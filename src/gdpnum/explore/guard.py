"""Who may ask: this page in a browser on this machine, and nothing else.

A page from elsewhere can make a browser send requests to this machine. It can do so under a name of
its own that it lets point here (DNS rebinding), so the Host must be one that nobody else can own;
and from its own pages, which the browser tells by Sec-Fetch-Site.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

_HOST = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]\s]+))(?::\d{1,5})?")

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost")
    (True, True, True)
    >>> is_loopback("0.0.0.0"), is_loopback("example.org")
    (False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str) -> frozenset[str]:
    """The names under which a page that listens at an address may be asked for."""
    if is_loopback(host):
        return LOCAL_NAMES | {host}
    return LOCAL_NAMES | {host.lower(), socket.gethostname().lower()}


class Guard:
    """Refuses requests under a foreign name or from a foreign page; adds the headers to answers.

    ``addresses`` lets any numeric address through, which nobody can make point elsewhere.
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str], addresses: bool) -> None:
        self._app, self._names, self._addresses = app, frozenset(names), addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        answer = PlainTextResponse(refusal, 403) if refusal else self._app
        await answer(scope, receive, guarded)

    def _refusal(self, headers: Headers) -> str | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "gdpnum explore answers only under its own address; open the one it printed\n"
        # A link from another page may open this one, which asks for itself thereafter.
        if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
            return None
        if (
            headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
        ):
            return None
        return "gdpnum explore answers its own page only\n"

    def _is_ours(self, host: str) -> bool:
        found = _HOST.fullmatch(host.strip())
        name = (found[1] or found[2]).lower() if found else ""
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._addresses
