"""The events of a group's history: one flat record for everything that anyone saw.

An event is what one *source* says at one time. A source is one writer: a consumer, a coordinator, a poller, or a
partition of ``__consumer_offsets``. Its ``seq`` grows with each event, so the pair of source and ``seq`` is the
event's identity: the same event read twice has the same pair. Order between sources comes from epochs (KIP-848,
"Group epoch"), because the clocks of hosts disagree.

| kind | what happened | what else is set |
|---|---|---|
| joined | a member is in the group | member, instance, client, host, epoch |
| left | a member left by itself | member, instance, epoch, reason |
| fenced | a member was put out | member, instance, epoch, cause |
| group epoch | the group moved to this epoch | epoch, cause; member: who caused it; reason: what it said |
| target | a target assignment was made for this epoch | epoch; of one member: member, topic, partitions |
| assigned | a member has these from now on; none: it came to this epoch as it was | member, epoch, topic, partitions |
| revoked | a member gave these up | member, epoch, topic, partitions; ms: for how long it had not read them |
| lost | a member lost these: they may already be another's | member, epoch, topic, partitions, offset: its position |
| committed | an offset was committed | topic, partitions (one), offset; member if known; ms: how long it took |
| lag | committed offset and end of a partition | topic, partitions (one), offset, end |
| poll gap | the application did not poll for so long | member, ms |
| callback | a rebalance callback ran | member, epoch, ms, cause: which; reason: what it raised |
| error | something went wrong | cause: the error's name, reason: its text |
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from attrs import frozen

__all__ = [
    "BEGINS_IN_THE_MIDDLE",
    "CONTRADICTION",
    "EVENTS_DROPPED",
    "FREQUENT",
    "MEMBERSHIP",
    "VERSION",
    "Event",
    "Kind",
    "SourceKind",
    "contradiction",
    "source_kind",
]

#: The version of the event log that this release writes; it reads all up to it.
VERSION = 1
#: The cause of what was there when a source began to look: it happened before, nothing tells when.
BEGINS_IN_THE_MIDDLE = "begins in the middle"
#: The cause of an ``error`` event that tells of events which could not be written.
EVENTS_DROPPED = "events dropped"
#: The cause of an ``error`` event that readers add where a source has two different events of one ``seq``.
CONTRADICTION = "a source contradicts itself"


class Kind(Enum):
    """What an event tells; the values are those of the log."""

    JOINED = "joined"
    LEFT = "left"
    FENCED = "fenced"
    GROUP_EPOCH = "group epoch"
    TARGET = "target"
    ASSIGNED = "assigned"
    REVOKED = "revoked"
    LOST = "lost"
    COMMITTED = "committed"
    LAG = "lag"
    POLL_GAP = "poll gap"
    CALLBACK = "callback"
    ERROR = "error"


#: Kinds that come so often that they would hide the others.
FREQUENT = frozenset({Kind.LAG, Kind.COMMITTED})
#: Kinds by which a source tells who was in a group, and at which epoch.
MEMBERSHIP = frozenset({Kind.JOINED, Kind.LEFT, Kind.FENCED, Kind.GROUP_EPOCH, Kind.TARGET, Kind.ASSIGNED})


class SourceKind(Enum):
    """Who wrote an event: the part of ``source`` before the colon. Earlier ones are nearer to what happened."""

    CONSUMER = "consumer"  # a member itself
    COORDINATOR = "coordinator"  # the reference broker's coordinator
    OFFSETS_TOPIC = "offsets"  # records of __consumer_offsets, of any coordinator
    POLLER = "poller"  # describing the group from time to time


@frozen
class Event:
    """One event. What does not apply to its kind, or is not known, is None.

    Args:
        at: When it happened, or ended: milliseconds since the epoch, by the writer's clock.
        seq: Counts the events of the source; in the order in which they happened there.
        source: ``KIND:NAME``, such as ``consumer:billing-1/8d2f``: who wrote it (``SourceKind``).
        cluster: The cluster's id; empty if the writer never learned it.
        group: The group's id.
        protocol: ``consumer`` or ``classic``.
        member: The member's id.
        instance: Its ``group.instance.id``.
        client: Its ``client.id``.
        host: Where it connects from.
        epoch: The group epoch or member epoch, in a classic group the generation.
        topic: A topic by name; by its id, if the source knows no name.
        partitions: Partitions of that topic.
        offset: A committed offset or position: that of the next record.
        end: The partition's end: its high watermark.
        ms: How long something took, in milliseconds; it began ``ms`` before ``at``.
        cause: Why, in one of few words.
        reason: Why, in the words of who caused it.
        v: The version of the event log that its writer knew.
    """

    at: int
    seq: int
    source: str
    cluster: str
    group: str
    kind: Kind
    protocol: str | None = None
    member: str | None = None
    instance: str | None = None
    client: str | None = None
    host: str | None = None
    epoch: int | None = None
    topic: str | None = None
    partitions: tuple[int, ...] | None = None
    offset: int | None = None
    end: int | None = None
    ms: int | None = None
    cause: str | None = None
    reason: str | None = None
    v: int = VERSION


@lru_cache(4096)  # asked for each event, of few sources
def source_kind(source: str) -> SourceKind:
    """Who wrote an event with this ``source``. Raises ValueError for a word that is none."""
    return SourceKind(source.partition(":")[0])


def contradiction(event: Event) -> Event:
    """What tells that the source of this event has another one of its ``seq``."""
    return Event(
        event.at,
        event.seq,
        event.source,
        event.cluster,
        event.group,
        Kind.ERROR,
        event.protocol,
        cause=CONTRADICTION,
        reason="the source has two different events of this number",
    )
