"""Pre-registration: instances that are announced before they come.

add-members one two within=60s            places are kept for two instances; also session=, timeout=, assignor=
add-members within=0s                     nobody is expected any more; or not those named
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.extensions.requests import AddMembers, ExpectedMember
from kafka_nextgen.coordinator.extensions.responses import MembersAdded
from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import parse_duration
from tests.scenario_language.pure import PureWorld
from tests.scenario_language.world import GROUP

__all__ = ["add_members"]

_OPTIONS = ("within", "session", "timeout", "assignor")


def add_members(world: PureWorld, command: Command) -> Iterator[str]:
    """Announce instances, or take that back."""
    command.expect(range(100), *_OPTIONS)
    members = tuple(_member(command, instance_id) for instance_id in command.words)
    heard = world.ask(AddMembers(GROUP, members, _milliseconds(command, "within", "60s")))
    yield from heard.before
    assert isinstance(heard.answer, MembersAdded)
    if heard.answer.error is not ErrorCode.NONE:
        yield f"-> {heard.answer.error.name}"
    for instance_id, (error, _) in heard.answer.results.items():
        yield f"-> {instance_id or '-'} {'ok' if error is ErrorCode.NONE else error.name}"
    yield from heard.after


def _member(command: Command, instance_id: str) -> ExpectedMember:
    session_ms, timeout_ms = (_milliseconds(command, key, "-1") for key in ("session", "timeout"))
    name = "" if instance_id == "-" else instance_id
    return ExpectedMember(name, session_ms, timeout_ms, command.options.get("assignor"))


def _milliseconds(command: Command, option: str, default: str) -> int:
    text = command.options.get(option, default)
    return int(text) if text.lstrip("-").isdigit() else round(1000 * parse_duration(text))
