"""A leader that lacks records a consumer has read: it is noticed, told, and never read past in silence (KIP-320)."""

from __future__ import annotations

import pytest

from kafka_nextgen import Consumer, LogTruncationError, OffsetAndMetadata, Record
from kafka_nextgen.wire.apis import OFFSET_FOR_LEADER_EPOCH
from tests.engine.stage import TOPIC, Stage, poll_until, read, tp, values
from tests.sockets.acts import limits_for
from tests.sockets.script import Script


def places(records: list[Record]) -> list[tuple[int, int]]:
    return [(record.offset, record.leader_epoch) for record in records]


def read_thirty(stage: Stage, **config: object) -> Consumer:
    """Give a consumer that has read offsets 0 to 29, in front of a log that has others from 20 on, up to 34."""
    stage.create(records=30)
    consumer = stage.consumer(**config)
    consumer.subscribe([TOPIC])
    read(consumer, 30)
    stage.lose(0, keep=20)
    stage.write(0, 15)
    return consumer


REPLACED = [(offset, 1) for offset in range(20, 35)]


@pytest.mark.parametrize("reset", ["earliest", "latest"])
def test_what_took_the_place_of_lost_records_is_read(
    stage: Stage, reset: str, caplog: pytest.LogCaptureFixture
) -> None:
    stage.create(records=30)
    with stage.consumer(auto_offset_reset="earliest") as consumer:
        consumer.subscribe([TOPIC])
        read(consumer, 30)
        consumer.commit()
    stage.lose(0, keep=20)
    stage.write(0, 15)
    with stage.consumer(auto_offset_reset=reset) as consumer:
        consumer.subscribe([TOPIC])
        assert places(read(consumer, 15)) == REPLACED, "whatever the reset: it is known where to go on"
    told = [message for message in caplog.messages if "truncated" in message]
    assert told == [
        "orders[0]: the log was truncated: the records read up to offset 30 differ from the log from offset 20 on;"
        " continuing there"
    ]


def test_a_consumer_that_goes_on_reading_notices_the_election(stage: Stage, script: Script) -> None:
    with read_thirty(stage) as consumer:
        assert places(read(consumer, 15)) == REPLACED
        assert consumer.position(tp()) == 35
        (truncation,) = consumer.health().truncations
        assert (truncation.partition, truncation.position.offset) == (tp(), 30)
        assert truncation.diverging is not None
        assert truncation.diverging.offset == 20
        assert consumer.health().problem is None, "it was read on"
    assert len(script.came("epoch end")) == 1


def test_a_log_that_lost_its_end_without_an_election_is_noticed_by_the_fetch(stage: Stage, script: Script) -> None:
    stage.create(records=30)
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        read(consumer, 30)
        assert not script.came("epoch end")
        stage.lose(0, keep=20, elects=False)
        poll_until(consumer, lambda: consumer.position(tp()) == 20)
        stage.write(0, 10)
        assert values(read(consumer, 10)) == list(range(20, 30))


@pytest.mark.parametrize("config", [{"auto_offset_reset": "none"}, {"offset_reset_strict": True}])
def test_where_no_reset_is_allowed_poll_raises_until_somebody_seeks(stage: Stage, config: dict[str, object]) -> None:
    stage.create(records=30)
    with stage.consumer(**config) as consumer:
        consumer.assign([tp()])
        consumer.seek(tp(), 0)
        read(consumer, 30)
        stage.lose(0, keep=20)
        stage.write(0, 15)
        for _ in range(2):
            with pytest.raises(LogTruncationError, match=r"orders\[0\]: the log was truncated") as caught:
                poll_until(consumer, lambda: False)
            assert caught.value.position == OffsetAndMetadata(30, 0)
            assert caught.value.diverging == OffsetAndMetadata(20, 0)
            assert consumer.position(tp()) == 30
        consumer.seek(tp(), caught.value.diverging)
        assert places(read(consumer, 15)) == REPLACED


def test_an_epoch_that_no_leader_knows_is_reset(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.create(records=30)
    with stage.consumer() as consumer:
        consumer.assign([tp()])
        consumer.seek(tp(), OffsetAndMetadata(10, leader_epoch=7))
        assert values(read(consumer, 30)) == list(range(30))
    assert any("up to offset 10 (leader epoch 7) are unknown to its leader" in message for message in caplog.messages)


@pytest.mark.parametrize(
    "act",
    [
        "answer error FENCED_LEADER_EPOCH",
        "answer error NOT_LEADER_OR_FOLLOWER",
        "answer error UNKNOWN_LEADER_EPOCH",
        "answer error UNKNOWN_SERVER_ERROR",
        "answer nonsense",
        "answer garbage",
        "drop the connection",
        "stay silent",
    ],
)
def test_whoever_is_asked_is_asked_again_until_it_tells(script: Script, stage: Stage, act: str) -> None:
    script.play(f"when epoch end, 2 times: {act}")
    with read_thirty(stage, **limits_for(act)) as consumer:
        assert places(read(consumer, 15)) == REPLACED
    assert len(script.came("epoch end")) == 3


def test_a_broker_that_cannot_be_asked_is_believed_by_offsets_alone(stage: Stage) -> None:
    stage.handle(OFFSET_FOR_LEADER_EPOCH, None)
    stage.create(records=30)
    with stage.consumer() as consumer:
        consumer.assign([tp()])
        consumer.seek(tp(), OffsetAndMetadata(10, leader_epoch=0))
        assert values(read(consumer, 20)) == list(range(10, 30))


def test_nothing_is_read_twice_when_a_leader_moves_and_nothing_was_lost(script: Script, racks: Stage) -> None:
    racks.create(records=30)
    with racks.consumer() as consumer:
        consumer.subscribe([TOPIC])
        assert values(read(consumer, 30)) == list(range(30))
        for node in (2, 1, 2):
            racks.cluster.move_leader(TOPIC, 0, node)
            racks.write(0, 10)
            read(consumer, 10)
        assert consumer.position(tp()) == 60
    assert [len(script.came("epoch end", node)) for node in (1, 2)] == [1, 2]
