"""What must hold of what clients send, and of what they fail with.

| rule | when it is looked at |
|---|---|
| a member commits what it has, and nothing from before reading began | when a commit is sent |
| what passes is no reason to fail: a commit, a lookup, or a member for good | when it fails |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.effects import RaiseToApplication
from kafka_nextgen.membership.offsets.effects import Failure, Refused
from kafka_nextgen.membership.offsets.events import CommitAsked, LookupAsked
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.simulation.clients import Client

__all__ = ["commits", "failed", "wanted"]

#: Who has less time left than this does not try again.
_LAST_PAUSE_S = 2.0
#: What a fail-over or a rebalance is answered with, before or after it: a client tries again.
_PASSING = frozenset(
    {
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.FENCED_MEMBER_EPOCH,
        ErrorCode.MEMBER_ID_REQUIRED,
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.STALE_MEMBER_EPOCH,
    }
)


def commits(client: Client, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> Iterator[str]:
    """What a member commits it has, and it is not set back to before where reading began."""
    for partition, offset in offsets.items():
        if partition not in client.applied:
            yield f"{client.name} commits {partition}, which it has not"
        elif offset.offset < client.found.get(partition, 0):
            yield f"{client.name} commits {partition} at {offset.offset}, and began at {client.found[partition]}"


def failed(client: Client, asked: object, failure: Failure, after_s: float) -> Iterator[str]:
    """A commit or lookup whose time is not over waits for what passes, as long as its partitions are there."""
    is_early = isinstance(asked, CommitAsked | LookupAsked) and after_s < asked.timeout_s - _LAST_PAUSE_S
    if not isinstance(failure, Refused) or not is_early or failure.code not in _PASSING or client.member_epoch <= 0:
        return
    if failure.codes.keys() <= client.applied - client.stopped:
        yield f"{client.name} fails with {ErrorCode(failure.code).name} what passes, after {after_s:.1f} s"


def wanted(client: Client, effect: object) -> Iterator[str]:
    """A member wants something done."""
    if isinstance(effect, RaiseToApplication) and effect.fatal and effect.code in _PASSING:
        yield f"{client.name} fails for good with {ErrorCode(effect.code).name}, which passes"
