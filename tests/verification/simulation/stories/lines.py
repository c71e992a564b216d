"""What happens in the cluster world, in lines as other worlds write them.

c0 -> heartbeat full epoch=0 ...   a member sends something
-> c0 epoch=3 assignment=t0[0]     what it is answered; ``no answer`` is a request that counts as lost
   c0 joining => stable            what else can be seen of it, of its group, and of the nodes
   c0 heartbeats=3 reads t0[0] 0-7 what a stretch of time brought without any news
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from attrs import define, field

from kafka_nextgen.codes import name_of as code_name
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.classic import effects as cfx
from kafka_nextgen.membership.classic import events as cev
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, OffsetFetch, Request
from kafka_nextgen.testing.coordinator.responses import Response
from kafka_nextgen.types import TopicIdPartition, TopicPartition, format_partitions, format_topic_ids
from tests.verification.scenario_language.calling import tell, tell_call
from tests.verification.scenario_language.driving import write_heartbeat
from tests.verification.scenario_language.notation import write_offsets
from tests.verification.scenario_language.scripted.telling import tell_request
from tests.verification.scenario_language.telling import tell_news
from tests.verification.simulation.checking.judge import Judge
from tests.verification.simulation.clients import Client
from tests.verification.simulation.cluster import GROUP
from tests.verification.simulation.member_effects import Callback
from tests.verification.simulation.nodes import Node
from tests.verification.simulation.timeline import BEGINNING

_CLASSIC = (cfx.SendJoinGroup, cfx.SendSyncGroup, cfx.SendClassicHeartbeat, cfx.SendLeaveGroup)
_REFUSED = (ev.HeartbeatRefused, cev.JoinRefused, cev.SyncRefused)
_LOST = (ev.HeartbeatLost, cev.JoinLost, cev.SyncLost)
#: Lines of so short a time stand together.
_TOGETHER_S = 0.1


@define(eq=False)
class TellingJudge(Judge):
    told: list[tuple[float, str | None]] = field(factory=list)
    coordinating: int = 0  # the node that began to coordinate last
    keepalives: Counter[str] = field(factory=Counter)
    committed: Counter[str] = field(factory=Counter)
    read: dict[tuple[str, TopicPartition], tuple[int, int]] = field(factory=dict)
    #: What has no answer yet: where it is told, and what it says.
    _under_way: dict[tuple[str, object], tuple[int, object]] = field(factory=dict)
    _statuses: dict[str, str] = field(factory=dict)

    def _say(self, line: str) -> None:
        self._note_statuses()
        self._append(line)

    def _note_statuses(self) -> None:
        for name, client in self.clients.items():
            self._note_status(name, client.member.status.value)

    def _append(self, line: str) -> None:
        time = self.cluster.timeline.now if self.cluster is not None else BEGINNING
        self.told.append((time, re.sub(r"\b(c\d+)/1\b", r"\1", line)))

    def _note_status(self, name: str, status: str) -> None:
        if self._statuses.get(name, status) != status:
            self._append(f"   {name} {self._statuses[name]} => {status}")
        self._statuses[name] = status

    def _write(self, partitions: Iterable[TopicIdPartition]) -> str:
        return format_topic_ids(partitions, {} if self.cluster is None else self.cluster.names)

    def take(self, began: float) -> Iterator[str]:
        """All that was told since the last call, with its time; and what was only counted."""
        self._note_statuses()
        said, self.told = self.told, []
        self._under_way.clear()
        last = began
        for time, line in said:
            if line is not None:
                if time - last >= _TOGETHER_S:
                    yield f"   after {time - began:.1f}s"
                    last = time
                yield line
        yield from self._summary()

    def _summary(self) -> Iterator[str]:
        parts: dict[str, list[str]] = {}
        for what, counts in (("heartbeats", self.keepalives), ("commits", self.committed)):
            for name, count in counts.items():
                parts.setdefault(name, []).append(f"{what}={count}")
        for (name, partition), (first, end) in sorted(self.read.items()):
            parts.setdefault(name, []).append(f"reads {partition} {first}-{end - 1}")
        for name in sorted(parts):
            yield re.sub(r"/1\b", "", f"   {name}") + f" {' '.join(parts[name])}"
        self.keepalives.clear()
        self.committed.clear()
        self.read.clear()

    def wanted(self, client: Client, effect: object) -> None:
        self._note_status(client.name, client.member.status.value)
        if isinstance(effect, fx.SendHeartbeat):
            self._sends(client, effect.number, effect, f"{client.name} -> {write_heartbeat(effect, self._write)}")
        elif isinstance(effect, _CLASSIC):
            self._sends(client, effect.number, effect, tell_request(client.name, effect))
        elif isinstance(effect, fx.CallOnAssigned | fx.CallOnRevoked | fx.CallOnLost):
            self._say(tell_call(client.name, effect))
        else:
            for line in tell(client.name, effect):
                self._say(line)
        super().wanted(client, effect)

    def _sends(self, client: Client, number: int, effect: object, line: str) -> None:
        self._under_way[client.name, number] = (len(self.told), effect)
        self._say(line)

    def heard(self, client: Client, request: object, answer: object) -> None:
        under_way = self._under_way.pop((client.name, getattr(request, "number", None) or _commit(request)), None)
        if under_way is not None and _is_keepalive(under_way[1], answer):
            self.told[under_way[0]] = (0.0, None)
            counts = self.committed if isinstance(request, OffsetCommit) else self.keepalives
            counts[client.name] += 1
        else:
            for line in self._answers(request, answer):
                self._say(f"-> {client.name} {line}{self._by(client, answer)}")
        super().heard(client, request, answer)

    def _by(self, client: Client, answer: object) -> str:
        """Which node it was, if it is another one than coordinates."""
        is_other = client.network.heard_from != self.coordinating and not isinstance(answer, _LOST)
        return f" (node{client.network.heard_from})" if is_other else ""

    def _answers(self, request: object, answer: object) -> Iterator[str]:
        if isinstance(request, OffsetCommit):
            assert isinstance(answer, Mapping), "a commit is answered by partition"
            yield from _committed(answer)
        elif isinstance(request, OffsetFetch):
            code = getattr(answer, "error", 0)
            if code:
                yield code_name(code)
        elif isinstance(answer, _LOST):
            yield "no answer"
        elif isinstance(answer, _REFUSED):
            yield code_name(answer.code)
        elif isinstance(answer, ev.HeartbeatAnswered):
            told = "unchanged" if answer.assignment is None else self._write(answer.assignment)
            yield f"epoch={answer.member_epoch} assignment={told}"
        elif isinstance(answer, cev.JoinAnswered):
            yield f"generation={answer.generation} {answer.strategy} leader={answer.leader_id}"
        elif isinstance(answer, cev.SyncAnswered):
            yield f"assignment={format_partitions(answer.partitions) or '-'}"
        elif isinstance(answer, cev.SessionKept):
            yield "session kept"

    def called_back(self, client: Client, callback: Callback, failed: bool) -> None:
        if failed:
            self._say(f"   {client.name} raises in its callback")
        super().called_back(client, callback, failed)

    def begins_at(self, client: Client, partition: TopicPartition, offset: int) -> None:
        self._say(f"   {client.name} begins {partition} at {offset}")
        super().begins_at(client, partition, offset)

    def handed_out(self, client: Client, partition: TopicPartition, first: int, end: int) -> None:
        self._note_statuses()
        before = self.read.get((client.name, partition), (first, end))
        self.read[client.name, partition] = (before[0], end) if before[0] <= first else (first, end)
        super().handed_out(client, partition, first, end)

    def worked_out(self, node: Node, request: Request, response: Response | None) -> None:
        if isinstance(request, OffsetCommit):
            client = next((name for name, each in self.clients.items() if each.member_id == request.member_id), "")
            self._under_way[client, _commit(request)] = (len(self.told), request)
            self._append(f"{request.member_id} -> commit epoch={request.member_epoch} {write_offsets(request.offsets)}")
        if self.cluster is not None and node is not self.cluster.leading:
            self._say(f"   node{node.node_id} answers, and leads no more")
        super().worked_out(node, request, response)

    def in_force(self, node: Node, request: Request | None, outcome: Outcome) -> None:
        group = node.coordinator.groups.get(GROUP) if node.coordinator is not None else None
        for line in tell_news(outcome.records, {} if group is None else group.targets, self._write):
            self._say(line)
        super().in_force(node, request, outcome)

    def loaded(self, node: Node) -> None:
        self.coordinating = node.node_id
        self._say(f"   node{node.node_id} coordinates")
        super().loaded(node)


def _commit(request: object) -> object:
    if not isinstance(request, OffsetCommit):
        return None
    return request.member_id, request.member_epoch, tuple(sorted(request.offsets.items()))


def _is_keepalive(said: object, answer: object) -> bool:
    """Whether it brought nothing new, to either side; a commit, that it was accepted."""
    if isinstance(said, OffsetCommit):
        return isinstance(answer, Mapping) and not any(answer.values())
    if isinstance(said, cfx.SendClassicHeartbeat):
        return isinstance(answer, cev.SessionKept)
    if not isinstance(said, fx.SendHeartbeat) or not isinstance(answer, ev.HeartbeatAnswered):
        return False
    is_same = answer.assignment is None or answer.assignment == said.owned
    says_nothing = said.full or (said.owned is None and said.subscribed_topics is None)
    return answer.member_epoch == said.member_epoch > 0 and is_same and says_nothing


def _committed(codes: Mapping[TopicPartition, int]) -> Iterator[str]:
    for code in sorted(set(codes.values())):
        partitions = format_partitions(tp for tp, each in codes.items() if each == code)
        yield f"{'committed' if code == 0 else code_name(code)} {partitions}"
