"""A run of the simulator as steps of the model, by their names: what ``docs/model/Trace.tla`` reads.

It is written by looking on, as the judge of the run, who is told of requests, outcomes, answers and callbacks. What is
not told is looked at: after each event of the run, and before anything else is noted.

| step of the model | what it is in the simulator |
|---|---|
| Send, SendLeave, LeaveAtOnce | a member wants a heartbeat sent |
| Serve, ServeCommit, ServeLate | the leader has worked a request out, and put the outcome into force |
| Replicate | the high watermark has passed an outcome: its answer may leave |
| Hear | a member is told an answer; one that says to look elsewhere, or later, is the loss of the heartbeat |
| Join, Begin, Revoked, Assigned, GiveUpAll | a member has come to another status, or to another step of a reconciliation |
| Commit | the offsets' machine has another request under way |
| LookUp | the answer of an OffsetFetch could leave, if it is heard at all |
| HandOut | a record was handed out |
| Expire | timers have run out |
| FailOver | another node leads; the outcomes that it has stay |
| ServeDeposed, LearnOfTheEnd | a node that leads no more answers, or appends what will never be replicated |
| GiveUpHeartbeat, GiveUpCommit, Repeat | a request was lost; it is late, or came twice, if it is served after that |
| Is | no step: what a member is by now |

Three things are known only later, and are filled in then: whether a lost request arrives yet, whether it was served
twice, and whether the answer of a look-up was heard.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from kafka_nextgen.coordinator.coordinator import Outcome
from kafka_nextgen.coordinator.offset_requests import OffsetCommit, OffsetFetch
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat, Request
from kafka_nextgen.coordinator.responses import OffsetsFetched
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.failures import Reaction, reaction_to
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.model.seeing import IN_GROUP, PARTITIONS, Stage, group_of, owned_of, partitions_of, stage_of
from tests.simulation.checkers import Judge
from tests.simulation.clients import Callback, Client
from tests.simulation.nodes import Node

__all__ = ["Recorder", "Step"]

Step = dict[str, Any]

_UNSAID = -1
_COSTS_THE_PLACE = (Reaction.REJOIN, Reaction.FAIL)


@define(eq=False)
class _Asked:
    """A request of a member, for as long as it may be served, and what was noted of it."""

    what: Mapping[str, Any]
    number: int
    served: Step | None = None
    given_up: Step | None = None


@define(eq=False)
class _Seen:
    """A member as the steps have it so far."""

    stage: Stage = Stage("OUT")
    heartbeat: _Asked | None = None
    commits: list[_Asked] = field(factory=list)
    before: list[_Asked] = field(factory=list)  # requests that no one waits for any more
    look_ups: list[tuple[Mapping[str, int], Step]] = field(factory=list)
    last_commit: int = 0
    is_over: bool = False
    last: Step | None = None  # what it was told to be


@define(eq=False)
class _Entry:
    """An outcome that waits for replication, and who waits for its answer."""

    end: int
    group: Mapping[str, Any]
    to: _Asked | None


@define(eq=False)
class _LookUp:
    """A look-up whose answer waits for so many outcomes."""

    behind: int
    found: Mapping[str, int]
    seen: _Seen
    step: Step


@define(eq=False)
class Recorder(Judge):
    """The judge of a run, who writes its steps down."""

    steps: list[Step] = field(factory=list)
    _seen_of: dict[str, _Seen] = field(factory=dict)
    _log: list[_Entry] = field(factory=list)
    _stored: Mapping[str, Any] = field(factory=dict)
    _look_ups: list[_LookUp] = field(factory=list)
    _elections: int = 1
    _leader: int | None = 0
    _deposed: int | None = None  # the node that leads no more, and still may answer

    def _note(self, action: str, **what: object) -> Step:
        step = {"a": action, **what}
        self.steps.append(step)
        return step

    @property
    def names(self) -> list[str]:
        """The members that took part."""
        return sorted(self._seen_of)

    def _seen(self, name: str) -> _Seen:
        return self._seen_of.setdefault(name, _Seen())

    # ---- the log

    def _catch_up(self) -> None:
        """Note what has happened to the log."""
        cluster = self.cluster
        assert cluster is not None, "the run has begun"
        while self._elections < len(cluster.elections):
            self._fail_over(cluster.elections[self._elections])
            self._elections += 1
            self._leader = cluster.leader
        leading = cluster.leading
        if leading is None:
            return
        mark = cluster.high_watermark(leading)
        while self._log and self._log[0].end <= mark:
            self._stored = self._log.pop(0).group
            self._note("Replicate")
            for each in self._look_ups:
                each.behind -= 1
            self._let_look_ups_leave()

    def _let_look_ups_leave(self) -> None:
        for each in self._look_ups:
            if each.behind == 0:
                self.steps.append(each.step)
                each.seen.look_ups.append((each.found, each.step))
        self._look_ups = [each for each in self._look_ups if each.behind > 0]

    def _fail_over(self, begins: int) -> None:
        assert self.cluster is not None, "the run has begun"
        copied = sum(each.end <= begins for each in self._log)
        self._deposed = self._leader if copied == len(self._log) else None
        self._note("FailOver", copied=copied)
        for each in self._log:
            if each.to is not None:
                self._let_go(each.to)
        self._log = [_Entry(each.end, each.group, None) for each in self._log[:copied]]
        self._look_ups.clear()

    def _let_go(self, asked: _Asked) -> None:
        """No one waits for this any more."""
        seen = self._seen(asked.what["m"])
        if seen.heartbeat is asked:
            seen.heartbeat = None
        elif asked in seen.commits:
            seen.commits.remove(asked)
        seen.before.append(asked)

    @property
    def _group(self) -> Mapping[str, Any]:
        return self._log[-1].group if self._log else self._stored

    # ---- coordinators

    def in_force(self, node: Node, request: Request | None, outcome: Outcome) -> None:
        """An outcome was appended and put into force."""
        self._look()
        assert self.cluster is not None and node.coordinator is not None, "the run has begun"
        if not self.cluster.is_led_by(node):
            self._former(node, request, outcome)
        elif isinstance(request, ConsumerGroupHeartbeat | OffsetCommit):
            self._served(node, request, outcome)
        elif isinstance(request, OffsetFetch):
            self._looked_up(request, outcome, len(self._log))
        else:
            self._timers(node)
        super().in_force(node, request, outcome)

    def _news(self, group: Mapping[str, Any]) -> object:
        return None if group == self._group else [group]

    def _timers(self, node: Node) -> None:
        assert node.coordinator is not None, "it has just worked"
        group = group_of(node.coordinator)
        if not self._stored:
            self._stored = group
        if group == self._group:
            return
        gone = sorted(self._group["current"].keys() - group["current"].keys())
        assert gone, "no timer changes a group, but those that members are removed by"
        for member in gone:
            self._note("Expire", m=member, last=member == gone[-1], group=[group])
        self._log += [_Entry(node.replica.end, group, None)] * len(gone)

    def _served(self, node: Node, request: ConsumerGroupHeartbeat | OffsetCommit, outcome: Outcome) -> None:
        assert node.coordinator is not None, "it has just worked"
        group, what = group_of(node.coordinator), _content(request)
        news = self._news(group)
        seen = self._seen(what["m"])
        under_way = [*seen.commits, *filter(None, [seen.heartbeat])]
        asked = next((each for each in under_way if each.served is None and each.what == what), None)
        if asked is None:
            self._note("ServeLate", **what, group=news)
            self._note_late([*under_way, *seen.before], what)
            waits = news is not None
        else:
            asked.served = self._note("ServeCommit" if what["commits"] else "Serve", **what, group=news, twice=False)
            waits = bool(outcome.records) if what["commits"] else bool(self._log) or news is not None
        if waits:
            self._log.append(_Entry(node.replica.end, group, asked))

    def _note_late(self, known: list[_Asked], what: Mapping[str, Any]) -> None:
        """Find the request that has come late, or for the second time."""
        for each in known:
            if each.what != what:
                continue
            if each.served is not None:
                each.served["twice"] = True
            elif each.given_up is not None:
                each.given_up["late"] = True
            return

    def _looked_up(self, request: OffsetFetch, outcome: Outcome, behind: int) -> None:
        response = outcome.response
        if not isinstance(response, OffsetsFetched) or response.error is not ErrorCode.NONE or request.member_id is None:
            return
        found = {f"p{tp.partition}": 0 if each is None else each.offset for tp, each in response.offsets.items()}
        step: Step = {"a": "LookUps", "m": request.member_id, "found": {}}
        self._look_ups.append(_LookUp(behind, found, self._seen(request.member_id), step))
        self._let_look_ups_leave()

    def _former(self, node: Node, request: Request | None, outcome: Outcome) -> None:
        """A node that leads no more has worked something out."""
        if self._deposed != node.node_id:
            return
        if outcome.records:
            self._note("LearnOfTheEnd")
            self._deposed = None
        elif isinstance(request, OffsetFetch):
            self._looked_up(request, outcome, 0)
        elif isinstance(request, ConsumerGroupHeartbeat):
            asked = self._seen(request.member_id).heartbeat
            if asked is not None and asked.served is None and asked.what == _content(request):
                asked.served = self._note("ServeDeposed", m=request.member_id)

    # ---- members

    def wanted(self, client: Client, effect: object) -> None:
        """A member wants something done."""
        self._look()
        if isinstance(effect, fx.SendHeartbeat):
            self._sends(client, effect)
        super().wanted(client, effect)

    def _sends(self, client: Client, effect: fx.SendHeartbeat) -> None:
        seen = self._seen(client.name)
        owned = None if effect.owned is None else [partitions_of(effect.owned)]
        what = _heartbeat(client.name, effect.member_epoch, owned, effect.full)
        if effect.member_epoch >= 0:
            self._note("Send", **what)
        else:
            self._note("LeaveAtOnce" if seen.stage.status == "JOINING" else "SendLeave", m=client.name)
            seen.stage = Stage("LEAVING")
            if seen.heartbeat is not None:
                self._let_go(seen.heartbeat)
        seen.heartbeat = _Asked(what, effect.number)

    def heard(self, client: Client, request: object, answer: object) -> None:
        """An answer arrived."""
        self._look()
        seen = self._seen_of.get(client.name)
        if seen and isinstance(request, fx.SendHeartbeat) and seen.heartbeat:
            if seen.heartbeat.number == request.number:
                self._hears(client.name, seen, answer)
        super().heard(client, request, answer)

    def _hears(self, name: str, seen: _Seen, answer: object) -> None:
        if isinstance(answer, ev.HeartbeatAnswered):
            assignment = None if answer.assignment is None else [partitions_of(answer.assignment)]
            self._note("Hear", m=name, well=True, epoch=answer.member_epoch, assignment=assignment)
            seen.stage = {"JOINING": Stage("RECONCILING"), "LEAVING": Stage("OUT")}.get(seen.stage.status, seen.stage)
        elif isinstance(answer, ev.HeartbeatRefused) and reaction_to(answer.code) in _COSTS_THE_PLACE:
            self._note("Hear", m=name, well=False)
            leaves = seen.stage.status in ("PREPARE_LEAVING", "LEAVING")
            seen.stage = Stage("OUT" if leaves else "FENCED")
        else:
            self._give_up_heartbeat(name, seen)
            return
        assert seen.heartbeat is not None, "it is answered"
        self._let_go(seen.heartbeat)

    def _give_up_heartbeat(self, name: str, seen: _Seen) -> None:
        assert seen.heartbeat is not None, "it is under way"
        seen.heartbeat.given_up = self._note("GiveUpHeartbeat", m=name, late=False)
        self._let_go(seen.heartbeat)

    def called_back(self, client: Client, callback: Callback, failed: bool) -> None:
        """A callback ended."""
        self._look()
        super().called_back(client, callback, failed)

    # ---- what is not told

    def _look(self) -> None:
        """Note all that has happened by now."""
        self._catch_up()
        for client in self.clients.values():
            if client.name in self._seen_of or client.member_epoch >= 0:
                seen = self._seen(client.name)
                if not seen.is_over:
                    self._progress(client.name, seen, stage_of(client.member.state))

    def _progress(self, name: str, seen: _Seen, now: Stage) -> None:
        before, seen.stage = seen.stage, now
        if before.status in IN_GROUP and now.status in ("PREPARE_LEAVING", "LEAVING", "OUT"):
            self._note("GiveUpAll", m=name)
            before = seen.stage = Stage("PREPARE_LEAVING")
        if before.status == "LEAVING" and now.status != "LEAVING":
            if seen.heartbeat is not None:
                self._give_up_heartbeat(name, seen)
            before = Stage("OUT")
        if before.status == "PREPARE_LEAVING" and now.status == "LEAVING":
            seen.stage = before  # its leave is on its way to the network just now
        elif before.status in ("PREPARE_LEAVING", "JOINING") and now.status == "OUT":
            seen.is_over = True  # closed without a word
        elif before.status == "JOINING" and now.status == "LEAVING":
            seen.stage = before
        elif before.status in ("OUT", "FENCED") and now.status == "JOINING":
            self._note("Join", m=name)
        elif before.step != now.step:
            self._note({"REVOKING": "Revoked", "ASSIGNING": "Assigned"}.get(before.step, "Begin"), m=name)

    def event_is_over(self) -> None:
        """The run has come to its next event: look at everyone."""
        self._look()
        for client in self.clients.values():
            seen = self._seen_of.get(client.name)
            if seen is not None and not seen.is_over:
                self._commits(client, seen)
                self._is(client, seen)

    def _commits(self, client: Client, seen: _Seen) -> None:
        under_way = client.offsets.state.commit_requests
        for asked in [each for each in seen.commits if each.number not in under_way]:
            if asked.served is None:
                asked.given_up = self._note("GiveUpCommit", **asked.what, late=False)
            elif any(each.to is asked for each in self._log):
                self._note("LoseCommitAnswer", **asked.what)
            self._let_go(asked)
        for number, request in under_way.items():
            if number > seen.last_commit:
                what = _commit(client.name, request.member_epoch, request.offsets)
                self._note("Commit", **what)
                seen.commits.append(_Asked(what, number))
        seen.last_commit = max([seen.last_commit, *under_way])

    def _is(self, client: Client, seen: _Seen) -> None:
        state = client.member.state
        what: Step = {
            "a": "Is",
            "m": client.name,
            "status": seen.stage.status,
            "epoch": state.member_epoch,
            "owned": owned_of(state),
            "working": partitions_of(self.watches[client.name].working_on),
            "begins": seen.stage.step == "ASSIGNING",
        }
        if what != seen.last:
            self.steps.append(what)
            seen.last = what

    # ---- records

    def begins_at(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """Reading of a partition begins."""
        name = f"p{partition.partition}"
        seen = self._seen(client.name)
        for found, step in reversed(seen.look_ups):
            if found.get(name) == offset:
                step["found"][name] = offset
                break
        else:
            self._note("LookUps", m=client.name, found={name: offset})
        super().begins_at(client, partition, offset)

    def handed_out(self, client: Client, partition: TopicPartition, first: int, end: int) -> None:
        """The application got records."""
        self._look()
        for offset in range(first, end):
            self._note("HandOut", m=client.name, p=f"p{partition.partition}", offset=offset)
        super().handed_out(client, partition, first, end)


def _heartbeat(name: str, epoch: int, owned: object, full: bool) -> Mapping[str, Any]:
    return {"m": name, "commits": False, "epoch": epoch, "owned": owned, "full": full}


def _commit(name: str, epoch: int, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> Mapping[str, Any]:
    told = {f"p{tp.partition}": each.offset for tp, each in offsets.items()}
    return {
        "m": name,
        "commits": True,
        "epoch": epoch,
        "offsets": {partition: told.get(partition, _UNSAID) for partition in PARTITIONS},
    }


def _content(request: ConsumerGroupHeartbeat | OffsetCommit) -> Mapping[str, Any]:
    """A request in the model's words."""
    if isinstance(request, OffsetCommit):
        return _commit(request.member_id, request.member_epoch, request.offsets)
    owned = None if request.owned is None else [partitions_of(request.owned)]
    return _heartbeat(request.member_id, request.member_epoch, owned, request.rebalance_timeout_ms != -1)
