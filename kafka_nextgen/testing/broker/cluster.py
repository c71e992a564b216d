"""The state that all nodes of a cluster share: settings, topics, groups, transactions, leaders and coordinators.

All nodes run in one process and on one event loop. A node still answers only for the partitions and groups that it
leads and coordinates, as in a real cluster; see ``context``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kafka_nextgen.offsets_topic.extensions import CODEC
from kafka_nextgen.testing.broker.cleanup import Retention
from kafka_nextgen.testing.broker.client_quotas import Quotas, Windows
from kafka_nextgen.testing.broker.configs.state import DynamicConfigs
from kafka_nextgen.testing.broker.coordination import OFFSETS_TOPIC, Coordination
from kafka_nextgen.testing.broker.coordination.chronicle import Listener
from kafka_nextgen.testing.broker.coordination.journal import OVERRIDES
from kafka_nextgen.testing.broker.features import Features
from kafka_nextgen.testing.broker.given_numbers import ProducerIds
from kafka_nextgen.testing.broker.hashing import spread
from kafka_nextgen.testing.broker.interception import Interceptor
from kafka_nextgen.testing.broker.leadership import Leadership
from kafka_nextgen.testing.broker.node import SELECTORS, Node
from kafka_nextgen.testing.broker.reading.sessions import FetchSessions
from kafka_nextgen.testing.broker.security.access import BrokerSecurity
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.broker.storage import Storage
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.testing.broker.topics import Topics
from kafka_nextgen.testing.broker.transactions.driver import Transactions
from kafka_nextgen.testing.broker.transactions.entries import TransactionEntries
from kafka_nextgen.testing.broker.transactions.partitions import end_everywhere
from kafka_nextgen.testing.broker.transactions.transaction import Transaction
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.types import TopicPartition

__all__ = ["Cluster"]


class Cluster:
    """The state behind all nodes. ``clock`` gives seconds since the epoch and never decreases.

    ``open`` reads the state from ``storage``, which stores all changes until ``close``. Without ``security`` there are
    no logins and every client may do everything. ``listener`` gets the events of groups. ``interceptor`` is called
    before each request is handled.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        nodes: Sequence[Node],
        clock: Callable[[], float],
        storage: Storage | None = None,
        security: BrokerSecurity | None = None,
        listener: Listener | None = None,
    ) -> None:
        assert nodes
        self.security = BrokerSecurity() if security is None else security
        self.settings = settings
        self.nodes = tuple(nodes)
        self.storage = Storage() if storage is None else storage
        racks = {node.node_id: node.rack for node in nodes if node.rack is not None}
        self.topics = Topics([node.node_id for node in nodes], self.storage, racks)
        self.configs = DynamicConfigs(settings, self.storage.catalogue)
        self.features = Features(settings, self.storage.catalogue)
        self.groups = Coordination(
            settings,
            self.topics,
            self._create_offsets_topic,
            clock,
            listener,
            lambda: self.cluster_id,
            EXTENSIONS,
            CODEC,
        )
        self.transactions = Transactions(
            settings.transactional_id_expiration_ms,
            clock,
            self._write_markers,
            TransactionEntries(self.storage.catalogue),
        )
        slots = settings.max_incremental_fetch_session_cache_slots
        self.fetch_sessions = {node.node_id: FetchSessions(slots, clock) for node in nodes}
        interval_s = settings.log_retention_check_interval_ms / 1000
        self._retention = Retention(self.topics, interval_s, self.now_ms)
        self.quotas = Quotas(Windows(settings.quota_window_num, settings.quota_window_size_seconds))
        self._clock = clock
        self.producer_ids = ProducerIds(self.storage.catalogue)
        self.leadership = Leadership(self.nodes, self.topics, self._leaders_changed)
        self.interceptor: Interceptor | None = None

    def open(self) -> None:
        """Read the stored state: the catalogue, then the logs. Raises ``StorageError``."""
        self.storage.open()
        try:
            self.settings = self.configs.settings()
            self._tell_configs()
            self.security.recover(self.storage.catalogue)
            self.quotas.limits.recover(self.storage.catalogue)
            self.topics.recover(self.topic_settings)
            self.transactions.recover()
            self._retention.start()
        except BaseException:
            self.storage.close()
            raise

    def close(self) -> None:
        """Stop the timers, flush everything to the disk, and release the storage."""
        self.groups.close()
        self.transactions.close()
        self._retention.close()
        try:
            self.topics.close()
        finally:
            self.storage.close()

    @property
    def cluster_id(self) -> str:
        """The cluster id that clients receive."""
        return self.storage.catalogue.cluster_id

    @property
    def controller(self) -> Node:
        """The node that is reported to clients as the controller; in fact every node acts as one."""
        return self.leadership.living()[0]

    def now(self) -> float:
        """The time in seconds since the epoch; it never decreases."""
        return self._clock()

    def now_ms(self) -> int:
        """The time, in milliseconds since the epoch."""
        return int(self._clock() * 1000)

    def coordinator_of(self, group_id: str) -> Node | None:
        """The node that coordinates a group, whether or not the group exists; None if it is down.

        As in Kafka, this is the leader of the offsets partition to which the group id hashes.
        """
        leader = self.groups.partition_of(group_id).leader
        return None if leader is None else self.node(leader)

    def offsets_partition(self, group_id: str) -> TopicPartition:
        """The partition of the offsets topic that stores the group."""
        return TopicPartition(OFFSETS_TOPIC, self.groups.partition_of(group_id).index)

    def transaction_coordinator_of(self, transactional_id: str) -> Node:
        """The node that coordinates the transactions of a transactional id; the next running node if it is down."""
        partition = spread(transactional_id, self.settings.transaction_state_log_num_partitions)
        living = [node for node in (*self.nodes[partition % len(self.nodes) :], *self.nodes) if node.is_alive]
        return living[0]

    def node(self, node_id: int) -> Node:
        """The node with that id."""
        return next(node for node in self.nodes if node.node_id == node_id)

    def replica_to_read(self, partition: Partition, rack: str) -> int:
        """The node from which a consumer in ``rack`` (empty if it gave none) should read a partition."""
        assert partition.leader is not None
        leader_first = sorted(partition.isr, key=lambda node_id: node_id != partition.leader)
        replicas = [self.node(node_id) for node_id in leader_first]
        return SELECTORS[self.settings.replica_selector_class](rack, replicas).node_id

    def create_topic(self, name: str, num_partitions: int | None = None) -> Topic:
        """Create a topic with the broker's defaults; the caller has checked the name."""
        count = self.settings.num_partitions if num_partitions is None else num_partitions
        factor = min(self.settings.default_replication_factor, len(self.leadership.homes()))
        return self.topics.create(name, self.topics.placement(count, factor), self.topic_settings())

    def topic_settings(self, overrides: Mapping[str, str] | None = None) -> TopicSettings:
        """The settings of a topic with these overrides."""
        return TopicSettings(overrides or {}, self.settings.message_max_bytes, self.settings.log_segment_bytes)

    def configure_topic(self, name: str, overrides: Mapping[str, str]) -> None:
        """Replace the overrides of a topic."""
        topic = self.topics.named(name)
        assert topic is not None, f"{name} was looked up before"
        self.topics.configure(topic, self.topic_settings(overrides))

    def configure_broker(self, name: str, given: Mapping[str, str]) -> None:
        """Replace the dynamic settings of a node, or of all nodes if ``name`` is empty."""
        self.configs.configure_broker(name, given)
        self.settings = self.configs.settings()
        for topic in self.topics.all():
            topic.settings = self.topic_settings(topic.settings.overrides)
        self._tell_configs()

    def configure_group(self, group_id: str, given: Mapping[str, str]) -> None:
        """Replace the settings of a group, whether or not it exists."""
        self.configs.configure_group(group_id, given)
        self._tell_configs()

    def directory(self) -> TopicDirectory:
        """The current topics, by name and id."""
        return TopicDirectory.of(self.topics.images().values())

    def _write_markers(self, transaction: Transaction) -> None:
        end_everywhere(transaction, self.topics, self.groups, self.now_ms())

    def _tell_configs(self) -> None:
        self.groups.configure(self.configs.for_coordinator())

    def _leaders_changed(self) -> None:
        self.topics.store_epochs()
        self.groups.refresh()
        for node in self.nodes:
            if not node.is_alive:
                self.fetch_sessions[node.node_id].clear()

    def _create_offsets_topic(self) -> Topic:
        """Create it as Kafka does, but with one replica per node if there are fewer nodes than the factor."""
        ids = self.leadership.homes()
        factor = min(self.settings.offsets_topic_replication_factor, len(ids))
        replicas = [
            tuple(ids[(index + replica) % len(ids)] for replica in range(factor))
            for index in range(self.settings.offsets_topic_num_partitions)
        ]
        return self.topics.create(OFFSETS_TOPIC, replicas, self.topic_settings(OVERRIDES))
