"""The events of a group's history: one flat record for every kind of event.

A *source* writes events: a consumer, a coordinator, a poller, or a reader of one partition of ``__consumer_offsets``.
Its ``seq`` grows with each event, so source and ``seq`` together identify an event. Clocks of hosts disagree, so
epochs (KIP-848, "Group epoch") order the events of different sources.

| kind | what happened | fields that are set |
|---|---|---|
| joined | a member is in the group | member, instance, client, host, epoch |
| left | a member left on its own | member, instance, epoch, reason |
| fenced | the coordinator removed a member | member, instance, epoch, cause |
| group epoch | the group moved to this epoch | epoch, cause; member: the one that caused it; reason: as stated |
| target | a target assignment was made for this epoch | epoch; of one member: member, topic, partitions |
| assigned | a member owns these from now on; none: its assignment is unchanged | member, epoch, topic, partitions |
| revoked | a member gave these up | member, epoch, topic, partitions; ms: time since it stopped reading |
| lost | a member lost these; another may already own them | member, epoch, topic, partitions, offset: its position |
| committed | an offset was committed | topic, partitions (one), offset; member if known; ms: how long it took |
| lag | committed offset and log of a partition | topic, partitions (one), offset, start, end |
| poll gap | the application did not poll for a while | member, ms |
| callback | a rebalance callback ran | member, ms, cause: its name; reason: what it raised |
| error | something went wrong | cause: the error's name, reason: its text |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache

from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "BEGINS_IN_THE_MIDDLE",
    "CONTRADICTION",
    "EVENTS_DROPPED",
    "FREQUENT_KINDS",
    "MEMBERSHIP_KINDS",
    "VERSION",
    "Event",
    "EventKind",
    "PartitionKey",
    "SourceKind",
    "contradiction",
    "partitions_by_topic",
    "partitions_of",
    "source_kind",
]

#: The version of the event log that this release writes. It reads all versions up to this one.
VERSION = 1
#: The cause of events for the state that a source found at its start: they happened at an unknown earlier time.
BEGINS_IN_THE_MIDDLE = "begins in the middle"
#: The cause of an ``error`` event that counts events which could not be written.
EVENTS_DROPPED = "events dropped"
#: The cause of an ``error`` event that readers add if a source has two different events with one ``seq``.
CONTRADICTION = "a source contradicts itself"


class EventKind(Enum):
    """The kinds of events; the values are as in the log."""

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


#: Kinds so frequent that they would hide the others.
FREQUENT_KINDS = frozenset({EventKind.LAG, EventKind.COMMITTED})
#: Kinds that show who was in a group, and at which epoch.
MEMBERSHIP_KINDS = frozenset(
    {EventKind.JOINED, EventKind.LEFT, EventKind.FENCED, EventKind.GROUP_EPOCH, EventKind.TARGET, EventKind.ASSIGNED}
)


class SourceKind(Enum):
    """The part of ``source`` before the colon, the most direct source first."""

    CONSUMER = "consumer"  # the member itself
    COORDINATOR = "coordinator"  # the reference broker's coordinator
    OFFSETS_TOPIC = "offsets"  # records of __consumer_offsets, of any coordinator
    POLLER = "poller"  # describes the group periodically


@frozen
class Event:
    """One event. Fields that do not apply to its kind, or are not known, are None.

    Args:
        at: When it happened or ended, in milliseconds since the Unix epoch by the writer's clock.
        seq: Counts the events of the source in order.
        source: ``KIND:NAME``, such as ``consumer:billing-1/8d2f`` (``SourceKind``).
        cluster: The cluster's id; empty if the writer did not know it.
        group: The group's id.
        protocol: ``consumer`` or ``classic``.
        member: The member's id.
        instance: Its ``group.instance.id``.
        client: Its ``client.id``.
        host: The address it connects from.
        epoch: The group epoch or member epoch, in a classic group the generation.
        topic: The topic's name, or its id if the source does not know the name.
        partitions: Partitions of that topic.
        offset: A committed offset or position: the offset of the next record.
        end: The partition's high watermark.
        start: The partition's first offset that retention has not removed.
        ms: The duration in milliseconds; it began ``ms`` before ``at``.
        cause: The cause, as one of a few fixed phrases.
        reason: The reason, in free text from the member or coordinator that caused it.
        v: The writer's version of the event log.
    """

    at: int
    seq: int
    source: str
    cluster: str
    group: str
    kind: EventKind
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
    start: int | None = None
    v: int = VERSION


@lru_cache(4096)  # called for each event; there are few sources
def source_kind(source: str) -> SourceKind:
    """Return the kind of this ``source``. Raises ValueError if its prefix is not a kind."""
    return SourceKind(source.partition(":")[0])


def contradiction(event: Event) -> Event:
    """Return the ``error`` event for a source that has two different events with this event's ``seq``."""
    return Event(
        event.at,
        event.seq,
        event.source,
        event.cluster,
        event.group,
        EventKind.ERROR,
        event.protocol,
        cause=CONTRADICTION,
        reason="the source has two different events with this number",
    )


#: A partition: its topic and number.
PartitionKey = tuple[str, int]


def partitions_of(event: Event) -> Iterator[PartitionKey]:
    """Yield the partitions of the event."""
    if event.topic is not None:
        for partition in event.partitions or ():
            yield (event.topic, partition)


def partitions_by_topic(partitions: Iterable[tuple[object, int]]) -> dict[str, tuple[int, ...]]:
    """Group partitions by topic name; topics and partitions are sorted."""
    found: dict[str, list[int]] = {}
    for topic, number in partitions:
        found.setdefault(str(topic), []).append(number)
    return {topic: tuple(sorted(found[topic])) for topic in sorted(found)}
