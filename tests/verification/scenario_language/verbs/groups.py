"""The coordinator itself: its settings, its state, its fail-over, and what it is made to decide or to expect."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember, MembersAdded
from kafka_nextgen.groups.extensions.history import HistoryDescribed
from kafka_nextgen.groups.extensions.leaving import AnnounceLeaving, LeavingAnnounced, NamedMember
from kafka_nextgen.groups.extensions.records import Rebalance
from kafka_nextgen.testing.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, MigrationPolicy, Profile
from kafka_nextgen.types import JoinReason
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.host import BEGINNING
from tests.verification.scenario_language.notation import parse_duration, parse_partitions, write_duration
from tests.verification.scenario_language.pure import PureWorld
from tests.verification.scenario_language.setting_up import Present, PresentClassic
from tests.verification.scenario_language.telling import tell_group
from tests.verification.scenario_language.verbs.classic_requests import parts_of
from tests.verification.scenario_language.world import GROUP

_DEFAULTS = {
    "profile": "4.4",
    "assignment_interval": "0s",
    "max_size": "1000",
    "regex_refresh": "10m",
    "initial_delay": "3s",
    "retention": "10080m",
    "retention_check": "10m",
    "migration": "bidirectional",
}
_TIMES = {"session": "45s", "heartbeat": "5s"}


def settings(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(0, "classic_max_size", "extensions", "history_size", *_DEFAULTS, *_TIMES)
    if world.host.log or world.host.topics:
        raise command.error("settings come before anything else")
    given = _DEFAULTS | _TIMES | dict(command.options)
    world.classic.tells_user_data = given.get("extensions") == "on"
    world.host.configure(
        CoordinatorSettings(
            profile=Profile(given["profile"]),
            extensions=given.get("extensions") == "on",
            group_rebalance_history_size=int(given.get("history_size", 50)),
            group_consumer_session_timeout_ms=_milliseconds(given["session"]),
            group_consumer_heartbeat_interval_ms=_milliseconds(given["heartbeat"]),
            group_consumer_assignment_interval_ms=_milliseconds(given["assignment_interval"]),
            group_consumer_max_size=int(given["max_size"]),
            group_max_size=int(given.get("classic_max_size", given["max_size"])),
            group_consumer_migration_policy=MigrationPolicy(given["migration"]),
            group_initial_rebalance_delay_ms=_milliseconds(given["initial_delay"]),
            group_consumer_regex_refresh_interval_ms=_milliseconds(given["regex_refresh"]),
            offsets_retention_minutes=round(parse_duration(given["retention"]) / 60),
            offsets_retention_check_interval_ms=_milliseconds(given["retention_check"]),
        )
    )
    yield from ()


def _milliseconds(duration: str) -> int:
    return round(1000 * parse_duration(duration))


def present_member(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(1, "epoch", "has", "instance")
    if "epoch" not in command.options:
        raise command.error("at which epoch?")
    has = world.with_ids(command.options.get("has", "-"))
    raw = world.raw.named(command.name)
    raw.epoch, raw.instance_id = world.raw.epochs.read(command.options["epoch"]), command.options.get("instance")
    raw.topics = frozenset(world.topic_ids)
    world.plan.members[command.name] = Present(raw.epoch, has, raw.instance_id)
    yield from ()


def epoch(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    world.plan.epoch = world.raw.epochs.read(command.name)
    yield from ()


def generation(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(range(2, 100))
    world.plan.generation = int(command.name)
    for who, partitions in parts_of(command):
        name, _, instance_id = who.partition("@")
        member = world.classic.named(name)
        member.take(f"{name}-1")
        member.generation, member.protocol, member.topics = int(command.name), "range", tuple(sorted(world.topic_ids))
        member.instance_id = instance_id or None
        present = PresentClassic(member.latest_id, member.instance_id, parse_partitions(partitions))
        world.plan.in_generation.append(present)
    yield from ()


def assign(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(range(2, 100))
    if world.plan.epoch is not None:
        world.raw.named(command.name).topics = frozenset(world.topic_ids)
    world.plan.shares[command.name] = world.with_ids(" ".join(command.words[1:]))
    yield from ()


def coordinator(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    if command.name != "restart":
        raise command.error("coordinator what? There is restart")
    world.host.fail_over()
    yield from ()


def state(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(0)
    world.set_up()
    yield from tell_group(world.host.group, world.write)


_OPTIONS = ("within", "session", "timeout", "assignor")


def add_members(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(range(100), *_OPTIONS)
    members = tuple(_member(command, instance_id) for instance_id in command.words)
    heard = world.ask(AddMembers(GROUP, members, _option_in_ms(command, "within", "60s")))
    yield from heard.before
    assert isinstance(heard.answer, MembersAdded)
    if heard.answer.error is not ErrorCode.NONE:
        yield f"-> {heard.answer.error.name}"
    for instance_id, (error, _) in heard.answer.results.items():
        yield f"-> {instance_id or '-'} {'ok' if error is ErrorCode.NONE else error.name}"
    yield from heard.after


def announce_leaving(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(range(100), "within")
    members = tuple(_named_member(world, word) for word in command.words)
    heard = world.ask(AnnounceLeaving(GROUP, members, _option_in_ms(command, "within", "60s")))
    yield from heard.before
    assert isinstance(heard.answer, LeavingAnnounced)
    if heard.answer.error is not ErrorCode.NONE:
        yield f"-> {heard.answer.error.name}"
    for each in heard.answer.members:
        name = world.classic.write(each.member_id) if each.member_id else ""
        static = "" if each.instance_id is None else f"@{each.instance_id}"
        yield f"-> {name + static or '-'} {'ok' if each.error is ErrorCode.NONE else each.error.name}"
    yield from heard.after


def _named_member(world: PureWorld, word: str) -> NamedMember:
    """``A``, ``@one``, ``A@one``, or ``-`` for neither."""
    name, _, instance_id = word.partition("@")
    member_id = world.classic.id_of(name) if name in world.classic.known else name.removeprefix("-")
    return NamedMember(member_id, instance_id or None)


def _member(command: Command, instance_id: str) -> ExpectedMember:
    session_ms, timeout_ms = (_option_in_ms(command, key, "-1") for key in ("session", "timeout"))
    name = "" if instance_id == "-" else instance_id
    return ExpectedMember(name, session_ms, timeout_ms, command.options.get("assignor"))


def _option_in_ms(command: Command, option: str, default: str) -> int:
    text = command.options.get(option, default)
    return int(text) if text.lstrip("-").isdigit() else round(1000 * parse_duration(text))


def history(world: PureWorld, command: Command) -> Iterator[str]:
    command.expect(0)
    world.set_up()
    answer = world.host.ask(DescribeHistory(GROUP)).response
    assert isinstance(answer, HistoryDescribed)
    if answer.error is not ErrorCode.NONE:
        yield f"-> {answer.error.name}"
        return
    yield "-> history" if answer.rebalances else "-> no history"
    for rebalance in answer.rebalances:
        yield f"   {_told(world, rebalance)}"


def _told(world: PureWorld, rebalance: Rebalance) -> str:
    """``3 consumer epoch=4 MEMBER_LEFT A at=5s delay=0s target=4``."""
    cause, assigned_at_ms = rebalance.cause, rebalance.assigned_at_ms
    words = [
        str(rebalance.number),
        "classic" if rebalance.is_classic else "consumer",
        f"epoch={rebalance.epoch}",
        cause.reason.name,
        world.classic.write(cause.member_id) if cause.member_id else "nobody",
        f"at={write_duration(rebalance.caused_at_ms - round(1000 * BEGINNING))}",
    ]
    if assigned_at_ms is not None:
        words += [
            f"delay={write_duration(assigned_at_ms - rebalance.caused_at_ms)}",
            f"target={rebalance.target_epoch}",
        ]
    if cause.stated is not JoinReason.UNKNOWN:
        words.append(f"states={cause.stated.name}")
    if cause.text:
        words.append(f"says={cause.text}")
    return " ".join(words)
