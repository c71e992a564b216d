"""Offsets: ``commit A foo[0]=5 epoch=2``, ``fetch-offsets A foo[0] foo[1]``, of all partitions if none is named, and
``delete-offsets foo[0]``.

The epoch is the latest A was given, if left out. ``nobody`` is whoever commits from outside the group.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.coordinator.requests import OffsetCommit, OffsetDelete, OffsetFetch
from kafka_nextgen.coordinator.responses import OffsetsCommitted, OffsetsDeleted, OffsetsFetched
from kafka_nextgen.types import OffsetAndMetadata
from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import parse_duration, parse_offset, parse_partitions
from tests.scenario_language.telling import tell_commit, tell_deletion, tell_fetch
from tests.scenario_language.world import GROUP, World

__all__ = ["NOBODY", "commit", "delete_offsets", "epoch_of", "fetch_offsets"]

#: Whoever asks from outside the group.
NOBODY = "nobody"
_NO_MEMBER_EPOCH = -1


def commit(world: World, command: Command) -> Iterator[str]:
    """Commit offsets."""
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
    """Ask for committed offsets."""
    command.expect(range(1, 100), "epoch")
    partitions = tuple(sorted(parse_partitions(" ".join(command.words[1:]))))
    member_id = None if command.name == NOBODY else command.name
    answer = world.ask(OffsetFetch(GROUP, partitions or None, member_id, epoch_of(world, command))).answer
    assert isinstance(answer, OffsetsFetched)
    yield tell_fetch(command.name, answer)


def delete_offsets(world: World, command: Command) -> Iterator[str]:
    """Have the group forget what is committed for some partitions."""
    command.expect(range(1, 100))
    partitions = tuple(sorted(parse_partitions(" ".join(command.words))))
    answer = world.ask(OffsetDelete(GROUP, partitions)).answer
    assert isinstance(answer, OffsetsDeleted)
    yield from tell_deletion(answer)


def epoch_of(world: World, command: Command) -> int:
    """The epoch a command states, or the latest its member was given."""
    if "epoch" in command.options:
        return world.raw.epochs.read(command.options["epoch"])
    known = world.raw.known.get(command.name)
    return _NO_MEMBER_EPOCH if known is None else known.epoch
