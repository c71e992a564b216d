"""What must hold of every member of a classic group at every moment, besides what must hold of any."""

from __future__ import annotations

from attrs import define

from kafka_nextgen.membership.classic.effects import (
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.effects import (
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    FindCoordinator,
    Left,
    PublishEpoch,
)
from tests.verification.scenario_language.watching import Watch


@define
class ClassicWatch(Watch):
    """One member, seen from outside. Each rule that is broken is a sentence."""

    def sees(self, effect: object) -> None:
        match effect:
            case SendJoinGroup():
                self._joins(effect)
            case SendClassicHeartbeat():
                self._is_allowed_to_send()
                self.expect(self.in_flight is None, "one heartbeat is in flight")
                self.in_flight = effect.number
            case SendSyncGroup() | SendLeaveGroup():
                self._is_allowed_to_send()
            case FindCoordinator():
                self.in_flight = None
            case PublishEpoch():
                self.published_epoch = effect.member_epoch  # a generation may be given once more
            case CallOnRevoked(partitions=()):
                pass  # an eager member hears of each rebalance, even if it has nothing to give up
            case CallOnAssigned() | CallOnLost() | Left():
                is_in = isinstance(effect, CallOnAssigned)
                self.expect((self.published_epoch > 0) is is_in, "commits go under the generation the member is in")
                super().sees(effect)
            case _:
                super().sees(effect)

    def _joins(self, join: SendJoinGroup) -> None:
        self._is_allowed_to_send()
        self.in_flight = None  # heartbeats rest
        said = join.subscription
        self.expect(said.owned == self.told, "a JoinGroup reports what the application was told of")
        self.expect(said.generation == self.published_epoch, "a JoinGroup says the generation that commits go under")
        self.expect(
            self.applied - self.doubtful == self.told - self.doubtful, "what is in force is what the application has"
        )

    def _is_allowed_to_send(self) -> None:
        self.expect(not self.failed, "nothing is sent after a fatal error")
