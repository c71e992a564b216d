"""Offsets: commits, lookups and deletions as they are written, also in transactions of producers."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, OffsetDelete, OffsetFetch, TxnOffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted, OffsetsDeleted, OffsetsFetched
from kafka_nextgen.types import OffsetAndMetadata
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import NotationError, parse_duration, parse_offset, parse_partitions
from tests.verification.scenario_language.telling import tell_commit, tell_deletion, tell_fetch
from tests.verification.scenario_language.world import GROUP, World

#: Whoever asks from outside the group.
NOBODY = "nobody"
_NO_MEMBER_EPOCH = -1


def commit(world: World, command: Command) -> Iterator[str]:
    command.expect(range(2, 100), "epoch", "version", "retention")
    offsets = dict(map(parse_offset, command.words[1:]))
    request = OffsetCommit(
        GROUP,
        {partition: OffsetAndMetadata(offset) for partition, offset in offsets.items()},
        "" if command.name == NOBODY else command.name,
        epoch_of(world, command),
        version=int(command.options.get("version", 9)),
        retention_ms=_retention_ms(command),
    )
    answer = world.ask(request).answer
    assert isinstance(answer, OffsetsCommitted)
    yield from tell_commit(command.name, answer)


def _retention_ms(command: Command) -> int | None:
    given = command.options.get("retention")
    return None if given is None else round(1000 * parse_duration(given))


def fetch_offsets(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100), "epoch")
    partitions = tuple(sorted(parse_partitions(" ".join(command.words[1:]))))
    member_id = None if command.name == NOBODY else command.name
    answer = world.ask(OffsetFetch(GROUP, partitions or None, member_id, epoch_of(world, command))).answer
    assert isinstance(answer, OffsetsFetched)
    yield tell_fetch(command.name, answer)


def delete_offsets(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100))
    partitions = tuple(sorted(parse_partitions(" ".join(command.words))))
    answer = world.ask(OffsetDelete(GROUP, partitions)).answer
    assert isinstance(answer, OffsetsDeleted)
    yield from tell_deletion(answer)


def epoch_of(world: World, command: Command) -> int:
    if "epoch" in command.options:
        return world.raw.epochs.read(command.options["epoch"])
    known = world.raw.known.get(command.name)
    return _NO_MEMBER_EPOCH if known is None else known.epoch


_ENDS = {"commit": True, "abort": False}
_EPOCH = 0  # of producers, which are none of the coordinator's business


def txn_commit(world: World, command: Command) -> Iterator[str]:
    command.expect(range(2, 100), "producer", "epoch")
    offsets = dict(map(parse_offset, command.words[1:]))
    request = TxnOffsetCommit(
        GROUP,
        {partition: OffsetAndMetadata(offset) for partition, offset in offsets.items()},
        _producer_id(command.options.get("producer", "")),
        _EPOCH,
        "" if command.name == NOBODY else command.name,
        epoch_of(world, command),
    )
    answer = world.ask(request).answer
    assert isinstance(answer, OffsetsCommitted)
    yield from tell_commit(command.name, answer)


def end_txn(world: World, command: Command) -> Iterator[str]:
    command.expect(range(2, 3))
    producer, how = command.words
    if how not in _ENDS:
        raise NotationError(f"a transaction ends by {' or '.join(_ENDS)}, not by {how}")
    world.ask(EndTransaction(_producer_id(producer), _ENDS[how]))
    return iter(())


def _producer_id(name: str) -> int:
    if len(name) != 1:
        raise NotationError(f"a producer is called by one letter, as in producer=P, not {name!r}")
    return ord(name)
