"""Drives the machine of a member's local assignors: its requests, the computation, and reports to the application.

The machine (``membership.assigning``) decides when this member computes its group's assignment. It runs alongside the
member's own machine; they do not depend on or wait for each other. Everything runs on the I/O thread, except the
assignors.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen import clocks
from kafka_nextgen.assignors.spec import PartitionAssignorError
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.local_assignors import LocalAssignors
from kafka_nextgen.engine.settings import assigning_settings
from kafka_nextgen.errors import BrokerError, DecodeError, TransportError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.membership.assigning.machine import AssigningMachine
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.requests.extensions import consumer_group_install_assignment as install
from kafka_nextgen.requests.extensions import consumer_group_prepare_assignment as prepare
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.transport.waiting import Timer
from kafka_nextgen.wire.apis import CONSUMER_GROUP_INSTALL_ASSIGNMENT, CONSUMER_GROUP_PREPARE_ASSIGNMENT, Answer, Api
from kafka_nextgen.wire.messages import ConsumerGroupInstallAssignmentResponse, ConsumerGroupPrepareAssignmentResponse
from kafka_nextgen.wire.schema import Message

__all__ = ["AssignorDriver", "AssignorRequests"]

logger = logger_of("kafka_nextgen.member")


@frozen
class AssignorRequests:
    """Sends the requests of a member that computes its group's assignment, and converts the outcomes to events."""

    cluster: ClusterClient
    group_id: str

    async def send(self, effect: fx.SendPrepare | fx.SendInstall) -> ev.Prepared | ev.Installed | ev.Refused | ev.Lost:
        """Send a request, and wait for the answer until the deadline.

        An answer that can't be decoded counts as lost, like a request whose authentication failed.
        """
        try:
            if isinstance(effect, fx.SendPrepare):
                return await self._prepare(effect)
            return await self._install(effect)
        except BrokerError as refused:  # raised before it was sent
            return ev.Refused(effect.number, refused.code, str(refused))
        except (TransportError, DecodeError) as lost:
            logger.warning("group %s: a request for client-side assignment failed; retrying: %s", self.group_id, lost)
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
        timeout_s = clocks.seconds_until(deadline)
        return await self.cluster.call(Coordinator(self.group_id), api, lambda _: message, timeout_s)


class AssignorDriver:
    """Drives the assignors of one member. ``on_installed`` is called when a target computed here takes effect."""

    def __init__(self, own: LocalAssignors, context: DriverContext, on_installed: Callable[[], None]) -> None:
        settings = assigning_settings(context.config)
        self._machine = AssigningMachine(settings)
        self._own = own
        self._on_installed = on_installed
        self._cluster = context.cluster
        self._tasks = context.tasks
        self._group_id = settings.group_id
        self._requests = AssignorRequests(context.cluster, settings.group_id)
        self._causes: dict[int, BaseException] = {}  # exceptions, by number of the computation
        self._timer = Timer(lambda: self.feed(ev.TimePassed()))
        self._stopped = False

    def feed(self, event: ev.AssigningEvent) -> None:
        """Feed an event to the machine and carry out the effects."""
        if self._stopped:
            return
        failure = self._machine.state.failure
        effects = self._machine.handle(event, clocks.monotonic(), random.random())
        logger.debug("%s: %s -> %s", self._group_id, event, effects)
        if failure is not None and self._machine.state.failure is None:
            self._own.trouble = None
        for effect in effects:
            self.carry_out[type(effect)](self, effect)
        self._timer.set(None if self._stopped else self._machine.deadline())

    def stop(self) -> None:
        """Ignore all further events."""
        self._stopped = True
        self._timer.set(None)

    async def _exchange(self, effect: fx.SendPrepare | fx.SendInstall) -> None:
        try:
            event = await self._requests.send(effect)
        except Exception as bug:  # the task reports it; the machine must not wait forever
            self.feed(ev.Lost(effect.number, describe_error(bug)))
            raise
        self.feed(event)

    def _compute(self, effect: fx.Compute) -> None:
        members, topics = len(effect.spec.members), len(effect.spec.topics)
        text = "group %s: this member computes the assignment of %d members and %d topics with %s"
        logger.info(text, self._group_id, members, topics, effect.assignor)
        self._tasks.start(self._run(effect))

    async def _run(self, effect: fx.Compute) -> None:
        try:
            assignment = await self._own.compute(effect.assignor, effect.spec)
        except PartitionAssignorError as failed:
            self._causes[effect.number] = failed.__cause__ or failed
            self.feed(ev.ComputationFailed(effect.number, str(failed)))
            self._causes.clear()
        except Exception as bug:  # the task reports it; the machine must not wait forever
            self.feed(ev.ComputationFailed(effect.number, describe_error(bug)))
            raise
        else:
            self.feed(ev.Computed(effect.number, assignment))

    def _tell_failure(self, effect: fx.TellFailure) -> None:
        cause = None if effect.computation is None else self._causes.get(effect.computation)
        self._own.tell_failure(effect.why, effect.assignor, cause)

    # An effect that is missing from this table fails when it first occurs.
    carry_out: Mapping[type, Callable[[Any, Any], None]] = {
        fx.SendPrepare: lambda self, effect: self._tasks.start(self._exchange(effect)),
        fx.SendInstall: lambda self, effect: self._tasks.start(self._exchange(effect)),
        fx.Compute: _compute,
        fx.TellInstalled: lambda self, _: self._on_installed(),
        fx.CallOnAssignment: lambda self, effect: self._own.call_on_assignment(
            effect.assignor, effect.error, effect.assignment, effect.group
        ),
        fx.TellFailure: _tell_failure,
        FindCoordinator: lambda self, _: self._cluster.forget_coordinator(self._group_id),
    }
