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
from tests.scenario_language.notation import parse_partitions

__all__ = ["classic", "consumers", "in_words", "member", "offsets"]


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
    return GroupDescription(
        group_id="g",
        type=GroupType.CONSUMER,
        state=GroupState.STABLE,
        protocol_type="consumer",
        assignor="uniform",
        group_epoch=epoch,
        assignment_epoch=epoch if target_epoch is None else target_epoch,
        coordinator=GroupCoordinator(1, "localhost", 9092),
        members=members,
    )


def classic(state: GroupState, *members: MemberDescription) -> GroupDescription:
    return GroupDescription(
        group_id="g",
        type=GroupType.CLASSIC,
        state=state,
        protocol_type="consumer",
        assignor="range",
        group_epoch=None,
        assignment_epoch=None,
        coordinator=GroupCoordinator(1, "localhost", 9092),
        members=members,
    )


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
