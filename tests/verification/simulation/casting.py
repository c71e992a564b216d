"""Who speaks which protocol, and what clients of the classic protocol offer: drawn anew for each seed.

A group is of one protocol, or of both; then each life of a client may speak another one than the life before. In half
of these groups most of so many lives speak the one, then most of so many the other, as in a rolling upgrade, a rolling
downgrade, and so on. When all has healed a client keeps to what it spoke last.

With standbys, all classic members of a group, or most, offer ``HotStandby`` before anything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from attrs import define, field

from kafka_nextgen.assignors import PartitionAssignor, RangeAssignor, UniformAssignor
from kafka_nextgen.assignors.strategies import STRATEGIES, are_cooperative
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.testing.coordinator.settings import MigrationPolicy
from kafka_nextgen.types import JoinReason
from tests.verification.simulation.assignors import Reserving, Talkative
from tests.verification.simulation.dice import Dice

#: What assignors of the members' own do.
_OWN: Mapping[str, PartitionAssignor] = {"mine": UniformAssignor(), "yours": RangeAssignor()}
_POLICIES = (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.BIDIRECTIONAL, *MigrationPolicy)


#: After so many lives it is the other protocol's turn, which so great a share speaks then.
_ROLL, _MOST = 5, 0.9


class Mixture(Enum):
    """The protocols of one group."""

    CONSUMER = "consumer"
    CLASSIC = "classic"
    BOTH = "both"


@define(eq=False)
class Casting:
    dice: Dice
    has_standbys: bool = False
    has_leaving: bool = False
    mixture: Mixture = field(init=False)
    policy: MigrationPolicy = field(init=False)
    common: str = field(init=False)  # the assignor that all of them offer
    extends: bool = field(init=False)  # the coordinator has what no Kafka has
    spoken: dict[str, bool] = field(factory=dict)  # whether a client speaks the classic protocol
    _share_of_classic: float = field(init=False)
    _rolls: bool = field(init=False)
    _lives: int = 0
    _own: Dice = field(init=False)
    _share_of_own: float = field(init=False)
    _hot: Dice = field(init=False)
    _share_of_hot: float = 0.0
    _target_size: int = 1  # that classic members know

    def __attrs_post_init__(self) -> None:
        self.mixture = self.dice.pick((*Mixture, Mixture.BOTH))  # which goes through most of both protocols
        self.policy = self.dice.pick(_POLICIES)
        self.common = self.dice.pick(sorted(STRATEGIES))
        self._share_of_classic = self.dice.between(0.2, 0.8)
        self._rolls = self.dice.chance() > 0.5
        self._own = self.dice.stream("own assignors")
        self.extends = self._own.chance() > 0.6 or self.has_standbys or self.has_leaving
        self._share_of_own = self._own.pick((1.0, 1.0, 0.7))
        self._hot = self.dice.stream("hot standby")
        if self.has_standbys:
            self._share_of_hot = self._hot.pick((1.0, 1.0, 0.8, 0.6))
            self._target_size = self._hot.pick((1, 1, 2, 3))

    def speaks_classic(self, name: str) -> bool:
        """Whether the life of this client that begins now speaks the classic protocol."""
        if name not in self.spoken or not self.dice.is_healed:
            self.spoken[name] = self._draw()
        return self.spoken[name]

    def _draw(self) -> bool:
        if self.mixture is Mixture.BOTH:
            self._lives += 1
            rolling = _MOST if self._lives // _ROLL % 2 == 0 else 1 - _MOST
            return self.dice.chance() < (rolling if self._rolls else self._share_of_classic)
        return self.mixture is Mixture.CLASSIC

    def target_sizes(self) -> Sequence[int]:
        """How many members are active in the opinion of each node: a fail-over may raise or lower that."""
        if not self.has_standbys:
            return (0, 0, 0)
        sizes = self.dice.stream("target sizes")
        return [sizes.whole(1, 3) for _ in range(3)]

    def own_assignors(self) -> tuple[Talkative, ...]:
        """The assignors that the life of a client that begins now has of its own, if it announces any."""
        if not self.extends or self._own.chance() >= self._share_of_own:
            return ()
        names = tuple(_OWN)[: self._own.whole(1, len(_OWN))]
        return tuple(Talkative(_OWN[name], self._own, name) for name in names)

    def classic_assignors(self, own: Sequence[Talkative]) -> tuple[Talkative, ...]:
        """The same for a client of the classic protocol: before these it may offer ``HotStandby``.

        Where not all do, they have no others of their own, so that the group goes back to a built-in one.
        """
        if not self.has_standbys:
            return tuple(own)
        others = tuple(own) if self._share_of_hot == 1.0 else ()
        if self._hot.chance() >= self._share_of_hot:
            return others
        return (Reserving(self._target_size, self._hot.pick(tuple(_OWN.values())), self._hot), *others)

    def classic_settings(
        self, group: str, instance_id: str | None, own: Sequence[Talkative], *, auto_commit: bool
    ) -> ClassicSettings:
        """What a client of the classic protocol goes by; its assignors are in an order of its own, after those that it
        brings. A static one states RESTART, as the engine does by default, if that is understood.
        """
        share = 0.05 if are_cooperative((self.common,)) else 0.4  # who offers another one does not cooperate
        others = [name for name in sorted(STRATEGIES) if name != self.common and self.dice.chance() < share]
        local = tuple(assignor.name for assignor in own)
        others.insert(self.dice.whole(0, len(others)), self.common)
        return ClassicSettings(
            group,
            instance_id,
            strategies=(*local, *others),
            local_assignors=frozenset(local),
            session_timeout_ms=12_000,
            rebalance_timeout_ms=15_000,
            auto_commit=auto_commit,
            max_poll_interval_s=30.0,
            leave_timeout_s=10.0,
            metadata_max_age_s=10.0,
            join_reason=JoinReason.RESTART if self.extends and instance_id is not None else JoinReason.UNKNOWN,
        )
