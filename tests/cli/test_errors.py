"""What goes wrong is one line on stderr and an exit code: 2 for what was asked wrongly, 1 for the rest."""

from __future__ import annotations

import socket

import pytest
from click.testing import CliRunner

from kafka_nextgen.cli.main import cli
from tests.cli.running import kafka_nextgen
from tests.support.kafka_properties import refusing_address


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["consume", "t", "-g", "g", "-c", "max.pol.records=5"], "did you mean max.poll.records"),
        (["consume", "t", "-g", "g", "-c", "session.timeout.ms=5"], "group.consumer.session.timeout.ms"),
        (["consume", "t", "-g", "g", "-c", "fetch.min.bytes"], "--config takes NAME=VALUE"),
        (["consume", "t", "-g", "g", "-c", "client.id=a", "-c", "client.id=b"], "client.id is given twice"),
        (["consume", "t", "-g", "g", "-b", "nowhere"], "host:port"),
        (["produce", "t", "-b", "nowhere"], "host:port"),
        (["produce", "t", "--key-separator", ""], "must not be empty"),
        (["broker", "-c", "num.partition=3"], "did you mean num.partitions"),
        (["broker", "--listen", "here"], "is not HOST:PORT"),
        (["broker", "--listen", "127.0.0.1:99999"], "is not HOST:PORT"),
    ],
)
def test_what_was_asked_wrongly_exits_with_2(arguments: list[str], complaint: str) -> None:
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense"], "No such command 'nonsense' (see cli --help)"),
        (["--nonsense"], "No such option '--nonsense' (see cli --help)"),
        (["groups", "members"], "Missing argument 'GROUP' (see cli groups members --help)"),
        (["groups", "list", "--type", "x"], "'x' is not one of"),
    ],
)
def test_a_wrong_usage_is_one_line(arguments: list[str], complaint: str) -> None:
    done = CliRunner().invoke(cli, arguments)
    (line,) = done.stderr.splitlines()
    assert (done.exit_code, complaint in line) == (2, True), line


def test_a_group_of_commands_alone_shows_its_help() -> None:
    assert "Usage: cli groups" in CliRunner().invoke(cli, ["groups"]).output


@pytest.mark.parametrize("arguments", [("produce", "t"), ("consume", "t", "-g", "g"), ("groups", "list")])
def test_who_calls_nobody_is_told_at_once_and_ends_with_one_line(arguments: tuple[str, ...]) -> None:
    with refusing_address() as nobody:
        done = kafka_nextgen(*arguments, "-b", nobody, "--timeout", "2", stdin="lost\n")
    assert done.returncode == 1
    (error,) = done.stderr.splitlines()
    assert nobody in error


def test_a_server_that_never_answers_does_not_hold_produce_beyond_its_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        done = kafka_nextgen("produce", "t", "-b", address, "--timeout", "1", stdin="lost\n")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = kafka_nextgen("broker", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.returncode == 1
    assert "address already in use" in done.stderr.lower()
