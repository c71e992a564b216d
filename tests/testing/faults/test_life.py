"""When a fault is active, how it is counted, and several at once."""

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
    assert unmet(fault).endswith("such requests were for orders[0]")


def test_it_says_how_many_matched_before_the_first_that_would_have_counted(cluster: Cluster, group: Committer) -> None:
    fault = cluster.fault(Api.OFFSET_COMMIT, error=LOADING, after=3).start()
    group.commit(5)
    assert unmet(fault).endswith("1 matched, but it applies after 3")


def test_it_says_that_answers_have_no_place_for_the_error(cluster: Cluster, client: Client) -> None:
    fault = cluster.fault(Api.METADATA, error="LEADER_NOT_AVAILABLE").start()
    client.ask(apis.METADATA, version=9, topics=[])
    assert unmet(fault).endswith("1 matched, but it could not apply: no topic, or no error field")


def test_what_the_block_raises_is_more_important_than_a_fault_that_was_not_met(
    cluster: Cluster, group: Committer
) -> None:
    with pytest.raises(ZeroDivisionError), cluster.fault(Api.OFFSET_COMMIT, error=LOADING):
        _ = 1 / 0
    assert group.commit(5) == [0]


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
        with pytest.raises(FaultNotMetError, match=r"affected 1 of 2 times within 0\.01 s"):
            fault.wait_until_met(times=2, timeout=0.01)


async def test_waiting_for_a_fault_does_not_block_an_event_loop(cluster: Cluster, group: Committer) -> None:
    with cluster.fault(Api.OFFSET_COMMIT, error=LOADING) as fault:
        group.commit(5)
        with pytest.raises(MisuseError, match=r"await cluster\.wait_until_async\(lambda: fault\.met >= 1\)"):
            fault.wait_until_met()


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


def test_a_later_fault_meets_a_request_whose_answer_is_dropped(cluster: Cluster, group: Committer) -> None:
    with (
        cluster.fault(Api.OFFSET_COMMIT, drop="after", times=1),
        cluster.fault(Api.OFFSET_COMMIT, error=LOADING) as later,
    ):
        group.send(5)
        assert group.client.is_hung_up()
    assert (later.met, cluster.committed("billing")) == (1, {})


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
