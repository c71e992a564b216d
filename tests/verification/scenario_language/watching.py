"""What must hold of every client at every moment, watched from outside, from nothing but its effects.

Each rule that is broken is a sentence; silence is good.
"""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    CommitConsumed,
    Left,
    PublishEpoch,
    RaiseToApplication,
    SendHeartbeat,
    StopFetching,
)
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition, format_partitions

Partitions = frozenset[TopicPartition]
NOTHING: Partitions = frozenset()


@define
class Watch:
    """One life of a client, seen from outside."""

    broken: list[str] = field(factory=list)
    applied: Partitions = NOTHING  # the assignment in force
    stopped: Partitions = NOTHING  # of it, what is not handed out any more
    done: Partitions = NOTHING  # what the callbacks have finished with
    told: Partitions = NOTHING  # what the listener was told it has
    doubtful: Partitions = NOTHING  # of that, what it raised at
    topic_ids: dict[str, TopicId] = field(factory=dict)
    granted: frozenset[TopicIdPartition] = frozenset()  # whatever the coordinator told since the member joined
    in_flight: int | None = None
    must_be_full: bool = True  # nobody knows what the coordinator knows
    published_epoch: int = -1
    failed: bool = False

    @property
    def working_on(self) -> frozenset[TopicIdPartition]:
        return self._with_ids(self.applied - self.stopped)

    def expect(self, holds: bool, rule: str) -> None:
        if not holds:
            self.broken.append(rule)

    def sees(self, effect: object) -> None:
        match effect:
            case SendHeartbeat():
                self._sends(effect)
            case StopFetching():
                self.stopped |= effect.partitions
            case ApplyAssignment():
                self._applies(effect)
            case CommitConsumed():
                self.expect(self.published_epoch > 0, "a commit is made by a member")
            case PublishEpoch():
                self.expect(effect.member_epoch != self.published_epoch, "an epoch is published once")
                self.published_epoch = effect.member_epoch
            case _:
                self._sees_for_the_application(effect)

    def _sees_for_the_application(self, effect: object) -> None:
        match effect:
            case CallOnAssigned():
                known = self.told - self.doubtful
                self.expect(not set(effect.partitions) & known, "given up before it is assigned again")
                self.told |= frozenset(effect.partitions)
            case CallOnRevoked():
                self._gives_up(effect.partitions)
            case CallOnLost():
                self._gives_up(effect.partitions)
                self.done = NOTHING
            case RaiseToApplication():
                self.failed |= effect.fatal
            case Left():
                self.expect(not self.told, "all is given up before the end")

    def _sends(self, heartbeat: SendHeartbeat) -> None:
        leaves, joins = heartbeat.member_epoch < 0, heartbeat.member_epoch == 0
        self.expect(not self.failed, "nothing is sent after a fatal error")
        self.expect(leaves or self.in_flight is None, "one heartbeat is in flight")
        self.expect(not joins or (heartbeat.full and not heartbeat.owned), "a join says everything, and owns nothing")
        self.in_flight = None if leaves else heartbeat.number
        self.granted = frozenset() if joins else self.granted
        if heartbeat.full:
            self.must_be_full = False
        says_something = heartbeat.owned is not None or heartbeat.subscribed_topics is not None
        self.expect(not (says_something and self.must_be_full), "changes are told only when the rest is known")
        if heartbeat.owned is not None:
            had = self._with_ids(self.done | self.told)
            self.expect(had <= heartbeat.owned, "what the application has is reported until it is done giving it up")
            self.expect(heartbeat.owned <= had | self.granted, "nothing is reported that was not granted")

    def _with_ids(self, partitions: Partitions) -> frozenset[TopicIdPartition]:
        return frozenset(TopicIdPartition(self.topic_ids[tp.topic], tp.partition) for tp in partitions)

    def _applies(self, effect: ApplyAssignment) -> None:
        kept = effect.partitions - effect.added
        self.expect(kept <= self.applied, "whatever is new is in `added`")
        self.expect(not kept & self.stopped, "whatever is kept flows all the time")
        self.applied, self.stopped = effect.partitions, NOTHING
        self.done &= effect.partitions
        self.topic_ids = dict(effect.topic_ids)

    def _gives_up(self, partitions: tuple[TopicPartition, ...]) -> None:
        gone = frozenset(partitions)
        self.expect(bool(gone), "a callback is called for something")
        self.expect(gone <= self.told, "a partition is given up once")
        self.expect(not gone & (self.applied - self.stopped), f"{format_partitions(gone)} flows while it is given up")
        self.told -= gone
        self.doubtful -= gone

    def callback_ended(self, effect: object, failed: bool) -> None:
        if isinstance(effect, CallOnAssigned):
            self.doubtful = self.told & frozenset(effect.partitions) if failed else NOTHING
            self.done = self.done if failed else self.applied & self.told
        if isinstance(effect, CallOnRevoked) and not failed:
            self.done -= frozenset(effect.partitions)

    def answered(self, number: int, succeeded: bool, assignment: frozenset[TopicIdPartition] | None = None) -> None:
        if number == self.in_flight:
            self.in_flight = None
            self.must_be_full |= not succeeded
            self.granted |= assignment or frozenset()
