"""Steps of coordinators, as they are seen in a run: requests served, replication, fail-overs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit, OffsetFetch, Request
from kafka_nextgen.testing.coordinator.responses import OffsetsFetched
from tests.verification.model.notes import Asked, Notes, Seen, Step, content_of
from tests.verification.model.seeing import group_of
from tests.verification.simulation.cluster import Cluster
from tests.verification.simulation.nodes import Node


@define(eq=False)
class _Entry:
    """An outcome that waits for replication, and who waits for its answer."""

    end: int
    group: Mapping[str, Any]
    to: Asked | None


@define(eq=False)
class _LookUp:
    """A look-up whose answer waits for so many outcomes."""

    behind: int
    found: Mapping[str, int]
    seen: Seen
    step: Step


@define(eq=False)
class Coordinators:
    """The log, as the steps have it so far."""

    notes: Notes
    _log: list[_Entry] = field(factory=list)
    _stored: Mapping[str, Any] = field(factory=dict)
    _look_ups: list[_LookUp] = field(factory=list)
    _elections: int = 1
    _leader: int | None = 0
    _deposed: int | None = None  # the node that leads no more, and still may answer

    @property
    def _group(self) -> Mapping[str, Any]:
        return self._log[-1].group if self._log else self._stored

    def waits(self, asked: Asked) -> bool:
        """Whether the answer to this waits for replication."""
        return any(each.to is asked for each in self._log)

    def catch_up(self, cluster: Cluster) -> None:
        while self._elections < len(cluster.elections):
            self._fail_over(cluster.elections[self._elections])
            self._elections += 1
            self._leader = cluster.leader
        if cluster.leading is None:
            return
        mark = cluster.high_watermark(cluster.leading)
        while self._log and self._log[0].end <= mark:
            self._stored = self._log.pop(0).group
            self.notes.note("Replicate")
            for each in self._look_ups:
                each.behind -= 1
            self._let_look_ups_leave()

    def _let_look_ups_leave(self) -> None:
        for each in self._look_ups:
            if each.behind == 0:
                self.notes.steps.append(each.step)
                each.seen.look_ups.append((each.found, each.step))
        self._look_ups = [each for each in self._look_ups if each.behind > 0]

    def _fail_over(self, begins: int) -> None:
        """Another node leads; its log ended where the election says."""
        copied = sum(each.end <= begins for each in self._log)
        self._deposed = self._leader if copied == len(self._log) else None
        self.notes.note("FailOver", copied=copied)
        for each in self._log:
            if each.to is not None:
                self.notes.seen(each.to.what["m"]).let_go(each.to)
        self._log = [_Entry(each.end, each.group, None) for each in self._log[:copied]]
        self._look_ups.clear()

    def in_force(self, cluster: Cluster, node: Node, request: Request | None, outcome: Outcome) -> None:
        if not cluster.is_led_by(node):
            self._former(node, request, outcome)
        elif isinstance(request, ConsumerGroupHeartbeat | OffsetCommit):
            self._served(node, request, outcome)
        elif isinstance(request, OffsetFetch):
            self._looked_up(request, outcome, len(self._log))
        else:
            self._timers(node)

    def _timers(self, node: Node) -> None:
        assert node.coordinator is not None, "it has just worked"
        group = group_of(node.coordinator)
        self._stored = self._stored or group
        if group == self._group:
            return
        gone = sorted(self._group["current"].keys() - group["current"].keys())
        assert gone, "no timer changes a group, but those that members are removed by"
        for member in gone:
            self.notes.note("Expire", m=member, last=member == gone[-1], group=[group])
        self._log += [_Entry(node.replica.end, group, None)] * len(gone)

    def _served(self, node: Node, request: ConsumerGroupHeartbeat | OffsetCommit, outcome: Outcome) -> None:
        assert node.coordinator is not None, "it has just worked"
        group, what = group_of(node.coordinator), content_of(request)
        news = None if group == self._group else [group]
        seen = self.notes.seen(what["m"])
        asked = next((each for each in seen.under_way() if each.served is None and each.what == what), None)
        if asked is None:
            self.notes.note("ServeLate", **what, group=news)
            _note_late([*seen.under_way(), *reversed(seen.before)], what)
            waits = news is not None
        else:
            kind = "ServeCommit" if what["commits"] else "Serve"
            asked.served = self.notes.note(kind, **what, group=news, twice=False)
            waits = bool(outcome.records) if what["commits"] else bool(self._log) or news is not None
        if waits:
            self._log.append(_Entry(node.replica.end, group, asked))

    def _looked_up(self, request: OffsetFetch, outcome: Outcome, behind: int) -> None:
        response = outcome.response
        is_told = isinstance(response, OffsetsFetched) and response.error is ErrorCode.NONE
        if not isinstance(response, OffsetsFetched) or not is_told or request.member_id is None:
            return
        found = {f"p{tp.partition}": 0 if each is None else each.offset for tp, each in response.offsets.items()}
        step: Step = {"a": "LookUps", "m": request.member_id, "found": {}}
        self._look_ups.append(_LookUp(behind, found, self.notes.seen(request.member_id), step))
        self._let_look_ups_leave()

    def _former(self, node: Node, request: Request | None, outcome: Outcome) -> None:
        """A node that leads no more has worked something out."""
        if self._deposed != node.node_id:
            return
        if outcome.records:
            self.notes.note("LearnOfTheEnd")
            self._deposed = None
        elif isinstance(request, OffsetFetch):
            self._looked_up(request, outcome, 0)
        elif isinstance(request, ConsumerGroupHeartbeat):
            asked = self.notes.seen(request.member_id).heartbeat
            if asked is not None and asked.served is None and asked.what == content_of(request):
                asked.served = self.notes.note("ServeDeposed", m=request.member_id)


def _note_late(known: list[Asked], what: Mapping[str, Any]) -> None:
    """Find the request that has come late, or for the second time: the latest that it can be."""
    for each in known:
        if each.what == what and not each.came_late:
            each.came_late = True
            if each.served is not None:
                each.served["twice"] = True
            elif each.given_up is not None:
                each.given_up["late"] = True
            return
