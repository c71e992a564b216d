"""Records of ``__consumer_offsets``: the very bytes of Kafka, each there and back, and bytes that are none."""

from __future__ import annotations

from struct import pack
from uuid import UUID

import pytest
from attrs import evolve, fields
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.extensions.records import (
    ExpectedMembers,
    ExpectedMembersRemoved,
    Leaver,
    LeavingMembers,
    LeavingMembersRemoved,
    Slot,
)
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.offsets_topic import KAFKAS as KAFKAS_CODEC
from kafka_nextgen.offsets_topic.extensions import Skipped, decode, encode
from kafka_nextgen.types import OffsetAndMetadata, TopicIdPartition, TopicPartition
from tests.offsets_topic.written_by_kafka import KAFKAS

TOPIC = UUID(int=7)

#: Kafka's records; their base classes and the extensions' records are none of them.
RECORDS = {kind for kind in vars(r).values() if isinstance(kind, type) and issubclass(kind, r.Record)} - {
    r.Record,
    r.MemberRecord,
    r.ExtensionRecord,
}

#: Kafka keeps that a member said it had no pattern: an empty one where we write none, one byte instead of the other.
WITH_EMPTY_PATTERN = {"a member that speaks the classic protocol", "a static member"}


@pytest.mark.parametrize("name", KAFKAS)
def test_kafkas_own_records_are_read_and_written_again_byte_for_byte(name: str) -> None:
    theirs = KAFKAS[name]
    record = decode(theirs.key, theirs.value)
    assert not isinstance(record, Skipped)
    ours = encode(record)
    assert ours.key == theirs.key
    if name not in WITH_EMPTY_PATTERN:
        assert ours.value == theirs.value
        return
    assert ours.value is not None
    assert theirs.value is not None
    differing = [pair for pair in zip(ours.value, theirs.value, strict=True) if pair[0] != pair[1]]
    assert differing == [(0, 1)]


def test_every_type_is_among_kafkas_own_records() -> None:
    kinds = {type(decode(row.key, row.value)) for row in KAFKAS.values()}
    in_transactions = {r.PendingOffsetCommitted, r.TransactionEnded}  # told from others by their batch, not their bytes
    assert kinds == RECORDS - in_transactions


def test_what_records_of_kafka_say() -> None:
    row = KAFKAS["a member that has to give a partition back"]
    record = decode(row.key, row.value)
    assert isinstance(record, r.CurrentMemberAssignment)
    assert (record.group_id, record.member_epoch, record.previous_member_epoch) == ("billing", 2, 2)
    assert record.status is r.MemberStatus.UNREVOKED_PARTITIONS
    assert [epoch for _, epoch in record.assigned] == [epoch for _, epoch in record.pending_revocation] == [2, 2, 2]
    row = KAFKAS["a member that speaks the classic protocol"]
    member = decode(row.key, row.value)
    assert isinstance(member, r.MemberMetadata)
    assert member.classic is not None
    assert member.classic.session_timeout_ms == 6_000
    assert [protocol.name for protocol in member.classic.supported] == ["cooperative-sticky"]


# Every record there and back.

texts = st.text(max_size=20)
maybe = st.none() | texts
int32s = st.integers(-(2**31), 2**31 - 1)
int64s = st.integers(-(2**63), 2**63 - 1)
numbers = st.integers(0, 2**31 - 1)
topic_ids = st.uuids().filter(lambda topic_id: topic_id.int != 0)
granted = st.dictionaries(st.builds(TopicIdPartition, topic_ids, numbers), int32s, max_size=5).map(
    lambda pairs: tuple(sorted(pairs.items()))
)
shares = st.dictionaries(topic_ids, st.frozensets(numbers, min_size=1, max_size=5), max_size=4)
offered = st.builds(OfferedProtocol, texts, st.binary(max_size=20))
#: The default of Kafka's schema isn't written, so it is read as none. No member has it: a session has a timeout.
NO_PROTOCOLS = r.ClassicProtocols(0, ())
classic = st.builds(r.ClassicProtocols, int32s, st.lists(offered, max_size=3).map(tuple)).filter(
    lambda protocols: protocols != NO_PROTOCOLS
)
classic_members = st.builds(
    r.ClassicMemberMetadata,
    texts,
    maybe,
    texts,
    texts,
    int32s,
    int32s,
    st.binary(max_size=20),
    st.binary(max_size=20),
)
partitions = st.builds(TopicPartition, texts, int32s)
names = st.lists(texts, max_size=4).map(tuple)
racks = st.dictionaries(int32s, names, max_size=3)
subscribed_topics = st.builds(r.SubscribedTopic, topic_ids, texts, int32s, racks)
int16s = st.integers(-(2**15), 2**15 - 1)
int8s = st.integers(-128, 127)
slots = st.builds(Slot, texts, int64s, int32s, maybe)
metadata = st.builds(Metadata, int16s, st.binary(max_size=20))
assignors = st.builds(ClientAssignor, texts, int16s, int16s, int8s, metadata)

records: st.SearchStrategy[r.Record] = st.one_of(
    st.builds(r.GroupMetadata, texts, int32s, int64s),
    st.builds(
        r.MemberMetadata,
        texts,
        texts,
        maybe,
        maybe,
        texts,
        texts,
        names,
        st.none() | st.text(min_size=1, max_size=20),
        int32s,
        maybe,
        st.none() | classic,
        st.lists(assignors, max_size=3).map(tuple),
    ),
    st.builds(r.TargetAssignmentMetadata, texts, int32s, int64s, maybe, int8s),
    st.builds(r.TargetAssignmentMember, texts, texts, shares, st.none() | metadata),
    st.builds(ExpectedMembers, texts, st.lists(slots, max_size=3).map(tuple)),
    st.builds(LeavingMembers, texts, st.lists(st.builds(Leaver, texts, maybe, int64s), max_size=3).map(tuple)),
    st.builds(
        r.CurrentMemberAssignment, texts, texts, int32s, int32s, st.sampled_from(r.MemberStatus), granted, granted
    ),
    st.builds(r.RegularExpression, texts, texts, names, int64s, int64s),
    st.builds(
        r.ClassicGroupMetadata,
        texts,
        texts,
        int32s,
        maybe,
        maybe,
        int64s,
        st.lists(classic_members, max_size=3).map(tuple),
    ),
    st.builds(
        r.OffsetCommitted,
        texts,
        partitions,
        st.builds(OffsetAndMetadata, int64s, int32s, texts),
        int64s,
        st.none() | topic_ids,
    ),
    st.builds(r.PartitionMetadata, texts, st.lists(subscribed_topics, max_size=3).map(tuple)),
    st.builds(r.PartitionMetadataRemoved, texts),
    st.builds(r.GroupMetadataRemoved, texts),
    st.builds(r.MemberMetadataRemoved, texts, texts),
    st.builds(r.TargetAssignmentMetadataRemoved, texts),
    st.builds(r.TargetAssignmentMemberRemoved, texts, texts),
    st.builds(r.CurrentMemberAssignmentRemoved, texts, texts),
    st.builds(r.RegularExpressionRemoved, texts, texts),
    st.builds(r.ClassicGroupMetadataRemoved, texts),
    st.builds(r.OffsetRemoved, texts, partitions),
    st.builds(ExpectedMembersRemoved, texts),
    st.builds(LeavingMembersRemoved, texts),
)


@given(records)
def test_a_record_that_is_written_and_read_is_the_same(record: r.Record) -> None:
    row = encode(record)
    assert decode(row.key, row.value) == record


@given(records)
def test_kafkas_coordinators_pass_over_what_extensions_add(record: r.Record) -> None:
    row = encode(record)
    read = KAFKAS_CODEC.decode(row.key, row.value)
    if isinstance(record, r.ExtensionRecord):
        assert isinstance(read, Skipped)
    else:
        assert not isinstance(read, Skipped)
        by_kafka = KAFKAS_CODEC.encode(record)
        assert read == KAFKAS_CODEC.decode(by_kafka.key, by_kafka.value)
        assert read == evolve(record, **{name: WITHOUT[name] for name in fields_of(record) & WITHOUT.keys()})


#: What a record of Kafka has in the fields that extensions add.
WITHOUT = {"client_assignors": (), "assignor": None, "error": 0, "metadata": None}


def fields_of(record: r.Record) -> set[str]:
    return {each.name for each in fields(type(record))}


# What is none of ours, and what is broken.


def test_records_of_other_types_of_a_newer_version_or_without_a_key_are_skipped() -> None:
    for number in (9, 10, 15, 17, 23, 99, -1):
        skipped = decode(pack(">h", number) + b"\x00\x01g", b"\x00\x00whatever")
        assert skipped == Skipped(f"record type {number}")
    row = KAFKAS["a consumer group's epoch"]
    assert decode(row.key, b"\x00\x09" + b"newer") == Skipped("version 9 of record type 3")
    assert isinstance(decode(None, b"anything"), Skipped)


def test_the_older_key_of_an_offset_is_read() -> None:
    row = KAFKAS["a committed offset"]
    assert decode(b"\x00\x00" + row.key[2:], row.value) == decode(row.key, row.value)


@pytest.mark.parametrize(
    ("version", "fields", "leader_epoch"),
    [
        pytest.param(0, pack(">qh", 5, 1) + b"m" + pack(">q", 60), -1, id="without the leader epoch"),
        pytest.param(1, pack(">qh", 5, 1) + b"m" + pack(">qq", 60, -1), -1, id="without an expiry"),
        pytest.param(3, pack(">qih", 5, 3, 1) + b"m" + pack(">q", 60), 3, id="with the leader epoch"),
    ],
)
def test_offsets_of_older_releases_are_read(version: int, fields: bytes, leader_epoch: int) -> None:
    key = b"\x00\x01" + b"\x00\x01g" + b"\x00\x01t" + pack(">i", 2)
    committed = r.OffsetCommitted("g", TopicPartition("t", 2), OffsetAndMetadata(5, leader_epoch, "m"), 60)
    assert decode(key, pack(">h", version) + fields) == committed


def test_an_offset_that_expires_by_itself_is_kept_in_the_version_that_says_so() -> None:
    committed = r.OffsetCommitted(
        "g", TopicPartition("t", 2), OffsetAndMetadata(5, -1, "m"), 60, expire_timestamp_ms=99
    )
    row = encode(committed)
    assert row.value == pack(">hqh", 1, 5, 1) + b"m" + pack(">qq", 60, 99)
    assert decode(row.key, row.value) == committed


def test_before_version_1_a_classic_member_had_its_session_to_join_again() -> None:
    member = b"\x00\x01A" + b"\x00\x01c" + b"\x00\x01h" + pack(">i", 6000) + pack(">i", 0) + pack(">i", 0)
    value = pack(">h", 0) + b"\x00\x08consumer" + pack(">ihh", 1, -1, -1) + pack(">i", 1) + member
    record = decode(b"\x00\x02" + b"\x00\x01g", value)
    assert isinstance(record, r.ClassicGroupMetadata)
    assert record.members[0].rebalance_timeout_ms == 6000


def test_partitions_without_epochs_count_as_granted_at_the_members_own() -> None:
    topic = TOPIC.bytes + b"\x02" + pack(">i", 1) + b"\x00"  # as Kafka 4.0 wrote it
    value = pack(">hiib", 0, 5, 4, 0) + b"\x02" + topic + b"\x01" + b"\x00"
    record = decode(b"\x00\x08" + b"\x00\x01g" + b"\x00\x01A", value)
    assert isinstance(record, r.CurrentMemberAssignment)
    assert record.assigned == ((TopicIdPartition(TOPIC, 1), 5),)


def test_as_many_epochs_as_partitions_are_demanded() -> None:
    epochs = b"\x01\x00\x05\x02" + pack(">i", 5)
    topic = TOPIC.bytes + b"\x03" + pack(">ii", 1, 2) + epochs
    value = pack(">hiib", 0, 5, 4, 0) + b"\x02" + topic + b"\x01" + b"\x00"
    with pytest.raises(DecodeError, match=r"2 partitions of topic id .* have 1 epochs"):
        decode(b"\x00\x08" + b"\x00\x01g" + b"\x00\x01A", value)


def test_a_status_of_a_later_release_is_unknown() -> None:
    record = decode(b"\x00\x08" + b"\x00\x01g" + b"\x00\x01A", pack(">hiib", 0, 5, 4, 66) + b"\x01\x01\x00")
    assert isinstance(record, r.CurrentMemberAssignment)
    assert record.status is r.MemberStatus.UNKNOWN


@pytest.mark.parametrize("name", KAFKAS)
def test_whatever_is_cut_off_a_record_is_missed(name: str) -> None:
    row = KAFKAS[name]
    for size in range(len(row.key)):
        with pytest.raises(DecodeError):
            decode(row.key[:size], row.value)
    for size in range(len(row.value or b"")):
        with pytest.raises(DecodeError):
            decode(row.key, (row.value or b"")[:size])
