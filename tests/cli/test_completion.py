"""A shell completes commands, options and their values (docs/reference/command-line.md)."""

from __future__ import annotations

import os
import subprocess

import pytest
from click.shell_completion import ShellComplete

from kafka_nextgen.cli.main import cli
from tests.cli.running import COMMAND
from tests.support.waiting import GUARD_S

VARIABLE = "_KAFKA_NEXTGEN_COMPLETE"


def completions(*words: str) -> list[str]:
    *before, last = words
    return [each.value for each in ShellComplete(cli, {}, "kafka-nextgen", VARIABLE).get_completions(before, last)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["gr"], ["groups"]),
        (["groups", "offsets", "billing", "--to-d"], ["--to-datetime"]),
        (["topics", ""], ["create", "delete", "describe", "list"]),
        (["groups", "list", "--state", "st"], ["Stable"]),
        (["groups", "list", "--type", "consumer,cl"], ["consumer,classic"]),
        (["consume", "orders", "-c", "auto.offset.reset.n"], ["auto.offset.reset.new.partitions="]),
        (["consume", "orders", "--format", "j"], ["json"]),
    ],
)
def test_what_is_begun_is_completed(words: list[str], found: list[str]) -> None:
    assert completions(*words) == found


def test_keys_of_a_consumer_are_no_keys_of_a_broker() -> None:
    assert "group.id=" in completions("groups", "list", "-c", "group.")
    assert completions("broker", "-c", "group.i") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_script_of_a_shell(shell: str) -> None:
    script = printed(f"{shell}_source")
    assert f"{VARIABLE}={shell}_complete" in script


def test_the_command_answers_that_script() -> None:
    found = printed("bash_complete", COMP_WORDS="kafka-nextgen groups re", COMP_CWORD="2")
    assert found == "plain,remove-members\n"


def printed(instruction: str, **environment: str) -> str:
    """What the command prints for a shell; bash does not have to be installed."""
    return subprocess.run(
        COMMAND,
        env={**os.environ, VARIABLE: instruction, **environment},
        stdout=subprocess.PIPE,
        text=True,
        timeout=GUARD_S,
        check=False,
    ).stdout
