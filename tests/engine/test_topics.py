"""A topic that is gone, or another one of the same name, before the coordinator has taken its partitions away."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen import Consumer, OffsetAndMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, OFFSET_FETCH
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatResponse
from tests.engine.stage import GROUP, ONE_ATTEMPT, TOPIC, Stage, poll_until, read, tp, values
from tests.support.waiting import GUARD_S


def make_again(stage: Stage, records: int) -> None:
    """Delete the topic and make another of its name, so quickly that nobody sees it missing."""

    def replace() -> None:
        cluster = stage.cluster._broker._cluster
        old = cluster.topics.named(TOPIC)
        assert old is not None
        cluster.topics.delete(old)
        cluster.create_topic(TOPIC)

    stage.run(replace)
    stage.write(0, records)


async def is_loading(*_: object) -> object:
    return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)


def reads_a_topic_that_is_gone(stage: Stage, consumer: Consumer) -> None:
    """Read ten records of a topic that is then made again with twenty, which the coordinator can not tell."""
    stage.create(records=10)
    consumer.subscribe([TOPIC])
    read(consumer, 10)
    stage.handle(CONSUMER_GROUP_HEARTBEAT, is_loading)
    make_again(stage, records=20)
    poll_until(consumer, lambda: consumer.health().gone == (tp(),))


def test_nothing_of_the_new_topic_is_taken_for_the_old_ones(stage: Stage) -> None:
    with stage.consumer(**ONE_ATTEMPT) as consumer:
        reads_a_topic_that_is_gone(stage, consumer)
        assert values(consumer.poll(timeout=0.1)) == []
        assert str(consumer.health().problem).startswith("orders[0]: the topic was deleted")
        assert consumer.position(tp()) == 10
        consumer.commit()
        with pytest.raises(KafkaNextgenError, match=f"group {GROUP}: .*UNKNOWN_TOPIC_ID"):
            consumer.commit({tp(): 7}, timeout=GUARD_S)
        assert stage.committed() == {}


def test_by_the_classic_protocol_what_was_committed_of_the_old_topic_says_nothing_of_the_new_one(stage: Stage) -> None:
    config = {"group_protocol": "classic", "enable_auto_commit": True, "metadata_max_age_ms": 50}
    with stage.after_reading(10, **config) as consumer:
        consumer.commit()
        make_again(stage, records=20)
        assert values(read(consumer, 4)) == list(range(4))
    assert stage.committed() == {0: 4}


def test_a_topic_made_again_is_read_from_its_beginning_whatever_is_committed_under_its_name(stage: Stage) -> None:
    """The coordinator may have got a commit for the old topic when there was the new one already."""

    def with_offset_ten(answer: Any) -> Any:
        (group,) = answer.groups
        (topic,) = group.topics
        found = [each.replaced(committed_offset=10, committed_leader_epoch=0) for each in topic.partitions]
        return answer.replaced(groups=[group.replaced(topics=[topic.replaced(partitions=found)])])

    stage.create(records=10)
    with stage.reader(group_id=GROUP) as consumer:
        read(consumer, 10)
        stage.change(OFFSET_FETCH, with_offset_ten)
        make_again(stage, records=20)
        assert values(read(consumer, 20)) == list(range(20))


def test_an_offset_of_the_old_topic_is_not_committed_for_the_one_that_took_its_place(stage: Stage) -> None:
    stage.create(records=10)
    with stage.reader(group_id=GROUP, **ONE_ATTEMPT) as consumer:
        read(consumer, 10)
        make_again(stage, records=3)
        poll_until(consumer, lambda: consumer.position(tp()) < 10)
        with pytest.raises(KafkaNextgenError, match="UNKNOWN_TOPIC_ID"):
            consumer.commit({tp(): OffsetAndMetadata(10)}, timeout=GUARD_S)
        assert stage.committed() == {}
