"""The coordinator itself: its settings, the state it is in, its fail-over, and what it is made to decide.

settings profile=4.0 max_size=2 assignment_interval=1s    before anything else; the interval is 0 if not given
settings migration=upgrade classic_max_size=1
settings extensions=on history_size=3
member A epoch=6 has=orders[0-3]    is in the group, as it would be after six rebalances
generation 22 A=foo[0] B@two=foo[1] the group is a classic one, in its 22nd generation, and these are in it
epoch 7                             the next target is that of epoch 7, and is made at once
assign A orders[0-2]                what the next target gives to A
coordinator restart                 a new coordinator reads the log
state                               the epochs, and who has what
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.coordinator.settings import CoordinatorSettings, MigrationPolicy, Profile
from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import parse_duration, parse_partitions
from tests.scenario_language.pure import PureWorld
from tests.scenario_language.setting_up import Present, PresentClassic
from tests.scenario_language.telling import tell_group
from tests.scenario_language.verbs.classic_requests import parts_of

__all__ = ["assign", "coordinator", "epoch", "generation", "present_member", "settings", "state"]

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
    """Configure the coordinator."""
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
    """Put a member into the group, with all topics subscribed."""
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
    """Let the assignments that follow be the target of this epoch."""
    command.expect(1)
    world.plan.epoch = world.raw.epochs.read(command.name)
    yield from ()


def generation(world: PureWorld, command: Command) -> Iterator[str]:
    """Let the group be a classic one, of members that assign eagerly by range."""
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
    """Let the next target give these partitions to a member."""
    command.expect(range(2, 100))
    if world.plan.epoch is not None:
        world.raw.named(command.name).topics = frozenset(world.topic_ids)
    world.plan.shares[command.name] = world.with_ids(" ".join(command.words[1:]))
    yield from ()


def coordinator(world: PureWorld, command: Command) -> Iterator[str]:
    """Let a new coordinator take over."""
    command.expect(1)
    if command.name != "restart":
        raise command.error("coordinator what? There is restart")
    world.host.fail_over()
    yield from ()


def state(world: PureWorld, command: Command) -> Iterator[str]:
    """Tell the epochs, and who has what."""
    command.expect(0)
    world.set_up()
    yield from tell_group(world.host.group, world.write)
