"""A conversation with the assigning machine: something happens, and what it then wants comes back as lines.

Time begins at 1000 s, the rebalance timeout is 60 s; backoff is 100 ms, then 200 ms, without jitter.
"""

from __future__ import annotations

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, MemberAssignment, MemberSpec, TopicMetadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.membership.assigning import events as ev
from kafka_nextgen.membership.assigning.machine import AssigningMachine, is_late
from kafka_nextgen.membership.assigning.settings import AssigningSettings
from kafka_nextgen.membership.assigning.state import AssigningPhase
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.types import TopicId, TopicIdPartition

WALKED: set[tuple[AssigningPhase, type, AssigningPhase]] = set()

FOO = TopicId(int=1)
GROUP = AssignmentSpec({"me": MemberSpec({"foo"})}, {FOO: TopicMetadata("foo", 2)})
MADE = GroupAssignment({"me": MemberAssignment({FOO: {0, 1}})})


class Conversation:
    def __init__(self, *assignors: str) -> None:
        self.machine = AssigningMachine(
            AssigningSettings("billing", assignors=assignors or ("mine",), rebalance_timeout_s=60.0)
        )
        self.now = 1000.0
        self.request = self.computation = 0
        self.calls: list[fx.CallOnAssignment] = []

    @property
    def phase(self) -> str:
        return self.machine.state.phase.value

    def says(self, event: ev.AssigningEvent) -> list[str]:
        before, late = self.machine.state.phase, is_late(self.machine.state, event)
        lines = [self.written(effect) for effect in self.machine.handle(event, self.now, 0.5)]
        if not late:
            WALKED.add((before, type(event), self.machine.state.phase))
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

    # What happens.

    def hear(self, epoch: int = 5, *, compute: bool = False, failure: str | None = None) -> list[str]:
        return self.says(ev.HeartbeatHeard("me", epoch, compute, failure))

    def share(self, epoch: int, *numbers: int, assignor: str | None = "mine", error: int = 0) -> list[str]:
        partitions = frozenset(TopicIdPartition(FOO, number) for number in numbers)
        return self.says(ev.HeartbeatHeard("me", epoch, share=ev.TargetShare(partitions, assignor, error)))

    def prepare(self, group_epoch: int = 7, assignor: str = "mine") -> list[str]:
        return self.says(ev.Prepared(self.request, group_epoch, assignor, GROUP))

    def compute(self) -> list[str]:
        return self.says(ev.Computed(self.computation, MADE))

    def raise_error(self, why: str = "it raised ValueError: boom") -> list[str]:
        return self.says(ev.ComputationFailed(self.computation, why))

    def install(self) -> list[str]:
        return self.says(ev.Installed(self.request))

    def refuse(self, code: ErrorCode, message: str | None = None) -> list[str]:
        return self.says(ev.Refused(self.request, code, message))

    def lose(self) -> list[str]:
        return self.says(ev.Lost(self.request, "the connection was reset"))

    def end(self) -> list[str]:
        return self.says(ev.MembershipEnded())

    # How effects are written.

    def written(self, effect: fx.AssigningEffect) -> str:
        match effect:
            case fx.SendPrepare():
                self.request = effect.number
                return f"prepare epoch={effect.member_epoch} for {effect.deadline - self.now:g} s"
            case fx.Compute():
                self.computation = effect.number
                return f"compute {effect.assignor}"
            case fx.SendInstall():
                self.request = effect.number
                what = ", ".join(effect.members) if effect.message is None else f"nothing: {effect.message}"
                error = f" error={effect.error}" if effect.error else ""
                return f"install epoch={effect.member_epoch} group={effect.group_epoch}{error} {what}"
            case fx.TellInstalled():
                return "tell the member"
            case fx.CallOnAssignment():
                self.calls.append(effect)
                numbers = sorted(effect.assignment.partitions.get(FOO, ()))
                error = f" error={effect.error}" if effect.error else ""
                return f"{effect.assignor} on_assignment epoch={effect.group.member_epoch}{error} {numbers}"
            case fx.TellFailure():
                return f"tell {effect.assignor or 'the coordinator'}: {effect.why}"
            case FindCoordinator():
                return "find coordinator"
        raise AssertionError(f"there is no way to write {effect}")


def preparing(*assignors: str) -> Conversation:
    """A member that was told to compute, and has asked for the group."""
    talk = Conversation(*assignors)
    talk.hear(compute=True)
    return talk


def computing(*assignors: str) -> Conversation:
    """A member whose assignor is at work for epoch 7."""
    talk = preparing(*assignors)
    talk.prepare()
    return talk


def blocked() -> Conversation:
    """A member that is told to compute anew while its assignor is still at work for another membership."""
    talk = computing()
    talk.end()
    talk.hear(compute=True)
    return talk


def installing() -> Conversation:
    """A member whose assignor is done."""
    talk = computing()
    talk.compute()
    return talk
