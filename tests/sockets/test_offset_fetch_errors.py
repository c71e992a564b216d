"""Every error code of OffsetFetch, met by a real consumer on real sockets: no code makes it begin anywhere else.

``membership.offsets`` has the table. A group has committed offset 5; whatever the coordinator answers first to a member
that asks where to begin, the first record it gets is that one, or it gets none and ``poll`` says why.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen import BrokerError, Consumer, GroupAuthorizationError, UnsupportedProtocolError
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.offsets.rules import RULES
from tests.engine.stage import TOPIC, Stage, poll_until, read, tp, values
from tests.sockets.script import Script

COORDINATOR_MOVED = [ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.REQUEST_TIMED_OUT]
PASSING = [*COORDINATOR_MOVED, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.UNSTABLE_OFFSET_COMMIT]
TOPIC_UNKNOWN = [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID]
STALE = ErrorCode.STALE_MEMBER_EPOCH

RAISED: dict[ErrorCode, type[BrokerError]] = {
    ErrorCode.GROUP_AUTHORIZATION_FAILED: GroupAuthorizationError,
    ErrorCode.GROUP_ID_NOT_FOUND: BrokerError,
    ErrorCode.INVALID_REQUEST: BrokerError,
    ErrorCode.UNSUPPORTED_VERSION: UnsupportedProtocolError,
    ErrorCode.UNKNOWN_SERVER_ERROR: BrokerError,
}

by_name = {"ids": lambda code: code.name}


@pytest.fixture(params=["earliest", "latest"])
def consumer(request: pytest.FixtureRequest, script: Script, stage: Stage) -> Iterator[Consumer]:
    """Yield a consumer of a group that has committed offset 5 of 10; it asks for that as soon as it subscribes."""
    stage.create(records=10)
    with stage.consumer() as before:
        before.subscribe([TOPIC])
        read(before, 10)
        before.commit({tp(): 5})
    with stage.consumer(auto_offset_reset=request.param) as consumer:
        yield consumer


def test_every_code_of_the_table_is_in_a_row_here() -> None:
    assert set(RULES.fetch) == {*PASSING, *TOPIC_UNKNOWN, STALE}


@pytest.mark.parametrize("code", PASSING, **by_name)
def test_what_passes_is_asked_again(script: Script, consumer: Consumer, code: ErrorCode) -> None:
    looked_up = len(script.came("find coordinator"))
    script.play(f"when offset fetch, 3 times: answer error {code.name}")
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    assert script.is_done
    lookups = len(script.came("find coordinator")) - looked_up
    assert (lookups > 1) is (code in COORDINATOR_MOVED)


@pytest.mark.parametrize("code", TOPIC_UNKNOWN, **by_name)
def test_a_partition_unknown_for_a_moment_is_asked_for_again(
    script: Script, consumer: Consumer, code: ErrorCode
) -> None:
    script.play(f"when offset fetch, 2 times: answer error {code.name} for orders[0]")
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    script.play(f"when offset fetch: answer error {code.name} for orders[0]")
    assert consumer.committed([tp()]) == {tp(): None}, "whoever asks is told what is known now"


@pytest.mark.parametrize("code", RAISED, **by_name)
def test_what_does_not_pass_reaches_poll_and_nothing_is_read_from_elsewhere(
    script: Script, consumer: Consumer, code: ErrorCode
) -> None:
    script.play(f"when offset fetch, always: answer error {code.name}")
    consumer.subscribe([TOPIC])
    for _ in range(2):
        with pytest.raises(RAISED[code], match=rf"group billing: committed offset of orders\[0\].*{code.name}"):
            assert poll_until(consumer, lambda: False) == []
    script.stop()
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]


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


@pytest.mark.parametrize("code", RAISED, **by_name)
def test_committed_raises_it_once(script: Script, consumer: Consumer, code: ErrorCode) -> None:
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    script.play(f"when offset fetch: answer error {code.name}")
    with pytest.raises(RAISED[code], match=code.name):
        consumer.committed([tp()])
    assert consumer.committed([tp()])[tp()] is not None


def test_an_epoch_that_is_over_never_causes_a_reset(script: Script, stage: Stage, consumer: Consumer) -> None:
    stage.cluster.create_topic("audit", 1)
    script.play(f"when offset fetch, always: answer error {STALE.name}")
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
    script.play(f"when offset fetch, always: answer error {STALE.name}")
    consumer.subscribe([TOPIC])
    assert poll_until(consumer, lambda: bool(script.acted_on)) == []
    assert list(consumer.poll(timeout=0.3)) == []
    assert consumer.assignment() == {tp()}


def test_an_epoch_that_was_called_stale_although_it_is_not_delays_reading_by_a_pause(
    script: Script, consumer: Consumer
) -> None:
    script.play(f"when offset fetch, 2 times: answer error {STALE.name}")
    consumer.subscribe([TOPIC])
    assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    assert script.is_done
