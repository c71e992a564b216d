"""Real Apache Kafka as a world: nothing can be seen of it but its answers, and its time is everybody's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, DeleteGroups
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import FindCoordinatorRequest
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client
from tests.testing.broker.configs import GROUP, SET, alter, describe
from tests.verification.scenario_language import Player
from tests.verification.scenario_language.world import Heard, PatientQuestion, Question
from tests.verification.scenario_language.worlds import RAW
from tests.verification.worlds.socket_world import SocketWorld

_INTERVAL = "consumer.assignment.interval.ms"
_PROBE = "probe"
_TAKEN_MS = range(6_000, 1_800_001)  # group.min.session.timeout.ms to group.max.session.timeout.ms


class KafkaWorld(SocketWorld):
    """One scenario, in a group and with topics of its own. Targets are made at once, as in the other worlds."""

    def __init__(self, client: Client, connect: Callable[[], Client]) -> None:
        super().__init__(client, connect)
        self._has_begun = False
        eventually("the group has a coordinator", lambda: _has_coordinator(client, self.group))
        if _set_interval(client, self.group):
            eventually("targets are made at once", lambda: _interval(client, self.group) == "0")

    def make_topic(self, name: str, partitions: int) -> TopicId:
        """Create a topic, and wait until the group's coordinator knows of it, which may be after the broker does."""
        topic_id = super().make_topic(name, partitions)
        if not self.raw.known:
            eventually(f"the coordinator assigns {name}", lambda: self._probe(name) == partitions)
        if not self._has_begun:
            super().ask(DeleteGroups((self.group,)))  # nobody is to know of the probe
        return topic_id

    def ask(self, question: Question) -> Heard:
        self._has_begun = True
        return super().ask(question)

    def put(self, name: str, question: PatientQuestion) -> None:
        self._has_begun = True
        super().put(name, _with_a_long_session(question))

    def _probe(self, topic: str) -> int:
        """Join and leave; how many partitions that brought."""
        join = ConsumerGroupHeartbeat(
            self.group, _PROBE, 0, rebalance_timeout_ms=10_000, subscribed_topics=frozenset({topic}), owned=frozenset()
        )
        answer = super().ask(join).answer
        super().ask(ConsumerGroupHeartbeat(self.group, _PROBE, -1))
        assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
        return len(answer.assignment or ())


def _with_a_long_session(question: PatientQuestion) -> PatientQuestion:
    """Let no session end because the machine is busy. One that the broker refuses is left as it is."""
    if not isinstance(question, JoinGroup) or question.session_timeout_ms not in _TAKEN_MS:
        return question
    return evolve(question, session_timeout_ms=round(1000 * GUARD_S))


def _has_coordinator(client: Client, group: str) -> bool:
    """Ask for it, which is what makes a fresh cluster create the topic that coordinators keep their groups in."""
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=[group])
    return bool(client.ask(apis.FIND_COORDINATOR, request).coordinators[0].error_code == ErrorCode.NONE)


def _set_interval(client: Client, group: str) -> bool:
    """Make the group's assignment interval 0 (KIP-1263). Releases before Kafka 4.3 have none."""
    said, why = alter(client, GROUP, group, (_INTERVAL, SET, "0"))
    assert said in ("NONE", "INVALID_CONFIG"), why
    return said == "NONE"


def _interval(client: Client, group: str) -> str | None:
    return describe(client, GROUP, group)[_INTERVAL].value


@contextmanager
def kafka_player(bootstrap_servers: str) -> Iterator[Player[SocketWorld]]:
    """A world of its own on a broker that others use, too."""
    with Client(bootstrap_servers) as client:
        world = KafkaWorld(client, lambda: Client(bootstrap_servers))
        yield Player(world, RAW)
        world.conversation.close()
