"""The application behind a real port, in this process."""

import http.client
import json
import socket
import threading
import time
from contextlib import contextmanager
from urllib.parse import quote

import uvicorn

from gdpnum.cli.sources import source_of
from gdpnum.explore import application


@contextmanager
def serving(**options):
    """The port of the application while it runs."""
    app = application(**{"reader": source_of, **options})
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="critical", lifespan="off", access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.005)
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(10.0)


class Asking:
    """One who asks: answers are (status, headers, body)."""

    def __init__(self, port):
        self.port = port

    def __call__(self, path, *, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def json(self, path, **more):
        status, headers, body = self(path, **more)
        assert status == 200, body
        assert headers["content-type"] == "application/json"
        return json.loads(body)

    def read(self, name, content, query=""):
        headers = {"X-File-Name": quote(name)}
        return self.json(f"/api/read?{query}", method="POST", body=content, headers=headers)

    def reading(self, query="", **document):
        return self.json(f"/api/reading?{query}", method="POST", body=json.dumps(document))
