"""The two requests of a member that computes its group's assignment: sent, and whatever comes of each made an event."""

from __future__ import annotations

import time

from attrs import frozen

from kafka_nextgen.bridge.extensions import consumer_group_install_assignment as install
from kafka_nextgen.bridge.extensions import consumer_group_prepare_assignment as prepare
from kafka_nextgen.errors import AuthenticationError, BrokerError, DecodeError, OutageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.wire.apis import CONSUMER_GROUP_INSTALL_ASSIGNMENT, CONSUMER_GROUP_PREPARE_ASSIGNMENT, Answer, Api
from kafka_nextgen.wire.messages import ConsumerGroupInstallAssignmentResponse, ConsumerGroupPrepareAssignmentResponse
from kafka_nextgen.wire.schema import Message

__all__ = ["AssigningRequests"]

logger = logger_of("kafka_nextgen.member")


@frozen
class AssigningRequests:
    """Asks the coordinator of one group, wherever that is."""

    cluster: ClusterClient
    group_id: str

    async def send(self, effect: fx.SendPrepare | fx.SendInstall) -> ev.Prepared | ev.Installed | ev.Refused | ev.Lost:
        """Send this and wait for its answer as long as it says. An answer that can't be read is one that got lost."""
        try:
            if isinstance(effect, fx.SendPrepare):
                return await self._prepare(effect)
            return await self._install(effect)
        except (BrokerError, AuthenticationError) as refused:  # before it was even sent
            return ev.Refused(effect.number, refused.code, str(refused))
        except (OutageError, DecodeError) as lost:
            logger.warning("group %s: computing its assignment: %s", self.group_id, lost)
            return ev.Lost(effect.number, str(lost))

    async def _prepare(self, effect: fx.SendPrepare) -> ev.Prepared | ev.Refused:
        message = prepare.to_request(effect, self.group_id)
        answer = await self._call(CONSUMER_GROUP_PREPARE_ASSIGNMENT, message, effect.deadline)
        assert isinstance(answer, ConsumerGroupPrepareAssignmentResponse)
        return prepare.to_event(effect.number, answer)

    async def _install(self, effect: fx.SendInstall) -> ev.Installed | ev.Refused:
        message = install.to_request(effect, self.group_id)
        answer = await self._call(CONSUMER_GROUP_INSTALL_ASSIGNMENT, message, effect.deadline)
        assert isinstance(answer, ConsumerGroupInstallAssignmentResponse)
        return install.to_event(effect.number, answer)

    async def _call(self, api: Api, message: Message, deadline: float) -> Answer:
        timeout_s = max(0.0, deadline - time.monotonic())
        return await self.cluster.call(Coordinator(self.group_id), api, lambda _: message, timeout_s)
