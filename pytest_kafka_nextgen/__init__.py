"""A plugin for pytest: fixtures with a Kafka cluster. It is found by its entry point, so no test has to import it.

The cluster is an embedded broker by default. ``--kafka=docker``, ``--kafka=maven`` and ``--kafka=host:port`` run the
same tests on a real Kafka. See ``docs/guides/testing-your-application.md``.

pytest imports this module in every project in whose environment kafka-nextgen is installed. It is therefore outside of
that package, and imports it only in fixtures. With pytest-xdist, each worker has an embedded cluster of its own, or the
controller starts one real Kafka for all of them as soon as the first test needs it.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from pytest_kafka_nextgen.places import EMBEDDED, broker_config, place_of, start, where_of

if TYPE_CHECKING:
    from kafka_nextgen import Consumer
    from kafka_nextgen.testing import Cluster, KafkaCluster, RecordList
    from pytest_kafka_nextgen.sharing import Controller

__all__ = [
    "kafka_bootstrap_servers",
    "kafka_client_config",
    "kafka_cluster",
    "kafka_cluster_factory",
    "kafka_consumer",
    "kafka_group",
    "kafka_records",
    "kafka_topic",
    "kafka_topic_factory",
]

_CONTROLLER = "kafka_nextgen_controller"  # in the input of a worker of pytest-xdist
_LONGEST_NAME = 60

_controller: pytest.StashKey[Controller] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the option and the settings."""
    group = parser.getgroup("kafka", "Kafka (kafka-nextgen)")
    group.addoption(
        "--kafka",
        metavar="WHERE",
        help="where tests with the fixture kafka_cluster run: embedded (the default), docker or maven, each with a "
        "version if need be (embedded:4.0, docker:4.3.0), or host:port of a Kafka that is running",
    )
    parser.addini("kafka", "the default of --kafka", default=EMBEDDED)
    parser.addini("kafka_config", "settings of the broker: key=value, one a line", type="linelist", default=[])
    _keep_asserts_of_the_library(pluginmanager)


def _keep_asserts_of_the_library(pluginmanager: pytest.PytestPluginManager) -> None:
    """Have pytest import kafka_nextgen as it is.

    pytest rewrites the asserts of all packages that come with a plugin. For a library that would only take time: its
    modules would be compiled once more, and in each run where pytest can't write files beside them.
    """
    marked = getattr(getattr(pluginmanager, "rewrite_hook", None), "_must_rewrite", None)
    if isinstance(marked, set):
        marked.difference_update({"kafka_nextgen", "pyspark_kafka_nextgen"})


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a wrong ``--kafka`` before any test runs."""
    if where_of(config) != EMBEDDED:
        place_of(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say where the tests run, unless that is the default."""
    where = where_of(config)
    return None if where == EMBEDDED else f"kafka: {where}"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist whom to ask for a real Kafka."""
    place = place_of(node.config) if where_of(node.config) != EMBEDDED else None
    if place is None or place.is_embedded:
        return
    from pytest_kafka_nextgen.sharing import Controller

    if _controller not in node.config.stash:
        node.config.stash[_controller] = Controller(lambda: start(node.config))
    node.workerinput[_CONTROLLER] = node.config.stash[_controller].place


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started for the workers."""
    if _controller in config.stash:
        config.stash[_controller].close()


@pytest.fixture(scope="session")
def kafka_client_config() -> Mapping[str, object]:
    """Return settings of all clients, for TLS and SASL; none unless a ``conftest.py`` overrides this fixture."""
    return {}


@pytest.fixture(scope="session")
def kafka_cluster(request: pytest.FixtureRequest, kafka_client_config: Mapping[str, object]) -> Iterator[KafkaCluster]:
    """Return the Kafka cluster of this session: an embedded one whose time tests can advance, or that of ``--kafka``.

    Tests share it, so they should use the names of ``kafka_topic`` and ``kafka_group``. To give each test a cluster of
    its own, override this fixture with ``kafka_cluster_factory``.
    """
    with ExitStack() as stack:
        yield _open(request.config, kafka_client_config, stack)


def _open(config: pytest.Config, client_config: Mapping[str, object], stack: ExitStack) -> KafkaCluster:
    from kafka_nextgen.testing import RealCluster
    from kafka_nextgen.testing.real_kafka.place import QUICK_GROUPS

    place = place_of(config)
    if place.is_embedded:
        return stack.enter_context(_embedded({**QUICK_GROUPS, **broker_config(config)}, profile=place.version))
    return stack.enter_context(RealCluster(_address(config, stack), client_config))


def _address(config: pytest.Config, stack: ExitStack) -> str:
    controller: tuple[str, int, str] | None = getattr(config, "workerinput", {}).get(_CONTROLLER)
    if controller is not None:
        from pytest_kafka_nextgen.sharing import ask

        try:
            return ask(controller)
        except OSError as error:
            raise pytest.UsageError(str(error)) from None
    running = start(config)
    stack.callback(running.stop)
    return running.bootstrap_servers


def _embedded(config: Mapping[str, object], **more: Any) -> Cluster:
    from kafka_nextgen.testing import Clock, Cluster

    return Cluster(config=config, **{"clock": Clock(), **more})


@pytest.fixture
def kafka_cluster_factory(request: pytest.FixtureRequest) -> Iterator[Callable[..., Cluster]]:
    """Return a function that starts an embedded cluster for this test alone, whatever ``--kafka`` says.

    It takes the arguments of ``Cluster``: ``kafka_cluster_factory(brokers=3, config={...})``.
    """
    with ExitStack() as stack:

        def start_one(brokers: int = 1, config: Mapping[str, object] | None = None, **more: Any) -> Cluster:
            from kafka_nextgen.testing.arguments import mapping
            from kafka_nextgen.testing.real_kafka.place import QUICK_GROUPS

            settings = {**QUICK_GROUPS, **broker_config(request.config), **mapping("config", config or {})}
            return stack.enter_context(_embedded(settings, brokers=brokers, **more))

        yield start_one


@pytest.fixture
def kafka_bootstrap_servers(kafka_cluster: KafkaCluster) -> str:
    """Return the ``bootstrap.servers`` of the cluster, for any client."""
    return kafka_cluster.bootstrap_servers


@pytest.fixture
def kafka_topic_factory(request: pytest.FixtureRequest, kafka_cluster: KafkaCluster) -> Callable[..., str]:
    """Return a function that creates a topic with a new name, and returns the name.

    ``kafka_topic_factory("orders", partitions=6)``: the name begins with ``orders``, by default with the test's name.
    """

    def create(prefix: str | None = None, partitions: int = 1) -> str:
        from kafka_nextgen.testing.arguments import text

        name = _new_name(request, None if prefix is None else text("topic", prefix))
        kafka_cluster.create_topic(name, partitions)
        return name

    return create


@pytest.fixture
def kafka_topic(kafka_topic_factory: Callable[..., str]) -> str:
    """Return the name of a new topic of one partition."""
    return kafka_topic_factory()


@pytest.fixture
def kafka_group(request: pytest.FixtureRequest) -> str:
    """Return a new group id, the one that ``kafka_consumer`` uses."""
    return _new_name(request, None)


def _new_name(request: pytest.FixtureRequest, prefix: str | None) -> str:
    """A unique name, also on a cluster that other runs share."""
    own = getattr(request.node, "originalname", None) or request.node.name  # a doctest has only ``name``
    name = own if prefix is None else prefix
    return f"{re.sub('[^a-zA-Z0-9._-]', '-', name)[:_LONGEST_NAME]}-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def kafka_consumer(
    kafka_cluster: KafkaCluster, kafka_group: str, kafka_client_config: Mapping[str, object]
) -> Iterator[Callable[..., Consumer[Any, Any]]]:
    """Return a function that creates a ``Consumer``, which is closed after the test.

    ``kafka_consumer(topic, value_deserializer=json.loads)`` subscribes to the topics, if there are any. The consumer is
    in the group ``kafka_group`` and starts at the earliest record, unless its settings say otherwise.
    """
    with ExitStack() as stack:

        def create(*topics: str, **settings: object) -> Consumer[Any, Any]:
            from kafka_nextgen import Consumer

            usual = {"group_id": kafka_group, "auto_offset_reset": "earliest"}
            places = {"bootstrap_servers": kafka_cluster.bootstrap_servers}
            consumer: Consumer[Any, Any] = Consumer(_merged(usual, kafka_client_config, places, settings))
            stack.enter_context(consumer)
            if topics:
                consumer.subscribe(list(topics))
            return consumer

        yield create


def _merged(*configs: Mapping[str, object]) -> dict[str, object]:
    """The settings of all, the last one first; keys have dots or underscores."""
    return {key.replace(".", "_"): value for config in configs for key, value in config.items()}


@pytest.fixture
def kafka_records(kafka_cluster: KafkaCluster) -> Callable[..., RecordList]:
    """Return a function that waits until a topic has records, and returns all of them.

    ``kafka_records(topic, 3)`` waits for three records, at most ``timeout`` seconds.
    """

    def read(topic: str, count: int = 1, timeout: float = 10.0) -> RecordList:
        from kafka_nextgen.testing.arguments import whole_number

        if whole_number("count", count) < 0:
            raise ValueError(f"count is 0 or more, not {count}")

        def has_come() -> RecordList:
            records = kafka_cluster.records(topic)
            assert len(records) >= count, f"{topic} has {len(records)} records, not {count}"
            return records

        return kafka_cluster.wait_until(has_come, timeout) if count else kafka_cluster.records(topic)

    return read
