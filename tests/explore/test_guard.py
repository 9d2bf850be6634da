"""Only this machine's own page gets an answer."""

import socket

import pytest

import gdpnum
from gdpnum.cli.sources import source_of
from gdpnum.explore import serve
from gdpnum.explore.guard import is_loopback, names_of
from tests.explore.serving import Asking, serving

OURS = ["127.0.0.1", "localhost", "LOCALHOST:1", "127.0.0.1:8237", "[::1]", "[::1]:80"]
FOREIGN = [
    *("evil.example", "evil.example:8237", "127.0.0.1.evil.example", "localhost.evil.example"),
    *("10.0.0.1", "[2001:db8::1]", "", "127.0.0.1@evil.example", "127.0.0.1 evil", "a:b:c"),
]


@pytest.mark.parametrize("path", ["/", "/api/plan", "/take/statement.json", "/none"])
@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_name_is_refused(asked, host, path):
    status, _, body = asked(path, headers={"Host": host})
    assert status in (400, 403)
    assert b"mu" not in body


@pytest.mark.parametrize("host", OURS)
def test_our_names_are_answered(asked, host):
    assert asked("/", headers={"Host": host})[0] == 200


def test_two_hosts_are_one_too_many(asked):
    with socket.create_connection(("127.0.0.1", asked.port)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        assert connection.recv(100).split()[1] in (b"400", b"403")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_foreign_page_may_link_here_and_ask_nothing(asked, site):
    told = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert asked("/api/plan", headers=told)[0] == 403
    assert asked("/api/read", method="POST", body=b"x", headers=told)[0] == 403
    linked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert asked("/", headers=linked)[0] == 200
    framed = {**linked, "Sec-Fetch-Dest": "iframe"}
    assert asked("/", headers=framed)[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/script.js",
        "/style.css",
        "/api/plan",
        "/api/none",
        "/take/statement.html",
        "/take/none",
    ],
)
def test_every_answer_says_what_the_browser_may_do(asked, path):
    for host in ("localhost", "evil.example"):
        _, headers, _ = asked(path, headers={"Host": host})
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers


def test_files_are_saved_not_shown(asked):
    _, headers, body = asked("/take/statement.html?name=%3Cscript%3E")
    assert headers["content-disposition"] == 'attachment; filename="statement.html"'
    assert b"&lt;script&gt;" in body


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_it_refuses_to_listen_where_others_reach_it(host):
    with pytest.raises(
        gdpnum.InvalidArgument, match=r"can be reached from other machines.*--network"
    ):
        serve(host=host, browser=False, reader=source_of)


def test_a_port_that_is_none_or_taken_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(gdpnum.InvalidArgument, match=f"port={port} cannot be listened at"):
            serve(port=port, browser=False, reader=source_of)
    with pytest.raises(gdpnum.InvalidArgument, match="port=70000 is above 65535"):
        serve(port=70_000, browser=False, reader=source_of)


def test_loopback_is_told_from_the_rest():
    assert all(map(is_loopback, ["127.0.0.1", "127.1.2.3", "::1", "localhost"]))
    assert not any(
        map(is_loopback, ["0.0.0.0", "::", "10.0.0.1", "localhost.example", "", "2130706433"])
    )
    assert "evil.example" not in names_of("0.0.0.0")


def test_on_the_network_numbers_are_answered_and_foreign_names_are_not():
    with serving(names=names_of("0.0.0.0"), addresses=True) as port:
        asked = Asking(port)
        assert asked("/", headers={"Host": f"192.0.2.7:{port}"})[0] == 200
        assert asked("/", headers={"Host": socket.gethostname()})[0] == 200
        assert asked("/", headers={"Host": "evil.example"})[0] == 403
