"""Scenarios as text: commands, ``----``, and everything that then happened. What is not written must not happen.

    topic foo 6                         make a topic, or grow it; also: delete foo, recreate foo 6
    settings profile=4.0 max_size=2     the coordinator's settings; assignment interval 0 unless given
    join A foo,bar pattern=... timeout=60s instance=... assignor=...
    heartbeat A epoch=2 topics=foo owns=foo[0-2]    the epoch is A's latest if left out
    leave A, pause A                    epochs -1 and -2
    commit A epoch=2 foo[0]=5           fetch A epoch=2 foo[0]
    assign A foo[0-2]                   what the assignor will say, instead of its own thoughts
    tick 5s                             time passes, timers run out
    fail over                           a new coordinator reads the log
    state                               who owns what

Partitions are written as everywhere: ``orders[0-3] audit[0]``. A member's id is its name. ``run`` gives the text
back with what really happened in it, so a scenario passes if it comes back unchanged. The invariants are asked after
every command, and a coordinator that only reads the log must end up in the same state.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.coordinator.stage import Stage
from tests.coordinator.verbs import VERBS

SEPARATOR = "----"


def run(text: str) -> str:
    """Play a scenario; the same text with what happened."""
    stage = Stage()
    return "\n\n".join(_play(stage, block) for block in text.strip().split("\n\n")) + "\n"


def _play(stage: Stage, block: str) -> str:
    commands = block.split(f"\n{SEPARATOR}")[0].split("\n")
    happened = [line for command in commands for line in _perform(stage, command)]
    if not happened:
        return "\n".join(commands)
    return "\n".join([*commands, SEPARATOR, *happened])


def _perform(stage: Stage, command: str) -> Iterator[str]:
    if not command or command.startswith("#"):
        return
    verb, *words = command.split()
    if verb not in VERBS:
        raise ValueError(f"no verb {verb!r} in {command!r}; there are {', '.join(sorted(VERBS))}")
    yield from VERBS[verb](stage, words)
    stage.check()
