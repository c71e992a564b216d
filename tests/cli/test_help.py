"""Every ``--help`` fits in 80 columns, lists commands with whole sentences, and explains each option."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from kafka_nextgen.cli.lazy_group import LazyGroup
from kafka_nextgen.cli.main import cli
from tests.cli.running import commands_of

COLUMNS = 80


def commands(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, each in commands_of(command).items():
            yield from commands(each, *path, name)


ALL = [pytest.param(path, command, id=" ".join(path) or "kafka-nextgen") for path, command in commands(cli)]


@pytest.mark.parametrize(("path", "command"), ALL)
def test_it_fits_and_nothing_is_cut(path: tuple[str, ...], command: click.Command) -> None:
    done = CliRunner().invoke(cli, [*path, "--help"], terminal_width=COLUMNS)
    lines = done.stdout.splitlines()
    assert [line for line in lines if len(line) > COLUMNS] == []
    if isinstance(command, click.Group):
        listed = lines[lines.index("Commands:") + 1 :]
        assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []


@pytest.mark.parametrize(("path", "command"), ALL)
def test_each_option_is_explained(path: tuple[str, ...], command: click.Command) -> None:
    options = [each for each in command.params if isinstance(each, click.Option)]
    assert [each.name for each in options if not each.help] == []


@pytest.mark.parametrize(("path", "command"), ALL)
def test_a_group_knows_what_its_commands_say_of_themselves(path: tuple[str, ...], command: click.Command) -> None:
    if isinstance(command, LazyGroup):
        known = {name: place.help for name, place in command.places.items()}
        assert known == {name: each.get_short_help_str(COLUMNS) for name, each in commands_of(command).items()}


def test_an_unknown_command_is_refused() -> None:
    done = CliRunner().invoke(cli, ["grups"])
    assert (done.exit_code, "No such command 'grups'" in done.output) == (2, True)
