"""Groups as an admin describes them, in few words."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.admin import (
    GroupCoordinator,
    GroupDescription,
    GroupOffset,
    GroupState,
    GroupType,
    MemberDescription,
)
from kafka_nextgen.history.events import Event
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.verification.scenario_language.notation import parse_partitions


def member(
    name: str, owned: str | None, target: str | None = None, epoch: int | None = 1, instance: str | None = None
) -> MemberDescription:
    return MemberDescription(
        member_id=name,
        type=GroupType.CONSUMER,
        instance_id=instance,
        rack_id=None,
        client_id=f"client-{name}",
        client_host="/127.0.0.1",
        member_epoch=epoch,
        subscribed_topics=("t",),
        subscribed_pattern=None,
        assignment=None if owned is None else parse_partitions(owned),
        target=None if target is None else parse_partitions(target),
    )


def consumers(epoch: int, *members: MemberDescription, target_epoch: int | None = None) -> GroupDescription:
    reached = epoch if target_epoch is None else target_epoch
    return _group(GroupType.CONSUMER, GroupState.STABLE, "uniform", epoch, reached, members)


def classic(state: GroupState, *members: MemberDescription) -> GroupDescription:
    return _group(GroupType.CLASSIC, state, "range", None, None, members)


def _group(
    kind: GroupType,
    state: GroupState,
    assignor: str,
    epoch: int | None,
    target_epoch: int | None,
    members: tuple[MemberDescription, ...],
) -> GroupDescription:
    here = GroupCoordinator(1, "localhost", 9092)
    return GroupDescription("g", kind, state, "consumer", assignor, epoch, target_epoch, here, members)


def offsets(
    places: Mapping[int, tuple[int | None, int | None]], start: int | None = None
) -> dict[TopicPartition, GroupOffset]:
    return {
        TopicPartition("t", partition): GroupOffset(
            None if at is None else OffsetAndMetadata(at), end, start_offset=start
        )
        for partition, (at, end) in places.items()
    }


def in_words(events: list[Event]) -> list[str]:
    """Each event as its kind and what it says beside where it comes from."""
    return [_in_words(event) for event in events]


def _in_words(event: Event) -> str:
    words = [event.kind.value]
    if event.member is not None:
        words.append(event.member)
    if event.epoch is not None:
        words.append(f"@{event.epoch}")
    if event.topic is not None and event.partitions is not None:
        words.append(f"{event.topic}[{','.join(map(str, event.partitions))}]")
    elif event.partitions is not None:
        words.append("-")
    words += [
        f"{name}={getattr(event, name)}" for name in ("offset", "start", "end") if getattr(event, name) is not None
    ]
    if event.cause is not None:
        words.append(f"({event.cause})")
    return " ".join(words)
