"""Raw heartbeats: every field as the scenario says, and what the coordinator answers."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import JoinReason, StandbyState
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration, write_duration
from tests.verification.scenario_language.telling import tell_heartbeat, tell_standby_place
from tests.verification.scenario_language.telling_assigning import tell_besides, tell_complaint
from tests.verification.scenario_language.verbs import assigning
from tests.verification.scenario_language.world import GROUP, World

_GROUP_KEYS = {
    "heartbeat": "consumer.heartbeat.interval.ms",
    "session": "consumer.session.timeout.ms",
    "assignment_interval": "consumer.assignment.interval.ms",
    "target_size": "group.target.size",
}

OPTIONS = (
    "epoch",
    "owns",
    "topics",
    "pattern",
    "timeout",
    "instance",
    "assignor",
    "rack",
    "standby",
    "states",
    *assigning.OPTIONS,
)


def heartbeat(world: World, command: Command) -> Iterator[str]:
    command.expect(1, *OPTIONS)
    request = _request(world, command)
    heard = world.ask(request)
    yield from heard.before
    assert isinstance(heard.answer, ConsumerGroupHeartbeatAnswer)
    if heard.answer.error is ErrorCode.NONE:
        _remember(world, request, heard.answer)
    epoch = world.raw.epochs.write(heard.answer.member_epoch)
    told = tell_heartbeat(command.name, heard.answer, epoch, world.write)
    besides = tell_besides(heard.answer, world.write) + tell_standby_place(heard.answer)
    yield told + besides + _news_of_interval(world, heard.answer)
    yield from tell_complaint(command.name, heard.answer)
    yield from heard.after


def _news_of_interval(world: World, answer: ConsumerGroupHeartbeatAnswer) -> str:
    """How often to send heartbeats, where that is another answer than the last."""
    before, now = world.heartbeat_interval_ms, answer.heartbeat_interval_ms
    if answer.member_epoch <= 0:  # whoever leaves is told nothing
        return ""
    world.heartbeat_interval_ms = now
    return "" if before in (None, now) else f" interval={write_duration(now)}"


def configure(world: World, command: Command) -> Iterator[str]:
    command.expect(0, *_GROUP_KEYS)
    config = {_GROUP_KEYS[option]: _number(option, value) for option, value in command.options.items()}
    code = world.configure(config)
    yield "-> configured" if code is ErrorCode.NONE else f"-> {code.name}"


def _number(option: str, value: str) -> str:
    if value == "-":
        return ""
    return value if option == "target_size" else str(round(1000 * parse_duration(value)))


def join(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100), *OPTIONS)
    defaults = {"epoch": "0", "topics": " ".join(command.words[1:])}
    yield from heartbeat(world, evolve(command, words=(command.name,), options=defaults | dict(command.options)))


def leave(world: World, command: Command) -> Iterator[str]:
    yield from heartbeat(world, evolve(command, options={"epoch": "-1"} | dict(command.options)))


def pause(world: World, command: Command) -> Iterator[str]:
    yield from heartbeat(world, evolve(command, options={"epoch": "-2"} | dict(command.options)))


def epochs(world: World, command: Command) -> Iterator[str]:
    command.expect(1)
    if command.name != "absolute":
        raise command.error("epochs how? There is absolute")
    world.raw.epochs.relative = False
    yield from ()


def _request(world: World, command: Command) -> ConsumerGroupHeartbeat:
    member, options = world.raw.named(command.name), dict(command.options)
    epoch = world.raw.epochs.read(options["epoch"]) if "epoch" in options else member.epoch
    if epoch == 0:
        options = {"timeout": "60s", "owns": "-", "topics": " ".join(sorted(member.topics))} | options
    return ConsumerGroupHeartbeat(
        group_id=GROUP,
        member_id=command.name,
        member_epoch=epoch,
        instance_id=options.get("instance") or member.instance_id,
        rack_id=options.get("rack"),
        rebalance_timeout_ms=round(1000 * parse_duration(options["timeout"])) if "timeout" in options else -1,
        subscribed_topics=frozenset(options["topics"].split()) if "topics" in options else None,
        subscribed_pattern=options.get("pattern"),
        server_assignor=options.get("assignor"),
        client_assignors=assigning.client_assignors(command),
        owned=world.with_ids(options["owns"]) if "owns" in options else None,
        join_reason=JoinReason[options.get("states", "unknown").upper()],
        standby_state=StandbyState[options.get("standby", "unknown").upper()],
    )


def _remember(world: World, request: ConsumerGroupHeartbeat, answer: ConsumerGroupHeartbeatAnswer) -> None:
    member = world.raw.named(request.member_id)
    member.epoch, member.instance_id = answer.member_epoch, request.instance_id
    if request.subscribed_topics is not None:
        member.topics = request.subscribed_topics
