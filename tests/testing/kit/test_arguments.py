"""Arguments of a wrong type are refused at the call, by errors that name the argument, and nothing waits for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafka_nextgen import MisuseError
from kafka_nextgen.testing import Api, Clock, Cluster, ProducerRecord, RealCluster, SchemaRegistry

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with Cluster(clock=Clock()) as cluster:
        cluster.create_topic("orders")
        yield cluster


@pytest.fixture(scope="module")
def real(cluster: Cluster) -> Iterator[Any]:
    with RealCluster(cluster.bootstrap_servers) as real:
        yield real


WRONG_SETTINGS: dict[str, dict[str, Any]] = {
    "brokers is a whole number, not '3'": {"brokers": "3"},
    "brokers is a whole number, not True": {"brokers": True},
    "config is a mapping, not a list": {"config": ["num.partitions=3"]},
    "a key of config is text, not a int": {"config": {1: 2}},
    "users is a mapping, not a str": {"users": "alice"},
    "a password of alice is text, not a int": {"users": {"alice": 1}},
    "rules is a list of text, not a str": {"rules": "allow User:alice READ TOPIC orders"},
    "a member of rules is text, not a int": {"rules": [5]},
    "extensions is True or False, not 'no'": {"extensions": "no"},
    "history must be a function, not 5": {"history": 5},
    "clock must be a Clock": {"clock": Clock},
}


@pytest.mark.parametrize(("words", "settings"), WRONG_SETTINGS.items(), ids=WRONG_SETTINGS)
def test_settings_of_a_cluster_have_their_types(words: str, settings: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=words):
        Cluster(**settings)


FRACTION = ProducerRecord("a", partition=1.0)  # type: ignore[arg-type]

#: Calls of a cluster that is embedded or real.
WRONG_CALLS: dict[str, Callable[[Any], object]] = {
    "a topic is text, not a int": lambda cluster: cluster.create_topic(5),
    "partitions is a whole number, not '3'": lambda cluster: cluster.create_topic("payments", "3"),
    "a topic is text, not a list": lambda cluster: cluster.produce(["orders"], "a"),
    "partition is a whole number, not '0'": lambda cluster: cluster.produce("orders", "a", partition="0"),
    "partition is a whole number, not 1.0": lambda cluster: cluster.produce("orders", FRACTION),
    "headers are a mapping, or pairs of .*, not 5": lambda cluster: cluster.produce("orders", "a", headers=5),
    "headers are .*, not 'source'": lambda cluster: cluster.produce("orders", "a", headers="source"),
    r"headers are .*, not \[\('source',\)\]": lambda cluster: cluster.produce("orders", "a", headers=[("source",)]),
    "a name of a header is text, not a int": lambda cluster: cluster.produce("orders", "a", headers={1: "a"}),
    "a timestamp is .*, not 'now'": lambda cluster: cluster.produce("orders", "a", timestamp="now"),
    "a timestamp is .*, not 1.5": lambda cluster: cluster.produce("orders", "a", timestamp=1.5),
    "partition is a whole number, not 'all'": lambda cluster: cluster.records("orders", "all"),
    "a topic is text, not a NoneType": lambda cluster: cluster.records(None),
    "a group id is text, not a int": lambda cluster: cluster.committed(5),
    "a group id is text, not a list": lambda cluster: cluster.rebalances(["billing"]),
    "a transactional id is text, not a bytes": lambda cluster: cluster.transaction(b"mover").__enter__(),
    r"advance\(\) takes a number of seconds, not '45'": lambda cluster: cluster.advance("45"),
}


@pytest.mark.parametrize(("words", "call"), WRONG_CALLS.items(), ids=WRONG_CALLS)
def test_arguments_have_their_types(words: str, call: Callable[[Any], object], cluster: Any, real: Any) -> None:
    for each in (cluster, real):
        with pytest.raises(TypeError, match=words):
            call(each)
    assert cluster.records("orders") == []


#: Calls that only the embedded cluster has.
WRONG_EMBEDDED_CALLS: dict[str, Callable[[Any], object]] = {
    "a node id is a whole number, not '1'": lambda cluster: cluster.stop_node("1"),
    "a node id is a whole number, not None": lambda cluster: cluster.start_node(None),
    "a node id is a whole number, not '2'": lambda cluster: cluster.move_leader("orders", 0, "2"),
    "a node id is a whole number, not '3'": lambda cluster: cluster.move_coordinator("billing", "3"),
    "partition is a whole number, not '0'": lambda cluster: cluster.leader_of("orders", "0"),
    "a group id is text, not a NoneType": lambda cluster: cluster.coordinator_of(None),
    "level is a whole number, not '1'": lambda cluster: cluster.set_group_version("1"),
    "consumer_byte_rate is a number, not '1k'": lambda cluster: cluster.set_quota(
        "consumer_byte_rate", "1k", user="alice"
    ),
    "a user is text, not a int": lambda cluster: cluster.set_quota("consumer_byte_rate", 1, user=5),
    "delay_s is a number, not '1'": lambda cluster: cluster.fault(Api.FETCH, delay_s="1"),
    "silent is True or False, not 'no'": lambda cluster: cluster.fault(silent="no"),
    "lose_tail is a whole number, not '1'": lambda cluster: cluster.fault(lose_tail="1", topic="orders", partition=0),
    "times is a whole number, not 1.5": lambda cluster: cluster.fault(Api.FETCH, drop="before", times=1.5),
    "node is a whole number, not '1'": lambda cluster: cluster.fault(Api.FETCH, drop="before", node="1"),
    "a topic is text, not a int": lambda cluster: cluster.fault(Api.FETCH, drop="before", topic=5),
    "a client_id is text, not a int": lambda cluster: cluster.fault(Api.FETCH, drop="before", client_id=5),
    "timeout is a number of seconds, not '1'": lambda cluster: cluster.fault(silent=True).wait_until_met(timeout="1"),
}


@pytest.mark.parametrize(("words", "call"), WRONG_EMBEDDED_CALLS.items(), ids=WRONG_EMBEDDED_CALLS)
def test_so_have_those_of_nodes_quotas_and_faults(words: str, call: Callable[[Any], object], cluster: Any) -> None:
    with pytest.raises(TypeError, match=words):
        call(cluster)


def test_a_topic_has_no_more_partitions_than_can_be_made_soon(cluster: Any) -> None:
    for partitions in (0, 10_001, 1_000_000_000):
        with pytest.raises(MisuseError, match="topic payments needs 1 to 10,000 partitions, not "):
            cluster.create_topic("payments", partitions)


def test_no_partition_is_below_0(cluster: Any) -> None:
    with pytest.raises(ValueError, match="partition must be 0 or more, not -1"):
        cluster.records("orders", -1)
    with pytest.raises(MisuseError, match="partition must be at least 0, not -1"):
        cluster.fault(Api.FETCH, drop="before", topic="orders", partition=-1)


def test_settings_of_a_real_cluster_have_their_types() -> None:
    servers: Any = ["localhost:9092"]
    with pytest.raises(TypeError, match="a list of bootstrap servers is text, not a list"):
        RealCluster(servers)
    with pytest.raises(TypeError, match="config is a mapping, not a str"):
        RealCluster("localhost:9092", "client.id=a")  # type: ignore[arg-type]


async def test_a_real_cluster_does_not_block_an_event_loop(real: Any) -> None:
    with pytest.raises(MisuseError, match=r"advance\(\) blocks this thread's event loop"):
        real.advance(1)


def test_a_real_cluster_does_not_wait_for_ever(cluster: Any, real: Any) -> None:
    with pytest.raises(ValueError, match="0 seconds or more, not inf"):
        real.advance(float("inf"))
    with RealCluster(cluster.bootstrap_servers) as closed:
        closed.close()
        with pytest.raises(MisuseError, match="this RealCluster is closed"):
            closed.advance(1000)


WRONG_CALLS_OF_A_REGISTRY: dict[str, Callable[[Any], object]] = {
    "a subject is text, not a int": lambda registry: registry.register(5, "{}"),
    "a schema is text, not a dict": lambda registry: registry.register("orders-value", {"type": "string"}),
    "a schema id is a whole number, not '1'": lambda registry: registry.guid_of("1"),
    "status is a whole number, not '503'": lambda registry: registry.fail("503"),
    "a body of an answer is text, not a dict": lambda registry: registry.fail(503, {"error": 1}),
    "times is a whole number, not '2'": lambda registry: registry.fail(times="2"),
    "delay is a number of seconds, not '1'": lambda registry: registry.delay("1"),
    "count is a whole number, not None": lambda registry: registry.wait_for_requests(None),
    "timeout_s is a number of seconds, not '1'": lambda registry: registry.wait_for_requests(1, "1"),
}


@pytest.mark.parametrize(("words", "call"), WRONG_CALLS_OF_A_REGISTRY.items(), ids=WRONG_CALLS_OF_A_REGISTRY)
def test_arguments_of_a_schema_registry_have_their_types(words: str, call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=words):
        call(SchemaRegistry())


@pytest.mark.parametrize("wrong", [{"status": 7}, {"status": 600}, {"times": 0}])
def test_an_answer_of_a_registry_is_one_of_http(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"status must be between 200 and 599|times must be at least 1"):
        SchemaRegistry().fail(**wrong)


def test_a_cluster_that_was_left_or_never_entered_can_be_left() -> None:
    cluster = Cluster()
    cluster.__exit__(None, None, None)
    with cluster:
        pass
    cluster.__exit__(None, None, None)


def test_arguments_of_fixtures_have_their_types(plugin: None, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_it(kafka_topic, kafka_topic_factory, kafka_consumer, kafka_records, kafka_cluster_factory):
            def refused(words, call, error=TypeError):
                with pytest.raises(error, match=words):
                    call()

            refused("a topic is text, not a int", lambda: kafka_topic_factory(5))
            refused("partitions is a whole number, not '3'", lambda: kafka_topic_factory("orders", "3"))
            refused("topic names of type str, not 5", lambda: kafka_consumer(5))
            refused("count is a whole number, not '3'", lambda: kafka_records(kafka_topic, "3"))
            refused("count is 0 or more, not -1", lambda: kafka_records(kafka_topic, -1), ValueError)
            refused("timeout is a number of seconds", lambda: kafka_records(kafka_topic, 1, "10"))
            refused("config is a mapping, not a str", lambda: kafka_cluster_factory(config="num.partitions=3"))
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
