"""Offsets: ``commit A foo[0]=5 epoch=2`` and ``fetch-offsets A foo[0] foo[1]``, of all partitions if none is named.

The epoch is the latest A was given, if left out. ``nobody`` is whoever commits from outside the group.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.coordinator.requests import OffsetCommit, OffsetFetch
from kafka_nextgen.coordinator.responses import OffsetsCommitted, OffsetsFetched
from kafka_nextgen.scenarios.grammar import Command
from kafka_nextgen.scenarios.notation import parse_offset, parse_partitions
from kafka_nextgen.scenarios.telling import tell_commit, tell_fetch
from kafka_nextgen.scenarios.world import GROUP, World
from kafka_nextgen.types import OffsetAndMetadata

__all__ = ["commit", "fetch_offsets"]

_NOBODY = "nobody"
_NO_MEMBER_EPOCH = -1


def commit(world: World, command: Command) -> Iterator[str]:
    """Commit offsets."""
    command.expect(range(2, 100), "epoch", "version")
    offsets = dict(map(parse_offset, command.words[1:]))
    request = OffsetCommit(
        GROUP,
        {partition: OffsetAndMetadata(offset) for partition, offset in offsets.items()},
        "" if command.name == _NOBODY else command.name,
        _epoch(world, command),
        version=int(command.options.get("version", 9)),
    )
    answer = world.ask(request).answer
    assert isinstance(answer, OffsetsCommitted)
    yield from tell_commit(command.name, answer)


def fetch_offsets(world: World, command: Command) -> Iterator[str]:
    """Ask for committed offsets."""
    command.expect(range(1, 100), "epoch")
    partitions = tuple(sorted(parse_partitions(" ".join(command.words[1:]))))
    member_id = None if command.name == _NOBODY else command.name
    answer = world.ask(OffsetFetch(GROUP, partitions or None, member_id, _epoch(world, command))).answer
    assert isinstance(answer, OffsetsFetched)
    yield tell_fetch(command.name, answer)


def _epoch(world: World, command: Command) -> int:
    if "epoch" in command.options:
        return world.raw.epochs.read(command.options["epoch"])
    known = world.raw.known.get(command.name)
    return _NO_MEMBER_EPOCH if known is None else known.epoch
