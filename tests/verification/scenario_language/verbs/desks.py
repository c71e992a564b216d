"""Commits and lookups of members with machines, by whatever protocol they are in a group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_partitions
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.network import Kind
from tests.verification.scenario_language.notation import (
    parse_duration,
    parse_offset,
    parse_partition,
    parse_partitions,
    write_offsets,
)
from tests.verification.scenario_language.offset_desk import AtDesk, Desk
from tests.verification.scenario_language.telling import tell_commit
from tests.verification.scenario_language.verbs.applications import code_in, member_of

_TIMEOUT = "60s"

_TIMES = {
    "interval": "auto_commit_interval_s",
    "retry_backoff": "retry_backoff_s",
    "retry_backoff_max": "retry_backoff_max_s",
}


class Application(AtDesk, Protocol):
    """What a client is here."""

    positions: dict[TopicPartition, int]


C = TypeVar("C", bound=Application)


class WithDesks(Protocol[C]):
    """A world whose clients have desks."""

    clients: dict[str, C]

    @property
    def now(self) -> float:
        """What time it is, in seconds."""

    def tell_desk(self, client: C, event: ev.OffsetEvent) -> Iterator[str]:
        """Let something happen to a client's commits and lookups."""

    def take_back(self, client: C, kind: Kind, number: int) -> None:
        """Let a request, or its answer, be under way no more."""


def settings(command: Command) -> OffsetSettings:
    """What ``member`` says of commits: its ``interval``, and how it tries again."""
    options = command.options
    if "interval" in options and options.get("commit") != "auto":
        raise command.error("an interval is for members with commit=auto")
    times = {key: parse_duration(options[key]) for key in _TIMES if key in options}
    given: dict[str, Any] = {field: times[key] for key, field in _TIMES.items() if key in times}
    return OffsetSettings(options.get("instance"), **given)


def commit(world: WithDesks[C], command: Command) -> Iterator[str]:
    command.expect(range(2, 100), "timeout")
    client = member_of(world, command)
    offsets = {tp: OffsetAndMetadata(at) for tp, at in map(parse_offset, command.words[1:])}
    operation = _asked(client.desk, f"commit of {write_offsets(offsets)}")
    yield from world.tell_desk(client, ev.CommitAsked(operation, offsets, _timeout_s(command)))


def committed(world: WithDesks[C], command: Command) -> Iterator[str]:
    command.expect(range(2, 100), "timeout")
    client = member_of(world, command)
    partitions = parse_partitions(" ".join(command.words[1:]))
    operation = _asked(client.desk, f"offset of {format_partitions(partitions)}")
    yield from world.tell_desk(client, ev.LookupAsked(operation, partitions, _timeout_s(command)))


def _asked(desk: Desk, what: str) -> int:
    number = desk.number()
    desk.operations[number] = what
    return number


def _timeout_s(command: Command) -> float:
    return parse_duration(command.options.get("timeout", _TIMEOUT))


def position(world: WithDesks[C], command: Command) -> Iterator[str]:
    command.expect(range(2, 100))
    client = member_of(world, command)
    client.positions.update(map(parse_offset, command.words[1:]))
    yield from ()


def is_about_offsets(desk: Desk, command: Command) -> bool:
    """Whether ``answer`` is for a commit or a lookup that is under way."""
    word = command.words[1]
    return word == Kind.FETCH_OFFSETS.value or (word == Kind.COMMIT.value and bool(desk.commits))


def answer(world: WithDesks[C], client: C, command: Command) -> Iterator[str]:
    command.expect(range(2, 100), "error")
    kind = Kind(command.words[1])
    under_way = client.desk.commits if kind is Kind.COMMIT else client.desk.lookups
    if not under_way:
        raise command.error(f"{client.name} has no {kind.value} under way")
    number = min(under_way)
    world.take_back(client, kind, number)
    if kind is Kind.COMMIT:
        yield from _answer_commit(world, client, command, number)
    else:
        yield from _answer_lookup(world, client, command, number)


def lose(world: WithDesks[C], client: C, command: Command) -> Iterator[str]:
    kind = Kind(command.words[1])
    under_way = client.desk.commits if kind is Kind.COMMIT else client.desk.lookups
    if not under_way:
        raise command.error(f"{client.name} has no {kind.value} under way")
    lost = ev.CommitLost if kind is Kind.COMMIT else ev.LookupLost
    yield f"-> {client.name} no answer"
    yield from world.tell_desk(client, lost(min(under_way), "no answer"))


def _answer_commit(world: WithDesks[C], client: C, command: Command, number: int) -> Iterator[str]:
    wanted = client.desk.commits[number].offsets
    codes = dict.fromkeys(wanted, code_in(command) if "error" in command.options else ErrorCode.NONE)
    for partition, said in _said(command):
        codes[partition] = _code(command, said)
    yield from tell_commit(client.name, OffsetsCommitted(codes))
    yield from world.tell_desk(client, ev.CommitAnswered(number, codes))


def _answer_lookup(world: WithDesks[C], client: C, command: Command, number: int) -> Iterator[str]:
    if "error" in command.options:
        code = code_in(command)
        yield f"-> {client.name} {code.name}"
        yield from world.tell_desk(client, ev.LookupAnswered(number, code=code))
        return
    said = dict(_said(command))
    offsets = {tp: _offset(text) for tp, text in said.items() if text == "-" or text.isdigit()}
    codes = {tp: _code(command, text) for tp, text in said.items() if tp not in offsets}
    yield f"-> {client.name} {' '.join(command.words[2:]) or '-'}"
    yield from world.tell_desk(client, ev.LookupAnswered(number, offsets, codes))


def _said(command: Command) -> Iterator[tuple[TopicPartition, str]]:
    for word in command.words[2:]:
        partition, _, said = word.partition("=")
        yield parse_partition(partition), said


def _offset(text: str) -> OffsetAndMetadata | None:
    return None if text == "-" else OffsetAndMetadata(int(text))


def _code(command: Command, name: str) -> ErrorCode:
    if name not in ErrorCode.__members__:
        raise command.error(f"there is no error code {name}")
    return ErrorCode[name]
