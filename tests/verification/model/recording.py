"""A run of the simulator as steps of the model, by their names: what ``docs/proof/model/Trace.tla`` reads.

It is written by looking on, as the judge of the run, who is told of requests, outcomes, answers and callbacks. What is
not told is looked at: after each event of the run, and before anything else is noted.

| step of the model | what it is in the simulator |
|---|---|
| Send, SendLeave, LeaveAtOnce | a member wants a heartbeat sent |
| Serve, ServeCommit, ServeLate | the leader has worked a request out, and put the outcome into force |
| Replicate | the high watermark has passed an outcome: its answer may leave |
| Hear | a member is told an answer; one that says to look elsewhere, or later, is the loss of the heartbeat |
| Join, Begin, Revoked, Assigned, GiveUpAll | a member is in another status, or at another step of a reconciliation |
| Commit | the offsets' machine has another request under way |
| LookUp | the answer of an OffsetFetch could leave, if it is heard at all |
| HandOut | a record was handed out |
| Expire | timers have run out |
| FailOver | another node leads; the outcomes that it has stay |
| ServeDeposed, LearnOfTheEnd | a node that leads no more answers, or appends what will never be replicated |
| GiveUpHeartbeat, GiveUpCommit, LoseCommitAnswer | a request or its answer was lost |
| RepeatHeartbeat, RepeatCommit | a request was served for the first time, and will be again |
| Is | no step: what a member is by now |

Three things are known only later, and are filled in then: whether a lost request arrives yet, whether it was served
twice, and whether the answer of a look-up was heard.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.failures import HEARTBEAT_ACTIONS
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.requests import Request
from kafka_nextgen.types import TopicPartition
from tests.verification.model.coordinators import Coordinators
from tests.verification.model.notes import Asked, Notes, Seen, Step, commit_of, heartbeat_of
from tests.verification.model.seeing import IN_GROUP, Stage, owned_of, partitions_of, stage_of
from tests.verification.simulation.checking.judge import Judge
from tests.verification.simulation.clients import Client
from tests.verification.simulation.member_effects import Callback
from tests.verification.simulation.nodes import Node


def _costs_the_place(code: int) -> bool:
    return HEARTBEAT_ACTIONS.get(code, ErrorAction.FAIL) in (ErrorAction.RESET_EPOCH, ErrorAction.FAIL)


@define(eq=False)
class Recorder(Judge):
    """The judge of a run, who writes its steps down. The run goes on whatever it finds."""

    notes: Notes = field(factory=Notes)
    found: list[str] = field(factory=list)
    coordinators: Coordinators = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.coordinators = Coordinators(self.notes)

    def _find(self, what: Iterable[str]) -> None:
        self.found.extend(what)

    def in_force(self, node: Node, request: Request | None, outcome: Outcome) -> None:
        self._look()
        assert self.cluster is not None, "the run has begun"
        self.coordinators.in_force(self.cluster, node, request, outcome)
        super().in_force(node, request, outcome)

    def wanted(self, client: Client, effect: object) -> None:
        self._look()
        if isinstance(effect, fx.SendHeartbeat):
            self._sends(client.name, effect)
        super().wanted(client, effect)

    def _sends(self, name: str, effect: fx.SendHeartbeat) -> None:
        assert not effect.subscribed_pattern, "the model has no patterns"
        seen = self.notes.seen(name)
        what = heartbeat_of(name, effect.member_epoch, effect.owned, effect.full)
        if effect.member_epoch >= 0:
            self.notes.note("Send", **what)
        else:
            self.notes.note("LeaveAtOnce" if seen.stage.status == "JOINING" else "SendLeave", m=name)
            seen.stage = Stage("LEAVING")
            if seen.heartbeat is not None:
                seen.let_go(seen.heartbeat)
        seen.heartbeat = Asked(what, effect.number)

    def heard(self, client: Client, request: object, answer: object) -> None:
        self._look()
        seen = self.notes.seen(client.name)
        if isinstance(request, fx.SendHeartbeat) and seen.heartbeat and seen.heartbeat.number == request.number:
            self._hears(client.name, seen, answer)
        super().heard(client, request, answer)

    def _hears(self, name: str, seen: Seen, answer: object) -> None:
        if isinstance(answer, ev.HeartbeatAnswered):
            assignment = None if answer.assignment is None else [partitions_of(answer.assignment)]
            self.notes.note("Hear", m=name, well=True, epoch=answer.member_epoch, assignment=assignment)
            seen.stage = {"JOINING": Stage("RECONCILING"), "LEAVING": Stage("OUT")}.get(seen.stage.status, seen.stage)
        elif isinstance(answer, ev.HeartbeatRefused) and _costs_the_place(answer.code):
            self.notes.note("Hear", m=name, well=False)
            seen.stage = Stage("OUT" if seen.stage.status in ("PREPARE_LEAVING", "LEAVING") else "FENCED")
        else:
            self._give_up_heartbeat(name, seen)
            return
        assert seen.heartbeat is not None, "it is answered"
        seen.let_go(seen.heartbeat)

    def _give_up_heartbeat(self, name: str, seen: Seen) -> None:
        assert seen.heartbeat is not None, "it is under way"
        seen.heartbeat.given_up = self.notes.note("GiveUpHeartbeat", m=name, late=False)
        seen.let_go(seen.heartbeat)

    def called_back(self, client: Client, callback: Callback, failed: bool) -> None:
        self._look()
        super().called_back(client, callback, failed)

    def begins_at(self, client: Client, partition: TopicPartition, offset: int) -> None:
        name = f"p{partition.partition}"
        looked_up = [step for found, step in self.notes.seen(client.name).look_ups if found.get(name) == offset]
        step = looked_up[-1] if looked_up else self.notes.note("LookUps", m=client.name, found={})
        step["found"][name] = offset
        super().begins_at(client, partition, offset)

    def handed_out(self, client: Client, partition: TopicPartition, first: int, end: int) -> None:
        self._look()
        for offset in range(first, end):
            self.notes.note("HandOut", m=client.name, p=f"p{partition.partition}", offset=offset)
        super().handed_out(client, partition, first, end)

    def _look(self) -> None:
        assert self.cluster is not None, "the run has begun"
        self.coordinators.catch_up(self.cluster)
        for client in self.clients.values():
            seen = self.notes.seen(client.name)
            if not seen.is_over:
                self._progress(client.name, seen, stage_of(client.member.state))

    def _progress(self, name: str, seen: Seen, now: Stage) -> None:
        before, seen.stage = seen.stage, now
        if before.status in IN_GROUP and now.status in ("PREPARE_LEAVING", "LEAVING", "OUT"):
            self.notes.note("GiveUpAll", m=name)
            before = Stage("PREPARE_LEAVING")
        if before.status == "LEAVING" and now.status != "LEAVING":
            if seen.heartbeat is not None:
                self._give_up_heartbeat(name, seen)
            before = Stage("OUT")
        if before.status in ("PREPARE_LEAVING", "JOINING") and now.status == "LEAVING":
            seen.stage = before  # until the leave is told
        elif before.status in ("PREPARE_LEAVING", "JOINING") and now.status == "OUT":
            seen.is_over = True  # closed without a word
        elif before.status in ("OUT", "FENCED") and now.status == "JOINING":
            self.notes.note("Join", m=name)
        elif before.step != now.step and before.status in IN_GROUP and now.status in IN_GROUP:
            self.notes.note({"REVOKING": "Revoked", "ASSIGNING": "Assigned"}.get(before.step, "Begin"), m=name)

    def event_is_over(self) -> None:
        self._look()
        for client in self.clients.values():
            seen = self.notes.seen(client.name)
            if not seen.is_over:
                self._commits(client, seen)
                self._is(client, seen)

    def _commits(self, client: Client, seen: Seen) -> None:
        under_way = client.offsets.state.commit_requests
        for asked in [each for each in seen.commits if each.number not in under_way]:
            if asked.served is None:
                asked.given_up = self.notes.note("GiveUpCommit", **asked.what, late=False)
            elif self.coordinators.waits(asked):
                self.notes.note("LoseCommitAnswer", **asked.what)
            seen.let_go(asked)
        for number, request in under_way.items():
            if number > seen.last_commit:
                what = commit_of(client.name, request.member_epoch, request.offsets)
                self.notes.note("Commit", **what)
                seen.commits.append(Asked(what, number))
        seen.last_commit = max([seen.last_commit, *under_way])

    def _is(self, client: Client, seen: Seen) -> None:
        state = client.member.state
        what: Step = {
            "m": client.name,
            "status": seen.stage.status,
            "epoch": state.member_epoch,
            "owned": owned_of(state),
            "working": partitions_of(self.watches[client.name].working_on),
            "begins": seen.stage.step == "ASSIGNING",
        }
        if what != seen.told:
            self.notes.note("Is", **what)
            seen.told = what
