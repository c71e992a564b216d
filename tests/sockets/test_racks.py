"""A consumer in the rack of a follower: it reads there, and from the leader whenever that fails (KIP-392)."""

from __future__ import annotations

import pytest

from kafka_nextgen.wire.frames import RequestFrame
from tests.engine.stage import TOPIC, Stage, poll_until, read, tp, values
from tests.sockets.acts import limits_for
from tests.sockets.script import Script

LEADER, FOLLOWER = 1, 2


def racks_told(requests: list[RequestFrame]) -> list[str]:
    return [str(request.message.rack_id) for request in requests if request.message is not None]


def test_everything_is_read_from_the_replica_in_the_same_rack(script: Script, racks: Stage) -> None:
    racks.create(records=30)
    with racks.consumer(client_rack="r2") as consumer:
        consumer.subscribe([TOPIC])
        assert values(read(consumer, 30)) == list(range(30))
        racks.write(0, 10)
        assert values(read(consumer, 10)) == list(range(30, 40))
        assert consumer.lag() == {tp(): 0}
        assert racks_told(script.came("fetch", LEADER)) == ["r2"], "it is asked once, and says where to read"
    assert not script.came("list offsets", FOLLOWER)
    assert script.came("list offsets", LEADER)


def test_a_replica_that_is_preferred_is_read_until_metadata_is_old_and_then_selected_anew(
    script: Script, racks: Stage
) -> None:
    racks.create(records=10)
    with racks.consumer(client_rack="r2", metadata_max_age_ms=200) as consumer:
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: len(script.came("fetch", LEADER)) == 3)
    assert len(script.came("fetch", FOLLOWER)) >= 3


@pytest.mark.parametrize("rack", [None, "r1", "r3"])
def test_without_a_replica_in_its_rack_a_consumer_reads_from_the_leader(
    script: Script, racks: Stage, rack: str | None
) -> None:
    racks.create(records=30)
    with racks.consumer(client_rack=rack) as consumer:
        consumer.subscribe([TOPIC])
        read(consumer, 30)
    assert not script.came("fetch", FOLLOWER)


@pytest.mark.parametrize(
    "act",
    [
        "drop the connection",
        "stay silent",
        "answer half",
        "answer garbage",
        "answer error UNKNOWN_SERVER_ERROR for orders[0]",
        "answer error OFFSET_OUT_OF_RANGE for orders[0]",
        "answer error NOT_LEADER_OR_FOLLOWER for orders[0]",
        "answer error CORRUPT_MESSAGE for orders[0]",
    ],
)
def test_a_follower_that_never_serves_does_not_keep_the_consumer_from_reading(
    script: Script, racks: Stage, act: str, caplog: pytest.LogCaptureFixture
) -> None:
    racks.create(records=30)
    script.play(f"when fetch at node {FOLLOWER}, always: {act}")
    with racks.consumer(client_rack="r2", auto_offset_reset="earliest", **limits_for(act)) as consumer:
        consumer.assign([tp()])
        consumer.seek(tp(), 10)
        assert values(read(consumer, 20)) == list(range(10, 30)), "and begins nowhere else"
    assert "" in racks_told(script.came("fetch", LEADER)), "a leader that only sends us on is not told the rack"
    assert not script.came("list offsets")
    told = [message for message in caplog.messages if "preferred replica" in message]
    assert told == ["orders[0]: the preferred replica can't be read; reading from the leader for 300 s"]


def test_a_follower_that_fails_once_is_read_again(script: Script, racks: Stage) -> None:
    racks.create(records=30)
    script.play(f"when fetch at node {FOLLOWER}: answer error OFFSET_OUT_OF_RANGE for orders[0]")
    with racks.consumer(client_rack="r2") as consumer:
        consumer.subscribe([TOPIC])
        assert values(read(consumer, 30)) == list(range(30))
        assert racks_told(script.came("fetch", LEADER)) == ["r2", "r2"]
    assert len(script.came("fetch", FOLLOWER)) > 1
