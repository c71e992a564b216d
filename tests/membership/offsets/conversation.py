"""A conversation with the offsets' machine: something happens, and everything it then wants comes back as lines."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.offsets import effects as fx
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.membership.offsets.machine import OffsetMachine
from kafka_nextgen.membership.offsets.rules import RULES, OffsetRules
from kafka_nextgen.membership.offsets.settings import OffsetSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_partitions
from tests.verification.scenario_language.notation import parse_offset, parse_partition, parse_partitions

Offsets = Mapping[TopicPartition, OffsetAndMetadata]


def offsets(text: str) -> dict[TopicPartition, OffsetAndMetadata]:
    return {tp: OffsetAndMetadata(at) for tp, at in map(parse_offset, text.split())}


class Conversation:
    """A machine, the time, and what is under way, oldest first; backoff is 100 ms, then 200 ms, without jitter."""

    def __init__(self, rules: OffsetRules = RULES, interval_s: float | None = None, **settings: object) -> None:
        self.now = 1000.0
        given = OffsetSettings(auto_commit_interval_s=interval_s, **settings)  # type: ignore[arg-type]
        self.machine = OffsetMachine(given, rules, self.now)
        self.commits: list[fx.SendCommit] = []
        self.lookups: list[fx.SendLookup] = []
        self.ended: dict[int, fx.CommitEnded | fx.LookupEnded] = {}
        self.reading = 0
        self._asks = 0

    def says(self, event: ev.OffsetEvent) -> list[str]:
        lines = [self.written(effect) for effect in self.machine.handle(event, self.now, 0.5)]
        deadline = self.machine.deadline()
        assert deadline is None or deadline > self.now, "what is due is done"
        return lines

    def passes(self, seconds: float) -> list[str]:
        """Let time pass; the machine is woken when it wants to be."""
        end, lines = self.now + seconds, list[str]()
        while (deadline := self.machine.deadline()) is not None and deadline <= end:
            self.now = deadline
            lines += self.says(ev.TimePassed())
        self.now = end
        return lines

    # Who asks.

    def enter(self) -> list[str]:
        return self.says(ev.GroupEntered())

    def publish(self, epoch: int) -> list[str]:
        return self.says(ev.EpochPublished("me", epoch))

    def owns(self, partitions: str, added: str = "-") -> list[str]:
        return self.says(ev.AssignmentApplied(parse_partitions(partitions), parse_partitions(added)))

    def stops(self, partitions: str) -> list[str]:
        return self.says(ev.PartitionsStopped(parse_partitions(partitions)))

    def seeks(self, partitions: str) -> list[str]:
        return self.says(ev.Sought(parse_partitions(partitions)))

    # What is wanted.

    def commit(self, text: str, within_s: float = 60.0, lost: str = "") -> list[str]:
        self._asks += 1
        return self.says(ev.CommitAsked(self._asks, offsets(text), within_s, parse_partitions(lost)))

    def commit_before_revoking(self, text: str, within_s: float = 60.0, found: str = "") -> list[str]:
        self._asks += 1
        return self.says(ev.CommitBeforeRevokingAsked(self._asks, offsets(text), within_s, offsets(found)))

    def look_up(self, partitions: str, within_s: float = 60.0) -> list[str]:
        self._asks += 1
        return self.says(ev.LookupAsked(self._asks, parse_partitions(partitions), within_s))

    def withdraw(self, operation: int) -> list[str]:
        return self.says(ev.Withdrawn(operation))

    def consumed(self, text: str) -> list[str]:
        return self.says(ev.ConsumedRead(self.reading, offsets(text)))

    # What the coordinator says to the oldest request under way.

    def accept(self) -> list[str]:
        request = self.commits.pop(0)
        return self.says(ev.CommitAnswered(request.number, dict.fromkeys(request.offsets, 0)))

    def accept_latest(self) -> list[str]:
        """Accept what went out last, over another connection."""
        request = self.commits.pop()
        return self.says(ev.CommitAnswered(request.number, dict.fromkeys(request.offsets, 0)))

    def refuse(self, code: ErrorCode, partitions: str | None = None) -> list[str]:
        return self.refuse_each({partitions or format_partitions(self.commits[0].offsets): code})

    def absent(self, partitions: str) -> list[str]:
        """Refuse these, which the cluster does not have either."""
        request, absent = self.commits.pop(0), parse_partitions(partitions)
        codes = dict.fromkeys(absent, int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        return self.says(ev.CommitAnswered(request.number, {**dict.fromkeys(request.offsets, 0), **codes}, absent))

    def refuse_each(self, codes: Mapping[str, ErrorCode]) -> list[str]:
        request = self.commits.pop(0)
        refused = {tp: int(code) for partitions, code in codes.items() for tp in parse_partitions(partitions)}
        return self.says(ev.CommitAnswered(request.number, {**dict.fromkeys(request.offsets, 0), **refused}))

    def lose(self) -> list[str]:
        return self.says(ev.CommitLost(self.commits.pop(0).number, "the connection was reset"))

    def tell(self, text: str, code: ErrorCode = ErrorCode.NONE, **codes: ErrorCode) -> list[str]:
        """Answer a lookup; "-" is no offset; ``codes`` are by the number of the partition of foo, as p1=..."""
        by_partition = {TopicPartition("foo", int(name[1:])): int(code) for name, code in codes.items()}
        none = {parse_partition(word[:-2]): None for word in text.split() if word.endswith("=-")}
        found = offsets(" ".join(word for word in text.split() if not word.endswith("=-")))
        return self.says(ev.LookupAnswered(self.lookups.pop(0).number, {**found, **none}, by_partition, int(code)))

    def lose_lookup(self) -> list[str]:
        return self.says(ev.LookupLost(self.lookups.pop(0).number, "the connection was reset"))

    # How effects are written.

    def written(self, effect: fx.OffsetEffect) -> str:
        match effect:
            case fx.SendCommit():
                self.commits.append(effect)
                assert (effect.member_epoch < 0) == (effect.member_id == ""), "only a member names itself"
                return f"commit epoch={effect.member_epoch} {_written(effect.offsets)}"
            case fx.SendLookup():
                self.lookups.append(effect)
                who = "nobody" if effect.member_id is None else f"epoch={effect.member_epoch}"
                return f"look up as {who} {format_partitions(effect.partitions)}"
            case fx.ReadConsumed():
                self.reading = effect.number
                return "read consumed"
            case FindCoordinator():
                return "find coordinator"
            case fx.TellMember():
                return f"tell member {name_of(effect.code)} epoch={effect.member_epoch}"
            case fx.LeftOut():
                return f"leave out {format_partitions(effect.codes)}"
            case fx.CommitEnded() | fx.LookupEnded():
                self.ended[effect.operation] = effect
                found = "done" if isinstance(effect, fx.CommitEnded) else f"found {_written(effect.offsets)}"
                return f"{effect.operation} {_failure(effect.failure) if effect.failure else found}"
        raise AssertionError(f"there is no way to write {effect}")


def _written(offsets: Mapping[TopicPartition, OffsetAndMetadata | None]) -> str:
    return " ".join(f"{tp}={'-' if at is None else at.offset}" for tp, at in sorted(offsets.items())) or "-"


def _failure(failure: fx.Failure) -> str:
    if isinstance(failure, fx.TimedOut):
        return f"timed out after {failure.timeout_s:g} s: {failure.reason}"
    reasons = " ".join(f"{tp}={name_of(code)}" for tp, code in sorted(failure.codes.items()))
    return f"failed {failure.error.__name__} {reasons}"


def member(owns: str = "foo[0-1]", epoch: int = 3, **more: object) -> Conversation:
    """A member that owns partitions."""
    talk = Conversation(**more)  # type: ignore[arg-type]
    talk.enter()
    talk.publish(epoch)
    talk.owns(owns)
    return talk
