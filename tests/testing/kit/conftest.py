"""The calls of a test on the embedded broker, on the same broker over the network, and on a real Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_kafka_nextgen
from kafka_nextgen import Consumer, clocks
from kafka_nextgen.testing import Clock, Cluster, KafkaCluster, RealCluster
from kafka_nextgen.testing.kit.waiting import Patience
from tests.conftest import REAL, or_skip
from tests.support.servers import Servers
from tests.support.waiting import GUARD_S


@pytest.fixture(scope="session", params=["embedded", "network", *REAL])
def cluster(request: pytest.FixtureRequest, servers: Servers) -> Iterator[KafkaCluster]:
    if request.param == "embedded":
        with Cluster(clock=Clock(), config={"group.consumer.assignment.interval.ms": 0}) as embedded:
            yield embedded
        return
    kind = "embedded" if request.param == "network" else request.param
    server = or_skip(lambda: servers.get(kind))
    with RealCluster(server.bootstrap_servers) as real:
        yield real


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer than ten seconds of real time, as a busy machine needs; turned clocks are not affected."""

    def is_over(patience: Patience) -> bool:
        return patience.timeout_s == 0 or clocks.real_monotonic() >= patience._over_at + GUARD_S

    monkeypatch.setattr(Patience, "is_over", property(is_over))


@pytest.fixture
def embedded() -> Iterator[Cluster]:
    """A cluster of its own, whose clock can be turned."""
    with Cluster(clock=Clock(), config={"group.consumer.assignment.interval.ms": 0}) as running:
        yield running


@pytest.fixture
def plugin(pytester: pytest.Pytester, imports: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have runs of pytester load the plugin by its name, whether or not it is installed with its entry point."""
    monkeypatch.setenv(
        "PYTEST_ADDOPTS",
        "-p no:kafka_nextgen -p pytest_kafka_nextgen -p no:cacheprovider -W ignore::pytest.PytestAssertRewriteWarning",
    )
    monkeypatch.setenv("PYTHONPATH", str(Path(pytest_kafka_nextgen.__file__).parents[1]))


@pytest.fixture(scope="session")
def imports() -> None:
    """Import whatever a test of an application uses: pytester forgets the modules that a run imports."""
    import aiokafka  # noqa: F401
    import confluent_kafka  # noqa: F401
    import kafka  # noqa: F401

    from kafka_nextgen.testing.kit import remote  # noqa: F401
    from kafka_nextgen.testing.real_kafka import docker, maven, place  # noqa: F401

    with Cluster(clock=Clock()) as cluster:
        cluster.produce("orders", "a")
        with cluster.transaction() as transaction:
            transaction.produce("orders", "b")
        with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="billing") as consumer:
            consumer.subscribe(["orders"])
            cluster.wait_until_stable(consumer, timeout=GUARD_S)
            consumer.commit()
            cluster.lag("billing", "orders")
            cluster.rebalances("billing")
