"""Answers by hand: of an application that is slow, or raises, and of the coordinator of a classic group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attrs import evolve

from kafka_nextgen.assignors.user_data import write_assignor_word
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.classic.events import JoinedMember
from kafka_nextgen.membership.events import HeartbeatRefused
from tests.verification.scenario_language.assignor_words import parse_assignor_word
from tests.verification.scenario_language.client import TASKS, Task
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_partitions
from tests.verification.scenario_language.scripted.client import Kind, ScriptedClient
from tests.verification.scenario_language.scripted.world import ScriptedWorld
from tests.verification.scenario_language.verbs import desks
from tests.verification.scenario_language.verbs.applications import code_in, member_of, task

_KINDS = {kind.value: kind for kind in Kind}

#: How a scenario writes what an answer leaves out.
_LEFT_OUT = "-"


def answer(world: ScriptedWorld, command: Command) -> Iterator[str]:
    client = member_of(world, command)
    if len(command.words) < 2:
        raise command.error("answer what?")
    if desks.is_about_offsets(client.desk, command):
        yield from desks.answer(world, client, command)
    elif command.words[1] in _KINDS:
        yield from _ANSWERS[_KINDS[command.words[1]]](world, client, command)
    else:
        yield from _finish(world, client, command)


def lose(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(2)
    client = member_of(world, command)
    if desks.is_about_offsets(client.desk, command):
        yield from desks.lose(world, client, command)
        return
    if command.words[1] not in _KINDS:
        raise command.error(f"a request is {', '.join(_KINDS)}")
    _number(client, _KINDS[command.words[1]], command)
    yield from world.lose(client, _KINDS[command.words[1]])


def _number(client: ScriptedClient, kind: Kind, command: Command) -> int:
    if kind not in client.requests:
        raise command.error(f"{client.name} has no {kind.value} under way")
    return client.requests[kind].number


def _answer_join(world: ScriptedWorld, client: ScriptedClient, command: Command) -> Iterator[str]:
    options = "generation", "leader", "members", "id", "protocol", "assignor", "version", "error"
    command.expect(range(2, 5), *options)
    number = _number(client, Kind.JOIN, command)
    if "error" in command.options:
        event: ev.ClassicEvent = ev.JoinRefused(number, code_in(command), command.options.get("id", ""))
    else:
        event = _joined(world, client, number, command)
    yield from world.end(client, Kind.JOIN, event, succeeded="error" not in command.options)


def _joined(world: ScriptedWorld, client: ScriptedClient, number: int, command: Command) -> ev.JoinAnswered:
    options, roles = command.options, set(command.words[2:])
    if not roles <= {"leader", "skip"} or ("leader" in roles and "leader" in options):
        raise command.error("a join is answered to the leader, with skip or not, or to another with leader=...")
    member_id = options.get("id", client.member.member_id or client.name)
    names = options.get("members", client.name).split() if "leader" in roles else []
    return ev.JoinAnswered(
        number,
        member_id,
        int(options.get("generation", "1")),
        _said(options, "protocol", PROTOCOL_TYPE),
        _said(options, "assignor", client.settings.strategies[0]),
        member_id if "leader" in roles else options.get("leader", "another"),
        tuple(_joined_member(world, client, member_id, name, command) for name in names),
        skip_assignment="skip" in roles,
        tells_leader=int(options.get("version", "9")) >= 9,
    )


def _said(options: Mapping[str, str], key: str, usual: str) -> str | None:
    value = options.get(key, usual)
    return None if value == _LEFT_OUT else value


def _joined_member(
    world: ScriptedWorld, client: ScriptedClient, member_id: str, name: str, command: Command
) -> JoinedMember:
    if name == client.name:
        assert client.last_join is not None, "it has joined"
        offer = client.last_join.offers[0]
        said = evolve(client.last_join.subscription, user_data=offer.user_data)
        return JoinedMember(member_id, client.settings.instance_id, said)
    if name not in world.peers:
        raise command.error(f"there is no peer {name}")
    return world.peers[name]


def _answer_sync(world: ScriptedWorld, client: ScriptedClient, command: Command) -> Iterator[str]:
    command.expect(2, "assignment", "word", "protocol", "assignor", "error")
    number, options = _number(client, Kind.SYNC, command), command.options
    if "error" in options:
        event: ev.ClassicEvent = ev.SyncRefused(number, code_in(command))
    else:
        partitions = parse_partitions(options.get("assignment", "-"))
        protocol = _said(options, "protocol", PROTOCOL_TYPE)
        user_data = write_assignor_word(parse_assignor_word(options["word"])) if "word" in options else None
        event = ev.SyncAnswered(number, protocol, _said(options, "assignor", _LEFT_OUT), partitions, user_data)
    yield from world.end(client, Kind.SYNC, event, succeeded="error" not in options)


def _answer_heartbeat(world: ScriptedWorld, client: ScriptedClient, command: Command) -> Iterator[str]:
    command.expect(2, "error")
    number = _number(client, Kind.HEARTBEAT, command)
    if "error" not in command.options:
        yield from world.keep_session(client)
        return
    refused = HeartbeatRefused(number, code_in(command), None)
    yield from world.end(client, Kind.HEARTBEAT, refused, succeeded=False)


def _answer_leave(world: ScriptedWorld, client: ScriptedClient, command: Command) -> Iterator[str]:
    command.expect(2)
    ended = ev.LeaveEnded(_number(client, Kind.LEAVE, command))
    yield from world.end(client, Kind.LEAVE, ended, succeeded=True)


_ANSWERS: dict[Kind, Callable[[ScriptedWorld, ScriptedClient, Command], Iterator[str]]] = {
    Kind.JOIN: _answer_join,
    Kind.SYNC: _answer_sync,
    Kind.HEARTBEAT: _answer_heartbeat,
    Kind.LEAVE: _answer_leave,
}


def _finish(world: ScriptedWorld, client: ScriptedClient, command: Command) -> Iterator[str]:
    command.expect(2, "error")
    asked, error = task(command, command.words[1], client.tasks), command.options.get("error")
    if asked is Task.COMMIT:
        if client.commit is None:
            raise command.error(f"{client.name} commits nothing")
        yield from world.end_commit(client, error)
    elif asked is Task.ASSIGNOR:
        if client.run is None:
            raise command.error(f"{client.name} runs no assignor")
        yield from world.compute(client, error)
    elif asked is Task.TOPICS:
        if client.question is None:
            raise command.error(f"{client.name} asks for no topics")
        yield from world.describe(client, error)
    else:
        if not client.calls or TASKS[type(client.calls[0])] is not asked:
            raise command.error(f"{client.name} runs no such callback, or another comes first")
        yield from world.driver.end_call(client, client.calls[0], error, world.now)
