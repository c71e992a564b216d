"""Group metadata is what the producers of other clients take: bytes for one, a named tuple for the other."""

from __future__ import annotations

import copy
import pickle
import sys
from types import ModuleType

import confluent_kafka
import kafka
import pytest

from kafka_nextgen import ConsumerGroupMetadata

MEMBER = ConsumerGroupMetadata("billing", 7, "me", "billing-1")


def test_it_is_what_librdkafka_writes() -> None:
    config = {"bootstrap.servers": "127.0.0.1:1", "group.id": "billing", "log_level": 0}
    assert confluent_kafka.Consumer(config).consumer_group_metadata() == ConsumerGroupMetadata("billing", -1, "")


@pytest.mark.parametrize("member", [MEMBER, ConsumerGroupMetadata("billing", 7, "me")])
def test_librdkafka_reads_it(member: ConsumerGroupMetadata) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": "127.0.0.1:1", "transactional.id": "t", "log_level": 0})
    with pytest.raises(confluent_kafka.KafkaException) as caught:
        producer.send_offsets_to_transaction([confluent_kafka.TopicPartition("orders", 0, 5)], member, 0)
    assert caught.value.args[0].code() == confluent_kafka.KafkaError._STATE, "it was read: only the transaction lacks"


def test_kafka_python_finds_its_own_type_and_names() -> None:
    assert isinstance(MEMBER, kafka.ConsumerGroupMetadata)
    assert (MEMBER.group_id, MEMBER.generation_id, MEMBER.member_id, MEMBER.group_instance_id) == (
        *("billing", 7, "me", "billing-1"),
    )


def test_without_kafka_python_it_is_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for structs in (None, ModuleType("kafka.structs")):  # an application may have a package of its own of that name
        monkeypatch.setitem(sys.modules, "kafka.structs", structs)
        assert MEMBER.__class__ is ConsumerGroupMetadata


def test_it_is_a_value() -> None:
    assert isinstance(MEMBER, ConsumerGroupMetadata)
    assert pickle.loads(pickle.dumps(MEMBER)) == copy.deepcopy(MEMBER) == copy.copy(MEMBER) == MEMBER
    assert {MEMBER, ConsumerGroupMetadata("billing", 7, "me", "billing-1")} == {MEMBER}
    assert len({MEMBER, *(ConsumerGroupMetadata("billing", 7, "me", name) for name in (None, ""))}) == 3
    assert copy.copy(MEMBER).instance_id == "billing-1"
    with pytest.raises(AttributeError, match="member_epoch"):
        MEMBER.member_epoch = 8
    assert (
        repr(MEMBER)
        == str(MEMBER)
        == "ConsumerGroupMetadata(group_id='billing', member_epoch=7, member_id='me', instance_id='billing-1')"
    )
