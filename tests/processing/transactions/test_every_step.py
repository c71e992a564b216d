"""Each result exactly once on the embedded broker, whatever fails or dies at whichever step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.processing.transactions.producers import AbortNeededError, OffsetsRefusedError, ProducerLostError
from kafka_nextgen.testing import Clock, Cluster
from tests.processing.group import BROKER
from tests.processing.transactions.faulty import MAKERS, STEPS, Death, Plan, Worker
from tests.support.clients import unique

RECORDS, PARTITIONS, SESSION_S = 40, 4, 10
FAILURES: dict[str, BaseException] = {
    "refused": OffsetsRefusedError(ValueError("ILLEGAL_GENERATION")),
    "abort needed": AbortNeededError(ValueError("timed out")),
    "lost": ProducerLostError(ValueError("fenced")),
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    session_ms = SESSION_S * 1000
    config = {
        **BROKER,
        "group.consumer.min.session.timeout.ms": session_ms,
        "group.consumer.session.timeout.ms": session_ms,
    }
    with Cluster(clock=Clock(), config=config) as cluster:
        yield cluster


@pytest.fixture(params=sorted(MAKERS))
def worker(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[Worker]:
    source, group = unique("orders"), unique("billing")
    target = f"{source}-copied"
    cluster.create_topic(source, partitions=PARTITIONS)
    cluster.create_topic(target)
    for partition in range(PARTITIONS):
        numbers = range(partition, RECORDS, PARTITIONS)
        cluster.produce(source, [str(number) for number in numbers], partition=partition)
    servers = cluster.bootstrap_servers
    worker = Worker(servers, group, source, target, request.param, lambda: cluster.lag(group, source) == 0)
    yield worker
    worker.close()


def assert_each_was_written_once(cluster: Cluster, worker: Worker) -> None:
    assert cluster.lag(worker.group, worker.source) == 0
    written = sorted(int(record.value) for record in cluster.records(worker.target))
    assert written == list(range(RECORDS))


@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_worker_that_dies_at_any_step_is_followed_by_another(
    cluster: Cluster, worker: Worker, step: str, is_before: bool
) -> None:
    plan = Plan(step, is_before, Death())
    worker.run(plan)
    assert plan.is_dead
    cluster.clock.advance(SESSION_S)
    worker.run()
    assert_each_was_written_once(cluster, worker)


@pytest.mark.parametrize(
    "worker", ["confluent-kafka", pytest.param("kafka-python", marks=pytest.mark.whole)], indirect=True
)
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_failure_at_any_step_is_survived(
    cluster: Cluster, worker: Worker, step: str, is_before: bool, failure: str
) -> None:
    plan = Plan(step, is_before, FAILURES[failure])
    worker.run(plan)
    assert plan.is_met
    assert_each_was_written_once(cluster, worker)


def test_under_another_name_the_next_worker_waits_until_the_open_transaction_has_expired(
    cluster: Cluster, worker: Worker
) -> None:
    worker.run(Plan("send_offsets", is_before=False, error=Death()))
    cluster.clock.advance(60)  # transaction.timeout.ms
    worker.run(name="billing-2")
    assert_each_was_written_once(cluster, worker)
