"""`serve`: the page on an address of this machine, until it is interrupted."""

from __future__ import annotations

import errno
import socket
import threading
import time
import webbrowser
from collections.abc import Callable

import uvicorn

from gdpnum import _validate
from gdpnum.errors import InvalidArgument
from gdpnum.explore import read
from gdpnum.explore.guard import is_loopback, names_of
from gdpnum.explore.server import application

#: The same each time, so that links keep working; another one if it is taken.
PORT = 8237

_NETWORK = (
    "Anyone who can reach this machine at {address} can now use the page. There is no password and "
    "no encryption: what is set and every file that is read cross the network as they are. Their "
    "files are not kept and nobody sees what another has set, but they use this machine's time."
)


def serve(
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    network: bool = False,
    browser: bool = True,
    reader: read.Reader,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve the page until interrupted; ``network`` allows an address that others can reach."""
    if not is_loopback(host) and not network:
        raise InvalidArgument(
            f"host={host!r} can be reached from other machines, and the page has no password; "
            "leave it out, or pass --network to let them in"
        )
    listening = _listening(host, port)
    with listening:
        address = f"http://{_shown(host)}:{listening.getsockname()[1]}/"
        app = application(names=names_of(host), addresses=not is_loopback(host), reader=reader)
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                lifespan="off",
                server_header=False,
                limit_concurrency=64,
                timeout_keep_alive=60,
                timeout_graceful_shutdown=1,
            )
        )
        tell(f"Explore at {address} (press Ctrl-C to end)")
        if not is_loopback(host):
            tell(_NETWORK.format(address=address))
        if browser:
            threading.Thread(target=_open, args=(server, address), daemon=True).start()
        server.run(sockets=[listening])


def _listening(host: str, port: int | None) -> socket.socket:
    if port is not None:
        _validate.count("port", port)
        if port > 65_535:
            raise InvalidArgument(f"port={port} is above 65535; pass a smaller one, or 0 for any")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, PORT if port is None else port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE and port is None:
            return socket.create_server((host, 0), family=family)
        raise InvalidArgument(
            f"host={host!r}, port={port} cannot be listened at ({error.strerror or error}); pass "
            "another, or --port 0 for any that is free"
        ) from None
    except OverflowError:
        raise InvalidArgument(f"port={port} is no port; pass one from 0 to 65535") from None


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _open(server: uvicorn.Server, address: str) -> None:
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.02)
    webbrowser.open(address)
