"""Drives the machine of a member's own assignors: its requests, the computation, and what the application is told.

The machine (``membership.assigning``) decides when this member computes its group's assignment. It is driven beside the
member's own, which neither knows of it nor waits for it. Everything here runs on the I/O thread, but for the assignors.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen.assignors.spec import PartitionAssignorError
from kafka_nextgen.engine.member.assigning_requests import AssigningRequests
from kafka_nextgen.engine.member.own_assignors import OwnAssignors
from kafka_nextgen.engine.member.surroundings import Surroundings
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.membership.assigning.machine import AssigningMachine
from kafka_nextgen.membership.assigning.settings import AssigningSettings
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.text import told
from kafka_nextgen.transport.timers import Timer

__all__ = ["AssigningDriver"]

logger = logger_of("kafka_nextgen.member")


class AssigningDriver:
    """The assignors of one member, for as long as it is driven.

    ``on_installed`` is told of a target that was made here and is in force.
    """

    on_installed: Callable[[], None]

    def __init__(self, settings: AssigningSettings, own: OwnAssignors, surroundings: Surroundings) -> None:
        self._machine = AssigningMachine(settings)
        self._own = own
        self._cluster = surroundings.cluster
        self._tasks = surroundings.tasks
        self._group_id = settings.group_id
        self._requests = AssigningRequests(surroundings.cluster, settings.group_id)
        self._causes: dict[int, BaseException] = {}  # what was raised, by computation
        self._timer = Timer(lambda: self.feed(ev.TimePassed()))
        self._stopped = False

    def feed(self, event: ev.AssigningEvent) -> None:
        """Tell the machine what happened and carry out what it answers."""
        if self._stopped:
            return
        failure = self._machine.state.failure
        effects = self._machine.handle(event, time.monotonic(), random.random())
        logger.debug("%s: %s -> %s", self._group_id, event, effects)
        if failure is not None and self._machine.state.failure is None:
            self._own.trouble = None
        for effect in effects:
            self.carry_out[type(effect)](self, effect)
        self._timer.set(None if self._stopped else self._machine.deadline())

    def stop(self) -> None:
        """Feed nothing any more."""
        self._stopped = True
        self._timer.set(None)

    def _send(self, effect: fx.SendPrepare | fx.SendInstall) -> None:
        self._tasks.start(self._exchange(effect))

    async def _exchange(self, effect: fx.SendPrepare | fx.SendInstall) -> None:
        try:
            event = await self._requests.send(effect)
        except Exception as bug:  # the application is told; the machine does not wait for ever
            self.feed(ev.Lost(effect.number, told(bug)))
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
        except Exception as bug:  # the application is told; the machine does not wait for ever
            self.feed(ev.ComputationFailed(effect.number, told(bug)))
            raise
        else:
            self.feed(ev.Computed(effect.number, assignment))

    def _call_on_assignment(self, effect: fx.CallOnAssignment) -> None:
        self._own.call_on_assignment(effect.assignor, effect.error, effect.assignment, effect.group)

    def _tell_installed(self, _effect: fx.TellInstalled) -> None:
        self.on_installed()

    def _tell_failure(self, effect: fx.TellFailure) -> None:
        cause = None if effect.computation is None else self._causes.get(effect.computation)
        self._own.tell_failure(effect.why, effect.assignor, cause)

    def _find_coordinator(self, _effect: FindCoordinator) -> None:
        self._cluster.forget_coordinator(self._group_id)

    # each effect, and the method that does it; a new effect without a method fails the first time it comes
    carry_out: Mapping[type, Callable[[Any, Any], None]] = {
        fx.SendPrepare: _send,
        fx.SendInstall: _send,
        fx.Compute: _compute,
        fx.TellInstalled: _tell_installed,
        fx.CallOnAssignment: _call_on_assignment,
        fx.TellFailure: _tell_failure,
        FindCoordinator: _find_coordinator,
    }
