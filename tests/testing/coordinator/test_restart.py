"""What changed while no coordinator was up is noticed by the one that comes (KIP-848, "Fail Over")."""

from __future__ import annotations

from uuid import UUID

from kafka_nextgen.groups.records import OffsetRemoved
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit, TopicImage
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.testing.coordinator.stage import GROUP, Stage

FOO_0 = TopicPartition("foo", 0)


def stage_with(**topics: int) -> Stage:
    stage = Stage()
    for name, partitions in topics.items():
        stage.set_topic(name, partitions)
    return stage


def heartbeat(stage: Stage, epoch: int) -> ConsumerGroupHeartbeatAnswer:
    return stage.hear(ConsumerGroupHeartbeat(GROUP, "A", epoch))


def change_unseen(stage: Stage, name: str, partitions: int | None, topic_id: int | None = None) -> None:
    """Make, change or delete a topic while no coordinator is there to be told of it."""
    if partitions is None:
        del stage.topics[name]
        return
    known = stage.topics.get(name)
    number = UUID(int=topic_id) if topic_id is not None or known is None else known.topic_id
    stage.topics[name] = TopicImage(number, name, partitions)


def committed(stage: Stage) -> None:
    stage.ask(OffsetCommit(GROUP, {FOO_0: OffsetAndMetadata(7)}))


def test_a_topic_that_grew_is_shared_out() -> None:
    stage = stage_with(foo=1)
    epoch = stage.join("A").member_epoch
    change_unseen(stage, "foo", 3)
    stage.fail_over()
    answer = heartbeat(stage, epoch)
    assert answer.member_epoch == epoch + 1
    assert len(answer.assignment or ()) == 3


def test_a_topic_that_a_pattern_matches_is_found() -> None:
    stage = stage_with(foo=1)  # one change seen, as by the next coordinator: the versions alone would say nothing
    stage.join("A", subscribed_topics=None, subscribed_pattern="f.*")
    list(stage.pass_time(0))
    epoch = heartbeat(stage, stage.group.currents["A"].member_epoch).member_epoch
    change_unseen(stage, "fox", 1, topic_id=77)
    stage.fail_over()
    list(stage.pass_time(10))
    heartbeat(stage, epoch)
    list(stage.pass_time(0))
    assert stage.group.patterns["f.*"].topics == ("foo", "fox")
    assert len(heartbeat(stage, epoch).assignment or ()) == 2


def test_offsets_of_a_topic_that_was_deleted_are_forgotten() -> None:
    stage = stage_with(foo=1)
    committed(stage)
    change_unseen(stage, "foo", None)
    stage.fail_over()
    assert stage.log[-1] == OffsetRemoved(GROUP, FOO_0)
    list(stage.pass_time(600))
    assert not stage.coordinator.groups, "nothing was left of the group but that"


def test_offsets_of_a_topic_that_was_made_again_are_forgotten() -> None:
    stage = stage_with(foo=1)
    committed(stage)
    change_unseen(stage, "foo", 1, topic_id=77)
    stage.fail_over()
    assert stage.log[-1] == OffsetRemoved(GROUP, FOO_0)


def test_an_assignment_behind_its_group_epoch_is_made() -> None:
    stage = Stage(CoordinatorSettings(group_consumer_assignment_interval_ms=1_000))
    stage.set_topic("foo", 1)
    epoch = stage.join("A").member_epoch
    stage.set_topic("foo", 2)
    assert heartbeat(stage, epoch).member_epoch == epoch, "it is too early for another target"
    assert stage.group.assignment_epoch < stage.group.epoch
    stage.fail_over()
    list(stage.pass_time(1))
    answer = heartbeat(stage, epoch)
    assert answer.member_epoch == stage.group.epoch
    assert len(answer.assignment or ()) == 2
