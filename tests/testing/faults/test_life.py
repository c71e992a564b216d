"""When a fault is active, how it is counted, several at once, and what is refused as misuse."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import FaultNotMetError, MisuseError
from kafka_nextgen.testing import Api, Cluster, Fault
from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client
from tests.testing.broker.requests import by_name_fetch
from tests.testing.faults.committing import Committer

LOADING, NOT_COORDINATOR = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NOT_COORDINATOR


def unmet(fault: Fault) -> str:
    """End a fault that nothing met, and return what it says."""
    with pytest.raises(FaultNotMetError) as failure:
        fault.stop()
    return str(failure.value)


def test_a_fault_that_nothing_met_fails_the_test_and_says_what_came_instead(
    cluster: Cluster, client: Client, group: Committer
) -> None:
    fault = cluster.fault(Api.HEARTBEAT, error="REBALANCE_IN_PROGRESS").start()
    group.commit(5)
    client.ask(apis.METADATA, version=9, topics=[])
    group.commit(6)
    assert unmet(fault) == (
        "the fault was never met: error REBALANCE_IN_PROGRESS for Heartbeat; meanwhile the cluster received "
        "2 OffsetCommit from client 'tests', 1 Metadata from client 'tests'"
    )
    assert issubclass(FaultNotMetError, AssertionError)


def test_leaving_the_block_is_the_end_of_a_fault(cluster: Cluster) -> None:
    with pytest.raises(FaultNotMetError, match="the cluster received no requests"), cluster.fault(silent=True):
        pass


def test_it_says_which_partitions_such_requests_were_about(cluster: Cluster, group: Committer) -> None:
    fault = cluster.fault(Api.OFFSET_COMMIT, error=LOADING, topic="orders", partition=7).start()
    group.commit(5, 0)
    assert unmet(fault).endswith("requests like that were about orders[0]")


def test_it_says_how_many_matched_before_the_first_that_would_have_counted(cluster: Cluster, group: Committer) -> None:
    fault = cluster.fault(Api.OFFSET_COMMIT, error=LOADING, after=3).start()
    group.commit(5)
    assert unmet(fault).endswith("1 matched, but it applies after 3")


def test_it_says_that_answers_have_no_place_for_the_error(cluster: Cluster, client: Client) -> None:
    fault = cluster.fault(Api.METADATA, error="LEADER_NOT_AVAILABLE").start()
    client.ask(apis.METADATA, version=9, topics=[])
    assert unmet(fault).endswith("it could not happen to 1 that matched: no topic, or no place in the answer")


def test_what_the_block_raises_is_more_important_than_a_fault_that_was_not_met(cluster: Cluster) -> None:
    with pytest.raises(ZeroDivisionError), cluster.fault(Api.HEARTBEAT, error=LOADING):
        _ = 1 / 0


def test_a_fault_can_be_started_and_stopped_without_a_block(cluster: Cluster, group: Committer) -> None:
    fault = cluster.fault(Api.OFFSET_COMMIT, error=LOADING)
    assert group.commit(5) == [0]
    fault.start()
    assert group.commit(6) == [LOADING]
    fault.stop()
    assert group.commit(7) == [0]
    assert repr(fault) == "<Fault: error COORDINATOR_LOAD_IN_PROGRESS for OffsetCommit, met 1 time>"


def test_a_fault_is_used_once(cluster: Cluster, group: Committer) -> None:
    fault = cluster.fault(Api.OFFSET_COMMIT, error=LOADING)
    with pytest.raises(MisuseError, match="is not active"):
        fault.stop()
    with fault:
        group.commit(5)
    with pytest.raises(MisuseError, match="started before: create another"):
        fault.start()
    with pytest.raises(MisuseError, match="is not active"):
        fault.stop()


def test_a_fault_stopped_within_its_block_is_over(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, error=LOADING) as fault:
        group.commit(5)
        fault.stop()
        assert group.commit(6) == [0]


def test_a_cluster_must_run_when_a_fault_starts_and_may_stop_before_the_fault() -> None:
    cluster = Cluster()
    with pytest.raises(MisuseError, match="not running"):
        cluster.fault(Api.FETCH, delay_s=1).start()
    with cluster, Client(cluster.bootstrap_servers) as client:
        fault = cluster.fault(Api.METADATA, silent=True).start()
        client.send(apis.METADATA.request(topics=[]), 9)
        fault.wait_until_met()
    fault.stop()
    assert fault.met == 1


def test_waiting_for_a_fault_in_vain_says_what_came(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, error=LOADING) as fault:
        group.commit(5)
        with pytest.raises(FaultNotMetError, match=r"was met 1 of 2 times within 0\.01 s"):
            fault.wait_until_met(times=2, timeout=0.01)


# ---- several at once


def test_the_fault_that_was_started_first_applies_first_and_the_next_one_when_it_is_used_up(
    cluster: Cluster, group: Committer
) -> None:
    with (
        cluster.fault(Api.OFFSET_COMMIT, error=LOADING, times=2) as first,
        cluster.fault(Api.OFFSET_COMMIT, error=NOT_COORDINATOR, times=1) as second,
    ):
        assert [group.commit(5) for _ in range(4)] == [[LOADING], [LOADING], [NOT_COORDINATOR], [0]]
    assert (first.met, second.met) == (2, 1)


def test_errors_of_different_partitions_meet_the_same_request(cluster: Cluster, group: Committer) -> None:
    with (
        cluster.fault(Api.OFFSET_COMMIT, error=LOADING, topic="orders", partition=1),
        cluster.fault(Api.OFFSET_COMMIT, error=NOT_COORDINATOR, topic="orders") as rest,
    ):
        assert group.commit(5, 0, 1) == [NOT_COORDINATOR, LOADING]
        assert group.commit(5, 1) == [LOADING]
    assert rest.met == 1


def test_a_delay_and_an_error_meet_the_same_request(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, delay_s=60) as delay, cluster.fault(Api.OFFSET_COMMIT, error=LOADING):
        group.send(5)
        delay.wait_until_met()
        assert not group.client.has_answer(0)
        cluster.advance(60)
        assert group.receive() == [LOADING]


def test_a_later_fault_does_not_meet_a_request_that_is_dropped(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, drop="before", times=1):
        later = cluster.fault(Api.OFFSET_COMMIT, error=LOADING).start()
        group.send(5)
        assert group.client.is_hung_up()
    assert later.met == 0


@pytest.mark.parametrize("first", [{"silent": True}, {"error": LOADING}])
def test_a_later_fault_does_not_meet_a_request_that_an_earlier_one_answers_or_holds(
    cluster: Cluster, group: Committer, first: dict[str, Any]
) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, times=1, **first) as earlier:
        later = cluster.fault(Api.OFFSET_COMMIT, delay_s=60).start()
        group.send(5)
        earlier.wait_until_met()
    group.receive()
    assert later.met == 0


def test_of_two_errors_of_a_fetched_partition_the_first_counts(cluster: Cluster, client: Client) -> None:
    with (
        cluster.fault(Api.FETCH, error="NOT_LEADER_OR_FOLLOWER", topic="orders", partition=1) as first,
        cluster.fault(Api.FETCH, error="OFFSET_OUT_OF_RANGE", topic="orders") as second,
    ):
        assert fetched(client, 1) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
        assert (first.met, second.met) == (1, 0)
        assert fetched(client, 0, 1) == [ErrorCode.OFFSET_OUT_OF_RANGE, ErrorCode.NOT_LEADER_OR_FOLLOWER]


def test_a_fetch_that_is_refused_as_a_whole_meets_no_later_fault(cluster: Cluster, client: Client) -> None:
    with cluster.fault(Api.FETCH, error="NOT_LEADER_OR_FOLLOWER"):
        later = cluster.fault(Api.FETCH, throttle_s=60).start()
        assert fetched(client, 0, 1) == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2
    assert later.met == 0


def fetched(client: Client, *partitions: int) -> list[int]:
    return [each.error_code for each in by_name_fetch(client, "orders", partitions=partitions)]


def test_the_same_fault_can_not_be_active_twice(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, error=LOADING, times=1):
        with pytest.raises(MisuseError, match="the same fault is already active: error COORDINATOR_LOAD_IN_PROGRESS"):
            cluster.fault(Api.OFFSET_COMMIT, error="COORDINATOR_LOAD_IN_PROGRESS", times=5).start()
        group.commit(5)
    with cluster.fault(Api.OFFSET_COMMIT, error=LOADING):
        group.commit(5)


# ---- misuse


@pytest.mark.parametrize(
    ("api", "how", "complaint"),
    [
        (None, {}, "exactly one kind: one of error, delay_s"),
        (Api.FETCH, {"delay_s": 1, "silent": True}, "exactly one kind: not both delay_s and silent"),
        (Api.FETCH, {"silent": False}, "exactly one kind"),
        ("Fetch", {"delay_s": 1}, "a member of Api, such as Api.FETCH, not 'Fetch'"),
        (None, {"error": "NOT_COORDINATOR"}, "an error needs an API"),
        (Api.FETCH, {"error": "NONE"}, "NONE is not an error"),
        (Api.FETCH, {"error": "NOT_COORDINATR"}, "no error code NOT_COORDINATR: did you mean NOT_COORDINATOR?"),
        (Api.FETCH, {"delay_s": 0}, "delay_s must be above 0, not 0"),
        (Api.FETCH, {"throttle_s": float("inf")}, "throttle_s must be above 0, not inf"),
        (Api.SASL_HANDSHAKE, {"throttle_s": 1}, "SaslHandshake answers can't throttle a client"),
        (Api.FETCH, {"drop": "during"}, "drop must be 'before' or 'after'"),
        (Api.FETCH, {"delay_s": 1, "times": 0}, "times must be at least 1, not 0"),
        (Api.FETCH, {"delay_s": 1, "after": -1}, "after must be at least 0, not -1"),
        (Api.FETCH, {"delay_s": 1, "partition": 0}, "partition=0 needs a topic"),
        (Api.FETCH, {"delay_s": 1, "group_id": "billing"}, "Fetch requests name no groups"),
        (Api.HEARTBEAT, {"delay_s": 1, "topic": "orders"}, "Heartbeat requests name no topics"),
        (Api.METADATA, {"delay_s": 1, "topic": "orders", "partition": 0}, "Metadata requests name no partitions"),
        (Api.FETCH, {"lose_tail": 0, "topic": "orders", "partition": 0}, "lose_tail must be at least 1, not 0"),
        (Api.FETCH, {"move_leader": True}, "leader that moves needs a topic"),
        (Api.FETCH, {"lose_tail": 1, "topic": "orders"}, "lost tail of 1 records needs a partition"),
        (Api.PRODUCE, {"corrupt_offset": 0, "topic": "orders", "partition": 0}, "needs Api.FETCH, not Api.PRODUCE"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    cluster: Cluster, api: Any, how: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(MisuseError, match=complaint.replace("?", r"\?")):
        cluster.fault(api, **how)


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ({"silent": True, "node": 2}, "there is no node 2, only 1"),
        ({"recreate_topic": True, "topic": "nothing"}, "there is no topic nothing"),
        ({"lose_tail": 1, "topic": "orders", "partition": 5}, r"there is no partition orders\[5\]"),
        ({"lose_tail": 1, "topic": "__consumer_offsets", "partition": 5}, "is the broker's own"),
        ({"move_leader": True, "topic": "orders", "partition": 0}, r"orders\[0\] has no other replica in sync"),
        ({"expire_login": True}, "no listener of the cluster uses SASL"),
    ],
)
def test_what_the_cluster_lacks_is_refused_when_the_fault_starts(
    cluster: Cluster, group: Committer, how: dict[str, Any], complaint: str
) -> None:
    group.committed()  # creates the internal topic
    with pytest.raises(MisuseError, match=complaint):
        cluster.fault(**how).start()
