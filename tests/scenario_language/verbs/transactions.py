"""Offsets in transactions: ``txn-commit A foo[0]=5 producer=P``, then ``end-txn P commit`` or ``end-txn P abort``.

Producers are called by one letter. A transaction begins with the first thing its producer does in it. The epoch is the
latest A was given, if left out; ``nobody`` is a producer that knows nothing of the group.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.coordinator.requests import EndTransaction, TxnOffsetCommit
from kafka_nextgen.coordinator.responses import OffsetsCommitted
from kafka_nextgen.types import OffsetAndMetadata
from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import NotationError, parse_offset
from tests.scenario_language.telling import tell_commit
from tests.scenario_language.verbs.offsets import NOBODY, epoch_of
from tests.scenario_language.world import GROUP, World

__all__ = ["end_txn", "txn_commit"]

_ENDS = {"commit": True, "abort": False}
_EPOCH = 0  # of producers, which are none of the coordinator's business


def txn_commit(world: World, command: Command) -> Iterator[str]:
    """Commit offsets when the producer's transaction is committed."""
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
    """End a producer's transaction."""
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
