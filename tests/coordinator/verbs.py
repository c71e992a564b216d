"""The verbs of the scenarios: what each does to the stage, and what of it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.coordinator import Outcome
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit, OffsetFetch
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer, OffsetsCommitted, OffsetsFetched
from kafka_nextgen.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.types import OffsetAndMetadata, TopicIdPartition, TopicPartition
from tests.coordinator.stage import GROUP, Stage


def topic(stage: Stage, words: list[str]) -> Iterator[str]:
    stage.set_topic(words[0], int(words[1]))
    yield from ()


def recreate(stage: Stage, words: list[str]) -> Iterator[str]:
    stage.set_topic(words[0], int(words[1]), anew=True)
    yield from ()


def delete(stage: Stage, words: list[str]) -> Iterator[str]:
    stage.delete_topic(words[0])
    yield from ()


def settings(stage: Stage, words: list[str]) -> Iterator[str]:
    given = dict(word.split("=") for word in words)
    stage.configure(
        CoordinatorSettings(
            profile=Profile(given.get("profile", "4.3")),
            group_consumer_assignment_interval_ms=int(given.get("interval_ms", 0)),
            group_consumer_max_size=int(given.get("max_size", 1000)),
            group_consumer_regex_refresh_interval_ms=int(given.get("regex_refresh_ms", 600_000)),
        )
    )
    yield from ()


def assign(stage: Stage, words: list[str]) -> Iterator[str]:
    stage.assignor.told[words[0]] = parse_partitions(stage, words[1:])
    yield from ()


def join(stage: Stage, words: list[str]) -> Iterator[str]:
    name, topics, options = words[0], words[1:2], words[2:]
    if topics and "=" in topics[0]:
        topics, options = [], words[1:]
    defaults = ["epoch=0", "owns=-", "timeout=60s", f"topics={''.join(topics)}"]
    yield from heartbeat(stage, [name, *defaults, *options])


def leave(stage: Stage, words: list[str]) -> Iterator[str]:
    yield from heartbeat(stage, [words[0], "epoch=-1", *words[1:]])


def pause(stage: Stage, words: list[str]) -> Iterator[str]:
    yield from heartbeat(stage, [words[0], "epoch=-2", *words[1:]])


def heartbeat(stage: Stage, words: list[str]) -> Iterator[str]:
    name, options = words[0], _options(words[1:])
    before = stage.group.currents.get(name)
    outcome = stage.ask(_heartbeat(stage, name, options))
    answer = outcome.response
    assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
    yield from _news(stage, outcome, name)
    if answer.error is not ErrorCode.NONE:
        yield f"-> {name} {answer.error.name}"
        return
    stage.epochs[name] = answer.member_epoch
    stage.instances[name] = options.get("instance", stage.instances.get(name, ""))
    assignment = "unchanged" if answer.assignment is None else stage.write(answer.assignment)
    yield f"-> {name} epoch={answer.member_epoch} assignment={assignment}"
    yield from _status(stage, name, before)


def _heartbeat(stage: Stage, name: str, options: dict[str, str]) -> ConsumerGroupHeartbeat:
    topics = options.get("topics")
    return ConsumerGroupHeartbeat(
        group_id=GROUP,
        member_id=name,
        member_epoch=int(options.get("epoch", stage.epochs.get(name, 0))),
        instance_id=options.get("instance") or stage.instances.get(name) or None,
        rebalance_timeout_ms=int(1000 * float(options["timeout"].rstrip("s"))) if "timeout" in options else -1,
        subscribed_topics=None if topics is None else frozenset(filter(None, topics.split(","))),
        subscribed_pattern=options.get("pattern"),
        server_assignor=options.get("assignor"),
        owned=parse_partitions(stage, options["owns"].split()) if "owns" in options else None,
    )


def _options(words: list[str]) -> dict[str, str]:
    """``key=value``; further words without ``=`` belong to the value before them."""
    options: dict[str, str] = {}
    for word in words:
        if "=" in word:
            key, value = word.split("=", 1)
            options[key] = value
        else:
            key = list(options)[-1]
            options[key] += f" {word}"
    return options


def _status(stage: Stage, name: str, before: r.CurrentMemberAssignment | None) -> Iterator[str]:
    if name not in stage.group.currents:
        return
    old = _status_word(before.status if before else r.MemberStatus.STABLE)
    new = _status_word(stage.group.currents[name].status)
    if old != new:
        yield f"   {name} {old} => {new}"
    elif new != "stable":
        yield f"   {name} {new}"


def _status_word(status: r.MemberStatus) -> str:
    return status.name.removesuffix("_PARTITIONS").lower()


def _news(stage: Stage, outcome: Outcome, speaker: str = "") -> Iterator[str]:
    """What the records say beyond the answer: epochs, targets, members that came or went, matches."""
    for record in outcome.records:
        if isinstance(record, r.MemberMetadataRemoved):
            yield f"   {record.member_id} removed"
        elif isinstance(record, r.GroupMetadata):
            yield f"   group epoch {record.epoch}"
        elif isinstance(record, r.TargetAssignmentMetadata):
            targets = " | ".join(f"{who} {stage.write(what)}" for who, what in sorted(stage.group.targets.items()))
            yield f"   target epoch {record.assignment_epoch}: {targets}"
        elif isinstance(record, r.RegularExpression):
            yield f"   {record.pattern} matches {' '.join(record.topics) or 'nothing'}"


def tick(stage: Stage, words: list[str]) -> Iterator[str]:
    for outcome in stage.pass_time(float(words[0].rstrip("s"))):
        yield from _news(stage, outcome)


def fail(stage: Stage, words: list[str]) -> Iterator[str]:
    assert words == ["over"], words
    stage.fail_over()
    yield from ()


def state(stage: Stage, words: list[str]) -> Iterator[str]:
    yield from stage.state()


def commit(stage: Stage, words: list[str]) -> Iterator[str]:
    name, offsets, options = words[0], {}, {}
    for word in words[1:]:
        key, value = word.split("=")
        if "[" in key:
            offsets[_partition(key)] = OffsetAndMetadata(int(value))
        else:
            options[key] = value
    answer = stage.ask(_offset_commit(stage, name, options, offsets)).response
    assert isinstance(answer, OffsetsCommitted)
    yield from (f"-> {partition} {error.name}" for partition, error in sorted(answer.errors.items()))


def _offset_commit(
    stage: Stage, name: str, options: dict[str, str], offsets: dict[TopicPartition, OffsetAndMetadata]
) -> OffsetCommit:
    epoch, version = int(options.get("epoch", stage.epochs.get(name, -1))), int(options.get("version", 9))
    return OffsetCommit(GROUP, offsets, "" if name == "nobody" else name, epoch, version=version)


def fetch(stage: Stage, words: list[str]) -> Iterator[str]:
    name, options = words[0], dict(word.split("=") for word in words[1:] if "=" in word)
    partitions = tuple(_partition(word) for word in words[1:] if "=" not in word)
    member_id = None if name == "nobody" else name
    epoch = int(options.get("epoch", stage.epochs.get(name, -1)))
    answer = stage.ask(OffsetFetch(GROUP, partitions or None, member_id, epoch)).response
    assert isinstance(answer, OffsetsFetched)
    if answer.error is not ErrorCode.NONE:
        yield f"-> {answer.error.name}"
    for partition, found in sorted(answer.offsets.items()):
        yield f"-> {partition} {found.offset if found else '-'}"


def parse_partitions(stage: Stage, words: list[str]) -> frozenset[TopicIdPartition]:
    """``orders[0-3,7] audit[0]``; ``-`` and ``orders[]`` for none."""
    found: set[TopicIdPartition] = set()
    for word in words:
        name, _, numbers = word.rstrip("]").partition("[")
        for run in filter(None, numbers.split(",")):
            low, _, high = run.partition("-")
            ids = range(int(low), int(high or low) + 1)
            found |= {TopicIdPartition(stage.topics[name].topic_id, number) for number in ids}
    return frozenset(found)


def _partition(word: str) -> TopicPartition:
    name, _, number = word.rstrip("]").partition("[")
    return TopicPartition(name, int(number))


VERBS: dict[str, Callable[[Stage, list[str]], Iterator[Any]]] = {
    verb.__name__: verb
    for verb in (
        topic,
        recreate,
        delete,
        settings,
        assign,
        join,
        leave,
        pause,
        heartbeat,
        tick,
        fail,
        state,
        commit,
        fetch,
    )
}
