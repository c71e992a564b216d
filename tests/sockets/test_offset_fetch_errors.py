"""Errors of OffsetFetch, met by a real consumer on real sockets: none makes it begin anywhere else.

``tests/scenarios/test_arrows.py`` holds that a scenario meets every code. A group has committed offset 5; whatever
the coordinator answers first to a member that asks where to begin, the first record it gets is that one, or it gets
none and ``poll`` says why.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen import BrokerError, Consumer, GroupAuthorizationError
from tests.engine.stage import TOPIC, Stage, poll_until, read, tp, values
from tests.sockets.script import Script

STALE = "STALE_MEMBER_EPOCH"


@pytest.fixture
def consumer(script: Script, stage: Stage) -> Iterator[Consumer]:
    """Yield a consumer of a group that has committed offset 5 of 10; it asks for that as soon as it subscribes."""
    stage.create(records=10)
    with stage.consumer() as before:
        before.subscribe([TOPIC])
        read(before, 10)
        before.commit({tp(): 5})
    with stage.consumer() as consumer:
        yield consumer


@pytest.mark.parametrize(("code", "has_moved"), [("NOT_COORDINATOR", True), ("UNSTABLE_OFFSET_COMMIT", False)])
def test_what_passes_is_asked_again(script: Script, consumer: Consumer, code: str, has_moved: bool) -> None:
    looked_up = len(script.came("find coordinator"))
    script.play(f"when offset fetch, 3 times: answer error {code}")
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    assert script.is_done
    assert (len(script.came("find coordinator")) - looked_up > 1) is has_moved


def test_a_partition_unknown_for_a_moment_is_asked_for_again(script: Script, consumer: Consumer) -> None:
    script.play("when offset fetch, 2 times: answer error UNKNOWN_TOPIC_ID for orders[0]")
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    script.play("when offset fetch: answer error UNKNOWN_TOPIC_ID for orders[0]")
    assert consumer.committed([tp()]) == {tp(): None}, "whoever asks is told what is known now"


@pytest.mark.parametrize(
    ("code", "kind"), [("GROUP_AUTHORIZATION_FAILED", GroupAuthorizationError), ("INVALID_REQUEST", BrokerError)]
)
def test_what_does_not_pass_reaches_poll_and_nothing_is_read_from_elsewhere(
    script: Script, consumer: Consumer, code: str, kind: type[BrokerError]
) -> None:
    script.play(f"when offset fetch, always: answer error {code}")
    consumer.subscribe([TOPIC])
    for _ in range(2):
        with pytest.raises(kind, match=rf"group billing: committed offset of orders\[0\].*{code}"):
            assert poll_until(consumer, lambda: False) == []
    script.stop()
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    script.play(f"when offset fetch: answer error {code}")
    with pytest.raises(kind, match=code):
        consumer.committed([tp()])
    assert consumer.committed([tp()])[tp()] is not None, "that is raised once"


def test_a_member_that_was_thrown_out_hears_it_from_its_heartbeat_not_from_poll(
    script: Script, consumer: Consumer
) -> None:
    script.play("""
        when offset fetch, 2 times: answer error UNKNOWN_MEMBER_ID
        when heartbeat: answer error UNKNOWN_MEMBER_ID
    """)
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    assert script.is_done
    script.play("when offset fetch: answer error UNKNOWN_MEMBER_ID")
    with pytest.raises(BrokerError, match="UNKNOWN_MEMBER_ID"):
        consumer.committed([tp()])


def test_an_epoch_that_is_over_never_causes_a_reset(script: Script, stage: Stage, consumer: Consumer) -> None:
    stage.cluster.create_topic("audit", 1)
    script.play(f"when offset fetch, always: answer error {STALE}")
    consumer.subscribe([TOPIC])
    assert poll_until(consumer, lambda: bool(script.acted_on)) == []
    for topics in ([TOPIC, "audit"], [TOPIC], [TOPIC, "audit"]):
        epoch = asked_with(script)[-1]
        consumer.subscribe(topics)
        # not at the next question: one about "audit" with the same epoch may come late
        assert poll_until(consumer, lambda at=epoch: asked_with(script)[-1] > at) == []  # type: ignore[misc]
    script.stop()
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    epochs = asked_with(script)
    assert epochs == sorted(epochs)
    assert len(set(epochs)) >= 4


def asked_with(script: Script) -> list[int]:
    """The member epochs that refused questions for offsets came with, in their order."""
    return [request.message.groups[0].member_epoch for request in script.acted_on if request.message is not None]


def test_an_epoch_that_stays_stale_hands_out_nothing(script: Script, consumer: Consumer) -> None:
    script.play(f"when offset fetch, always: answer error {STALE}")
    consumer.subscribe([TOPIC])
    assert poll_until(consumer, lambda: len(script.acted_on) > 3) == []
    assert consumer.assignment() == {tp()}


def test_an_epoch_that_was_called_stale_although_it_is_not_delays_reading_by_a_pause(
    script: Script, consumer: Consumer
) -> None:
    script.play(f"when offset fetch, 2 times: answer error {STALE}")
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    assert script.is_done
