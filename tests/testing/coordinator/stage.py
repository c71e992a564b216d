"""The coordinator that tests and walks are played on: the one scenarios have."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from tests.verification.scenario_language.host import CoordinatorHost
from tests.verification.scenario_language.world import GROUP as GROUP

JOIN = ConsumerGroupHeartbeat(
    GROUP, "A", 0, rebalance_timeout_ms=1000, subscribed_topics=frozenset({"foo"}), owned=frozenset()
)


class Stage(CoordinatorHost):
    def hear(self, heartbeat: ConsumerGroupHeartbeat) -> ConsumerGroupHeartbeatAnswer:
        answer = self.ask(heartbeat).response
        assert isinstance(answer, ConsumerGroupHeartbeatAnswer)
        return answer

    def join(self, member_id: str, **more: Any) -> ConsumerGroupHeartbeatAnswer:
        return self.hear(evolve(JOIN, member_id=member_id, **more))
