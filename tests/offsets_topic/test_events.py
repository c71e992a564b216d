"""What records of ``__consumer_offsets`` tell: batches as coordinators write them, and the events that they come to."""

from __future__ import annotations

from itertools import count

import pytest
from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_assignment, encode_subscription
from kafka_nextgen.groups.extensions.records import Rebalance, RebalanceRecorded
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.offsets_topic.events import Departure, Known, RecordStory, Row
from kafka_nextgen.types import OffsetAndMetadata, RebalanceReason, TopicIdPartition, TopicPartition
from tests.offsets_topic.group_records import BILLS, NAMES, ORDERS, G, current, epoch, metadata, removal, target


class Log:
    """A log that is told batch by batch, from offset 100 on; each batch a second after the one before."""

    def __init__(self, story: RecordStory | None = None) -> None:
        self.story = story or RecordStory("offsets:3", "main", NAMES)
        self._batches = count()
        self._offset = 100

    def rows(self, *records: r.Record) -> list[Row]:
        at, offset = 1_000 * next(self._batches), self._offset
        self._offset += len(records)
        return [Row(offset + index, at, record) for index, record in enumerate(records)]

    def tell(self, *records: r.Record, known: Known | None = None) -> list[tuple[object, ...]]:
        return [brief(event) for event in self.story.tell(self.rows(*records), known)]


def brief(event: Event) -> tuple[object, ...]:
    """What of an event is set, in few words."""
    fields = (event.member, event.epoch, event.topic, event.partitions, event.offset, event.cause, event.reason)
    return (event.kind.value, *(each for each in fields if each is not None))


def recorded(
    reason: RebalanceReason, number: int, member: str = "", text: str = "", *, is_classic: bool = False
) -> RebalanceRecorded:
    return RebalanceRecorded(G, 1, Rebalance(1, Cause(reason, member, text=text), 0, is_classic, number))


FIRST = (metadata("A", "orders"), epoch(1), target("A", 0, 1), r.TargetAssignmentMetadata(G, 1), current("A", 1, 0, 1))


def joined(log: Log) -> None:
    log.tell(*FIRST)


def shared(log: Log) -> None:
    """B joins, A revokes, B gets what is free."""
    joined(log)
    log.tell(metadata("B", "orders"), epoch(2), target("A", 0), target("B", 1), r.TargetAssignmentMetadata(G, 2))
    for record in (current("A", 1, 0, revoking=(1,)), current("A", 2, 0), current("B", 2, 1)):
        log.tell(record)


@pytest.fixture
def log() -> Log:
    return Log()


def test_a_first_member_joins(log: Log) -> None:
    assert log.tell(*FIRST) == [
        ("joined", "A", 1),
        ("group epoch", "A", 1, "member joined"),
        ("target", "A", 1, "orders", (0, 1)),
        ("target", 1),
        ("assigned", "A", 1, "orders", (0, 1)),
    ]


def test_an_event_has_what_is_known_of_its_member_and_row(log: Log) -> None:
    (first, _) = log.story.tell(log.rows(metadata("A", "orders", instance="one"), epoch(1)))
    assert first == Event(
        at=0,
        seq=100 << 20,
        source="offsets:3",
        cluster="main",
        group=G,
        kind=EventKind.JOINED,
        protocol="consumer",
        member="A",
        instance="one",
        client="client-A",
        host="/10.0.0.1",
        epoch=1,
    )


def test_events_of_one_record_differ_by_their_index(log: Log) -> None:
    joined(log)
    rows = log.rows(evolve(current("A", 2, 0), assigned=((TopicIdPartition(ORDERS, 2), 2),)))
    assert [(event.kind, event.seq) for event in log.story.tell(rows)] == [
        (EventKind.REVOKED, rows[0].offset << 20),
        (EventKind.ASSIGNED, (rows[0].offset << 20) + 1),
    ]


def test_a_partition_is_revoked_when_it_is_given_back_and_not_when_that_is_asked(log: Log) -> None:
    joined(log)
    log.tell(metadata("B", "orders"), epoch(2))
    assert log.tell(current("A", 1, 0, revoking=(1,))) == []
    assert log.tell(current("A", 2, 0)) == [("revoked", "A", 2, "orders", (1,)), ("assigned", "A", 2, ())]
    assert log.tell(current("B", 2, 1)) == [("assigned", "B", 2, "orders", (1,))]


def test_a_target_that_loses_a_topic_says_so(log: Log) -> None:
    joined(log)
    assert log.tell(target("A"), r.TargetAssignmentMetadata(G, 2)) == [
        ("target", "A", 2, "orders", ()),
        ("target", 2),
    ]


MEMBER_LEFT, EXPIRED = RebalanceReason.MEMBER_LEFT, RebalanceReason.MEMBER_EXPIRED


@pytest.mark.parametrize(
    ("after", "known", "told", "cause"),
    [
        ((epoch(3),), None, ("left", "B", 2, "unknown"), "member left"),
        (
            (epoch(3), recorded(MEMBER_LEFT, 3, "B", "done")),
            None,
            ("left", "B", 2, "member left", "done"),
            "member left",
        ),
        ((epoch(3), recorded(EXPIRED, 3, "B")), None, ("fenced", "B", 2, "member expired"), "member expired"),
        (
            (epoch(3), recorded(RebalanceReason.MEMBER_FENCED, 3, "B")),
            None,
            ("fenced", "B", 2, "member fenced"),
            "member fenced",
        ),
        ((epoch(3), recorded(RebalanceReason.ADMIN, 3, "B")), None, ("fenced", "B", 2, "admin"), "admin"),
        (
            (epoch(3),),
            Known(Departure(EventKind.FENCED, "member expired")),
            ("fenced", "B", 2, "member expired"),
            "member expired",
        ),
    ],
)
def test_a_member_goes(
    log: Log, after: tuple[r.Record, ...], known: Known | None, told: tuple[object, ...], cause: str
) -> None:
    shared(log)
    events = log.tell(*removal("B"), *after, known=known)
    assert [event[0] for event in events] == ["revoked", told[0], "group epoch"]
    assert events[1] == told
    assert events[2][:4] == ("group epoch", "B", 3, cause)


@pytest.mark.parametrize(
    ("records", "cause"),
    [
        ((metadata("A", "orders", "bills"), epoch(2)), ("A", 2, "subscription changed")),
        ((metadata("A", "orders", assignor="range"), epoch(2)), ("A", 2, "assignor changed")),
        (
            (metadata("A", "orders", "bills", assignor="range"), epoch(2)),
            ("A", 2, "subscription changed"),
        ),
        ((epoch(2, metadata_hash=9),), (2, "topic metadata changed")),
        ((r.PartitionMetadata(G, ()), epoch(2)), (2, "topic metadata changed")),  # Kafka 4.0 writes no hash
        (
            (metadata("A", "orders", "bills"), r.PartitionMetadata(G, ()), epoch(2)),
            ("A", 2, "subscription changed"),
        ),
        ((r.PartitionMetadataRemoved(G), epoch(2)), (2, "unknown")),
        ((r.RegularExpression(G, "o.*", ("orders",), 1, 1), epoch(2)), (2, "pattern resolved")),
        ((epoch(2),), (2, "unknown")),
        (
            (epoch(2), recorded(RebalanceReason.ASSIGNOR_REQUESTED, 2, "A", "hot")),
            ("A", 2, "assignor requested", "hot"),
        ),
        ((epoch(1),), None),
    ],
)
def test_why_an_epoch_was_raised(log: Log, records: tuple[r.Record, ...], cause: tuple[object, ...] | None) -> None:
    joined(log)
    assert log.tell(*records) == ([] if cause is None else [("group epoch", *cause)])


def test_what_was_seen_at_another_time_raised_no_epoch(log: Log) -> None:
    joined(log)
    log.tell(metadata("A", "orders", "bills"))
    assert log.tell(epoch(2)) == [("group epoch", 2, "unknown")]


def test_a_static_member_leaves_for_a_while_and_another_has_its_place(log: Log) -> None:
    log.tell(metadata("A", "orders", instance="one"), epoch(1), current("A", 1, 0))
    assert log.tell(current("A", -2, 0, before=1)) == [
        ("revoked", "A", 1, "orders", (0,), "left temporarily"),
        ("left", "A", 1, "left temporarily"),
    ]
    back = (metadata("A2", "orders", instance="one"), target("A2", 0), current("A2", 0, 0), current("A2", 1, 0))
    assert log.tell(*removal("A"), *back) == [
        ("joined", "A2", 1, "member restarted"),
        ("target", "A2", 1, "orders", (0,)),
        ("assigned", "A2", 1, "orders", (0,)),
    ]


def test_who_has_a_former_members_place_is_told_of_by_its_own_client(log: Log) -> None:
    former = metadata("A", "orders", instance="one")
    log.tell(former, epoch(1), current("A", 1, 0))
    copied, own = evolve(former, member_id="A2"), metadata("A2", "orders", instance="one")
    events = log.story.tell(log.rows(*removal("A"), copied, own))
    assert [(event.member, event.client) for event in events if event.kind is EventKind.JOINED] == [("A2", "client-A2")]


def test_a_static_member_that_comes_back_with_its_id_has_joined_again(log: Log) -> None:
    log.tell(metadata("A", "orders", instance="one"), epoch(1), current("A", 1, 0))
    log.tell(current("A", -2, 0, before=1))
    back = (metadata("A", "orders", instance="one"), current("A", 0, 0), current("A", 1, 0))
    assert log.tell(*removal("A"), *back) == [
        ("joined", "A", 1, "member restarted"),
        ("assigned", "A", 1, "orders", (0,)),
    ]


def test_who_never_came_back_has_left_once(log: Log) -> None:
    log.tell(metadata("A", "orders", instance="one"), epoch(1), current("A", 1, 0))
    log.tell(current("A", -2, 0, before=1))
    expired = Known(Departure(EventKind.FENCED, "member expired"))
    assert log.tell(*removal("A"), epoch(2), known=expired) == [("group epoch", "A", 2, "member expired")]


def test_a_member_whose_instance_goes_on_to_another_is_fenced(log: Log) -> None:
    log.tell(metadata("A", "orders", instance="one"), epoch(1), current("A", 1, 0))
    told = log.tell(*removal("A"), metadata("A2", "orders", instance="one"), current("A2", 1, 0))
    assert told == [
        ("revoked", "A", 1, "orders", (0,), "member restarted"),
        ("fenced", "A", 1, "member restarted"),
        ("joined", "A2", 1, "member restarted"),
        ("assigned", "A2", 1, "orders", (0,)),
    ]


def test_a_log_that_begins_in_the_middle_says_so(log: Log) -> None:
    assert log.tell(current("A", 7, 0), metadata("A", "orders"), epoch(8)) == [
        ("assigned", "A", 7, "orders", (0,)),
        ("joined", "A", 8, "begins in the middle"),
        ("group epoch", "A", 8, "member joined"),
    ]


def test_a_tombstone_of_a_member_that_was_never_seen_says_that_it_went_and_others_tell_nothing(log: Log) -> None:
    for tombstone in (
        r.GroupMetadataRemoved(G),
        r.ClassicGroupMetadataRemoved(G),
        r.TargetAssignmentMetadataRemoved(G),
        r.TargetAssignmentMemberRemoved(G, "A"),
        r.CurrentMemberAssignmentRemoved(G, "A"),
        r.RegularExpressionRemoved(G, "o.*"),
        r.OffsetRemoved(G, TopicPartition("orders", 0)),
    ):
        assert log.tell(tombstone) == [], tombstone
    assert log.tell(*removal("A")) == [("left", "A", "unknown")]


def test_a_deleted_group_begins_anew(log: Log) -> None:
    joined(log)
    assert (log.story.members(G), log.story.members("another")) == ({"A"}, frozenset())
    log.tell(*removal("A"), epoch(2))
    assert log.tell(r.TargetAssignmentMetadataRemoved(G), r.GroupMetadataRemoved(G)) == []
    assert log.tell(metadata("A", "orders"), epoch(1))[1] == ("group epoch", "A", 1, "member joined")


def test_topics_without_a_name_are_told_by_their_id_until_there_is_one(log: Log) -> None:
    bills = evolve(current("A", 1), assigned=((TopicIdPartition(BILLS, 0), 1),))
    told = log.tell(metadata("A", "bills"), epoch(1), bills)
    assert told[-1] == ("assigned", "A", 1, str(BILLS), (0,))
    log.story.know({BILLS: "bills"})
    two = evolve(bills, member_epoch=2, assigned=tuple((TopicIdPartition(BILLS, each), 2) for each in (0, 1)))
    assert log.tell(two) == [("assigned", "A", 2, "bills", (1,))]


def offset(number: int) -> r.OffsetCommitted:
    return r.OffsetCommitted(G, TopicPartition("orders", 0), OffsetAndMetadata(number), 0)


def pending(number: int) -> r.PendingOffsetCommitted:
    return r.PendingOffsetCommitted(G, TopicPartition("orders", 0), OffsetAndMetadata(number), 0, None, 5, 0)


def test_offsets_are_told_with_their_member_if_that_is_known(log: Log) -> None:
    assert log.tell(offset(7), known=Known(member="A")) == [("committed", "A", "orders", (0,), 7)]


@pytest.mark.parametrize(("is_commit", "told"), [(True, [("committed", "orders", (0,), 7)]), (False, [])])
@pytest.mark.parametrize("by_record", [True, False])
def test_pending_offsets_count_when_their_transaction_is_committed(
    log: Log, is_commit: bool, told: list[object], by_record: bool
) -> None:
    assert log.tell(pending(7)) == []
    if by_record:
        assert log.tell(r.TransactionEnded(G, 5, is_commit)) == told
    else:
        events = log.story.end_transaction(5, is_commit, 170, 9_000)
        assert [brief(event) for event in events] == told
        assert {(event.seq, event.at) for event in events} <= {(170 << 20, 9_000)}
    assert log.story.end_transaction(5, True, 171, 9_000) == []


@pytest.mark.parametrize("overtaking", [offset(9), r.OffsetRemoved(G, TopicPartition("orders", 0))])
def test_pending_offsets_that_were_overtaken_never_count(log: Log, overtaking: r.Record) -> None:
    log.tell(pending(7))
    log.tell(overtaking)
    assert log.tell(r.TransactionEnded(G, 5, True)) == []


def generation(number: int, instance: str | None = None, **owned: tuple[int, ...]) -> r.ClassicGroupMetadata:
    subscription = encode_subscription(MemberSubscription(frozenset({"orders"}), generation=number))
    members = tuple(
        r.ClassicMemberMetadata(
            name,
            instance,
            f"client-{name}",
            "/10.0.0.1",
            5_000,
            5_000,
            subscription,
            encode_assignment(frozenset(TopicPartition("orders", each) for each in numbers)),
        )
        for name, numbers in owned.items()
    )
    return r.ClassicGroupMetadata(G, "consumer", number, "range" if members else None, None, 0, members)


def test_generations_of_a_classic_group(log: Log) -> None:
    assert log.tell(r.ClassicGroupMetadata(G, "", 0, None, None, 0, ())) == []
    assert log.tell(generation(1, A=(0, 1))) == [
        ("group epoch", "A", 1, "member joined"),
        ("joined", "A", 1),
        ("assigned", "A", 1, "orders", (0, 1)),
    ]
    assert log.tell(generation(2, A=(0,), B=(1,))) == [
        ("group epoch", "B", 2, "member joined"),
        ("joined", "B", 2),
        ("revoked", "A", 2, "orders", (1,)),
        ("assigned", "A", 2, ()),
        ("assigned", "B", 2, "orders", (1,)),
    ]
    log.tell(recorded(EXPIRED, 3, "A", is_classic=True))
    assert log.tell(generation(3, B=(0, 1))) == [
        ("revoked", "A", 2, "orders", (0,), "member expired"),
        ("fenced", "A", 2, "member expired"),
        ("group epoch", "A", 3, "member expired"),
        ("assigned", "B", 3, "orders", (0,)),
    ]
    assert log.tell(generation(4)) == [
        ("revoked", "B", 3, "orders", (0, 1), "unknown"),
        ("left", "B", 3, "unknown"),
        ("group epoch", "B", 4, "member left"),
    ]
    assert log.tell(r.ClassicGroupMetadataRemoved(G)) == []


def test_how_a_classic_member_went_may_be_told_before(log: Log) -> None:
    log.tell(generation(1, A=(0, 1)))
    log.story.note_gone(G, "A", Departure(EventKind.FENCED, "member expired"))
    assert log.tell(generation(2))[1] == ("fenced", "A", 1, "member expired")


def test_a_static_classic_member_is_replaced_within_a_generation(log: Log) -> None:
    log.tell(generation(1, "one", A=(0,)))
    assert log.tell(generation(1, "one", A2=(0,))) == [
        ("revoked", "A", 1, "orders", (0,), "member restarted"),
        ("fenced", "A", 1, "member restarted"),
        ("joined", "A2", 1),
        ("assigned", "A2", 1, "orders", (0,)),
    ]


def test_a_group_changes_its_protocol_and_back_and_nobody_leaves(log: Log) -> None:
    log.tell(generation(1, A=(0,)))
    upgraded = (
        r.ClassicGroupMetadataRemoved(G),
        metadata("A", "orders"),
        epoch(1),
        target("A", 0),
        r.TargetAssignmentMetadata(G, 1),
        current("A", 1, 0),
    )
    assert log.tell(*upgraded) == [("target", "A", 1, "orders", (0,)), ("target", 1)]
    assert log.tell(*removal("A"), r.GroupMetadataRemoved(G), generation(2, A=(0,))) == [
        ("group epoch", 2, "unknown"),
        ("assigned", "A", 2, ()),
    ]


def test_an_assignment_of_no_consumer_is_none(log: Log) -> None:
    garbled = generation(1, A=(0,))
    broken = evolve(garbled, members=(evolve(garbled.members[0], assignment=b"\x00"),))
    assert log.tell(broken)[-1] == ("assigned", "A", 1, ())
