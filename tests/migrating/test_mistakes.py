"""Errors of half-ported programs say what is wrong: values of other clients look like those of this library."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen import OffsetAndMetadata, TopicPartition
from kafka_nextgen.engine.application.arguments import checked_offset, checked_partitions, checked_topics
from tests.support.peers import installed

ORDERS = TopicPartition("orders", 0)


@pytest.mark.parametrize("package", ["kafka", "aiokafka", "confluent_kafka"])
def test_a_partition_of_another_client_is_shown_with_its_package(package: str) -> None:
    theirs = installed(package).TopicPartition("orders", 0)
    with pytest.raises(TypeError, match=r"must be a kafka_nextgen\.TopicPartition, not \w+\.TopicPartition"):
        checked_partitions([theirs])


def test_an_offset_of_another_client_is_shown_with_its_package() -> None:
    theirs: Any = installed("kafka").OffsetAndMetadata(5, "", -1)
    with pytest.raises(TypeError, match=r"must be a whole number, not kafka\.OffsetAndMetadata\(offset=5"):
        checked_offset(ORDERS, theirs)
    assert checked_offset(ORDERS, OffsetAndMetadata(5)).offset == 5


@pytest.mark.parametrize(("name", "call"), [("OFFSET_BEGINNING", "seek_to_beginning"), ("OFFSET_END", "seek_to_end")])
def test_the_special_offsets_of_confluent_kafka_are_refused_with_what_to_call(name: str, call: str) -> None:
    with pytest.raises(ValueError, match=rf"is not an offset: .*{call}\(\)"):
        checked_offset(ORDERS, getattr(installed("confluent_kafka"), name))


def test_a_pattern_of_confluent_kafka_is_refused_with_what_to_pass() -> None:
    with pytest.raises(ValueError, match=r"for a pattern pass SubscriptionPattern\('\^orders\.\*'\)"):
        checked_topics(["^orders.*"])
