"""Answers by hand: of an application that is slow, or raises, and of a coordinator that says what it would not say."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from tests.verification.scenario_language.client import TASKS, Client, Task
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.network import Kind, Message
from tests.verification.scenario_language.notation import parse_duration
from tests.verification.scenario_language.pair import PairWorld
from tests.verification.scenario_language.verbs import desks, own_assignors
from tests.verification.scenario_language.verbs.applications import code_in, member_of, task


def answer(world: PairWorld, command: Command) -> Iterator[str]:
    command.expect(range(2, 100), "error", "epoch", "assignment", "interval", "id")
    client = member_of(world, command)
    if command.words[1] == Kind.HEARTBEAT.value:
        yield from _answer_heartbeat(world, client, command)
        return
    if desks.is_about_offsets(client.desk, command):
        yield from desks.answer(world, client, command)
        return
    asked = task(command, command.words[1], client.tasks)
    if asked is Task.ASSIGNOR:
        yield from own_assignors.answer(world, client, command)
    elif asked is Task.COMMIT:
        yield from _answer_commit(world, client, command)
    elif asked is Task.TOPICS:
        yield from _answer_topics(world, client, command)
    else:
        yield from _answer_call(world, client, command, asked)


def _answer_call(world: PairWorld, client: Client, command: Command, asked: Task) -> Iterator[str]:
    call = next((call for call in client.calls if TASKS[type(call)] is asked), None)
    if call is None:
        raise command.error(f"{client.name} runs no such callback")
    if call is not client.calls[0]:
        raise command.error(f"{client.name} runs its callbacks one after the other, and another comes first")
    yield from world.driver.end_call(client, call, command.options.get("error"), world.host.now)


def _answer_commit(world: PairWorld, client: Client, command: Command) -> Iterator[str]:
    if client.commit is None:
        raise command.error(f"{client.name} commits nothing")
    yield from world.end_commit(client, command.options.get("error"))


def _answer_topics(world: PairWorld, client: Client, command: Command) -> Iterator[str]:
    if client.to_resolve is None:
        raise command.error(f"{client.name} asks for no topics")
    yield from world.resolve(client, command.words[2:])


def _answer_heartbeat(world: PairWorld, client: Client, command: Command) -> Iterator[str]:
    number = client.member.state.in_flight if client.member is not None else None
    if client.member is None or number is None:
        raise command.error(f"{client.name} has no heartbeat under way")
    for link in (client.to_coordinator, client.from_coordinator):
        link.forget(Kind.HEARTBEAT, number)
    content = _said(world, client.member.member_id, command)
    client.was_misled |= content.assignment is not None
    yield from world.hear(client, Message(Kind.HEARTBEAT, client.member.member_id, number, content))


def _said(world: PairWorld, member_id: str, command: Command) -> ConsumerGroupHeartbeatAnswer:
    options = command.options
    if "error" in options:
        return ConsumerGroupHeartbeatAnswer(code_in(command))
    return ConsumerGroupHeartbeatAnswer(
        member_id=options.get("id", member_id),
        member_epoch=int(options.get("epoch", 0)),
        heartbeat_interval_ms=round(1000 * parse_duration(options.get("interval", "5s"))),
        assignment=world.with_ids(options["assignment"]) if "assignment" in options else None,
    )
