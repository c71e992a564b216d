"""Real Apache Kafka as a world: nothing can be seen of it but its answers, and its time is everybody's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.scenarios import Player
from kafka_nextgen.scenarios.worlds import RAW
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import DescribeConfigsRequest, FindCoordinatorRequest, IncrementalAlterConfigsRequest
from tests.broker.client import Client
from tests.support.waiting import eventually
from tests.worlds.socket_world import SocketWorld

__all__ = ["KafkaWorld", "kafka_player"]

_GROUP = 32  # ConfigResource.Type.GROUP
_SET = 0  # AlterConfigOp.OpType.SET
_INTERVAL = "consumer.assignment.interval.ms"
_PROBE = "probe"


class KafkaWorld(SocketWorld):
    """One scenario, in a group and with topics of its own. Targets are made at once, as in the other worlds."""

    def __init__(self, client: Client, connect: Callable[[], Client]) -> None:
        super().__init__(client, connect)
        eventually("the group has a coordinator", lambda: _has_coordinator(client, self.group))
        if _set_interval(client, self.group):
            eventually("targets are made at once", lambda: _interval(client, self.group) == "0")

    def make_topic(self, name: str, partitions: int) -> TopicId:
        """Create a topic, and wait until the group's coordinator knows of it, which may be after the broker does."""
        topic_id = super().make_topic(name, partitions)
        if not self.raw.known:
            eventually(f"the coordinator assigns {name}", lambda: self._probe(name) == partitions)
        return topic_id

    def _probe(self, topic: str) -> int:
        """Join and leave; how many partitions that brought."""
        join = ConsumerGroupHeartbeat(
            self.group, _PROBE, 0, rebalance_timeout_ms=10_000, subscribed_topics=frozenset({topic}), owned=frozenset()
        )
        answer = self.ask(join).answer
        self.ask(ConsumerGroupHeartbeat(self.group, _PROBE, -1))
        assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
        return len(answer.assignment or ())


def _has_coordinator(client: Client, group: str) -> bool:
    """Ask for it, which is what makes a fresh cluster create the topic that coordinators keep their groups in."""
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=[group])
    return bool(client.ask(apis.FIND_COORDINATOR, request).coordinators[0].error_code == ErrorCode.NONE)


def _set_interval(client: Client, group: str) -> bool:
    """Make the group's assignment interval 0 (KIP-1263). Releases before Kafka 4.3 have none."""
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=_GROUP,
        resource_name=group,
        configs=[
            IncrementalAlterConfigsRequest.AlterConfigsResource.AlterableConfig(
                name=_INTERVAL, config_operation=_SET, value="0"
            )
        ],
    )
    request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
    code = client.ask(apis.INCREMENTAL_ALTER_CONFIGS, request).responses[0].error_code
    assert code in (ErrorCode.NONE, ErrorCode.INVALID_CONFIG, ErrorCode.INVALID_REQUEST), code
    return bool(code == ErrorCode.NONE)


def _interval(client: Client, group: str) -> str | None:
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=_GROUP, resource_name=group, configuration_keys=[_INTERVAL]
    )
    configs = client.ask(apis.DESCRIBE_CONFIGS, DescribeConfigsRequest(resources=[resource])).results[0].configs
    return configs[0].value if configs else None


@contextmanager
def kafka_player(bootstrap_servers: str) -> Iterator[Player[SocketWorld]]:
    """A world of its own on a broker that others use, too."""
    with Client(bootstrap_servers) as client:
        world = KafkaWorld(client, lambda: Client(bootstrap_servers))
        yield Player(world, RAW)
        world.conversation.close()
