"""``gdpnum explore``: it starts, says where it is, answers, and ends."""

import http.client
import re
import signal
import subprocess

import pytest

from gdpnum.cli import files
from tests.cli.invoking import command, environment, printed, refused
from tests.examples import mostly_slow


@pytest.mark.parametrize("host", mostly_slow(["127.0.0.1", "localhost"], quick=["localhost"]))
def test_it_says_where_it_is_answers_and_ends_quietly(host):
    started = command("explore", "--port", "0", "--no-browser", "--host", host)
    with subprocess.Popen(
        started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as program:
        line = program.stdout.readline()
        found = re.fullmatch(rf"Explore at http://{host}:(\d+)/ \(press Ctrl-C to end\)\n", line)
        assert found, line
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
        connection.request("GET", "/api/plan")
        answer = connection.getresponse()
        assert answer.status == 200
        assert b'"command":"gdpnum dpsgd --noise-multiplier 1 ' in answer.read()
        connection.close()
        program.send_signal(signal.SIGINT)
        rest, errors = program.communicate(timeout=30)
    assert (program.returncode, rest.strip(), errors) == (0, "", "")


@pytest.mark.slow
def test_on_the_network_it_says_what_that_means():
    started = command("explore", "--port", "0", "--no-browser", "--host", "0.0.0.0", "--network")
    with subprocess.Popen(
        started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as program:
        program.stdout.readline()
        said = program.stdout.readline()
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=30)
    assert said.startswith("Anyone who can reach this machine")
    assert "no password and no encryption" in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_elsewhere_it_is_refused_in_one_line(host):
    line = refused("explore", "--host", host, "--no-browser")
    assert "can be reached from other machines" in line
    assert "--network" in line


def test_a_bad_port_is_one_line():
    assert "port=99999" in refused("explore", "--port", "99999", "--no-browser")
    assert "--port" in refused("explore", "--port", "x", "--no-browser")


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda _: None)
    line = refused("explore", "--no-browser")
    assert line == (
        "this needs the package starlette; pip install '.[explore]' in a checkout of gdpnum"
    )


def test_help_says_that_nothing_leaves_the_machine():
    assert "Nothing leaves the machine" in " ".join(printed("explore", "--help").split())
