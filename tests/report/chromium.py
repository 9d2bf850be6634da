"""A small client of headless Chromium, by its DevTools protocol over a pipe; it opens no port."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time

BINARY = shutil.which("chromium") or shutil.which("chromium-browser")

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class Chromium:
    """One browser with one page; events arrive in ``events`` as (method, params)."""

    def __init__(self, profile, *, seconds=30.0):
        self.events, self._seconds, self._last, self._rest = [], seconds, 0, b""
        # It reads at 3 and writes at 4; away from there first, so that neither is taken.
        reads, self._out = map(_moved, os.pipe())
        self._in, writes = map(_moved, os.pipe())
        self._pid = os.posix_spawn(
            BINARY,
            [BINARY, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, reads, 3),
                (os.POSIX_SPAWN_DUP2, writes, 4),
            ],
        )
        os.close(reads)
        os.close(writes)
        self._session = None
        targets = self("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        attached = self("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._session = None
        try:
            self("Browser.close")
        finally:
            # Without its pipe it ends, whatever it was doing.
            os.close(self._in)
            os.close(self._out)
            self._end()

    def _end(self):
        deadline = time.monotonic() + 10.0
        while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                return
            time.sleep(0.02)

    def __call__(self, method, **params):
        """The result of a command."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, page, *, width=1280, dark=False, scripts=True):
        """Load a file, or an address, as a reader with such a screen would."""
        self("Emulation.setScriptExecutionDisabled", value=not scripts)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])
        self.resize(width)
        self.events.clear()
        self("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            self._next()

    def resize(self, width, height=900):
        self(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        found = self(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key, code):
        """A key pressed and let go."""
        for kind in ("rawKeyDown", "keyUp"):
            self("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self):
        """The whole page, as PNG."""
        found = self("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(found["data"])

    def pdf(self):
        """The page as printed on A4."""
        found = self("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)
        return base64.b64decode(found["data"])

    def _next(self):
        deadline = time.monotonic() + self._seconds
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            received = os.read(self._in, 1 << 20) if ready else b""
            if not received:
                raise TimeoutError("Chromium does not answer")
            self._rest += received
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        if "method" in message:
            self.events.append((message["method"], message["params"]))
        return message


def _moved(end):
    moved = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(end)
    return moved
