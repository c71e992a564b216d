"""What an explanation says, as values.

* *Before* is the target assignment that the group has, *after* the one that the assignor makes of it. What is after
  counts only if the assignment ``is_valid``; a group keeps its last valid target otherwise.
* A partition *moves* if somebody gets it who did not have it, or if nobody has it any more.
* It *could stay* if whoever has it is still subscribed to its topic, and the topic still has it. *Stickiness* is the
  part of those that do stay, from 0 to 1.
* It is read *across racks* if its member states a rack, its replicas are in racks, and none of them is in that one.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.assignors.explaining.formatting import text_of
from kafka_nextgen.types import TopicPartition

__all__ = ["Balance", "Explanation", "Loads", "MemberChange", "Move"]

Partitions = frozenset[TopicPartition]


@frozen
class Move:
    """A partition that goes from one member to another, by member id; None for nobody."""

    partition: TopicPartition
    giver: str | None
    taker: str | None


@frozen
class Balance:
    """How many partitions the member has that has the fewest, and the one that has the most."""

    fewest: int
    most: int

    @property
    def spread(self) -> int:
        """How many lie between them."""
        return self.most - self.fewest


@frozen
class Loads:
    """How much the member has to do that has the least, and the one that has the most."""

    least: float
    most: float


@frozen
class MemberChange:
    """A member before and after.

    ``across_before`` and ``across_after`` are what it reads across racks of either. Loads are in the assignor's own
    measure, None where it has none but the number of partitions.
    """

    member_id: str
    instance_id: str | None
    rack_id: str | None
    before: Partitions
    after: Partitions
    could_stay: Partitions
    across_before: Partitions = frozenset()
    across_after: Partitions = frozenset()
    load_before: float | None = None
    load_after: float | None = None

    @property
    def gains(self) -> Partitions:
        """What it gets."""
        return self.after - self.before

    @property
    def loses(self) -> Partitions:
        """What it has to give up."""
        return self.before - self.after

    @property
    def keeps(self) -> Partitions:
        """What stays with it."""
        return self.before & self.after


@frozen
class Explanation:
    """What an assignor does to a group; ``str`` of it is for people.

    ``members`` are in the order of their instance ids, then of member ids. ``flaws`` say what is wrong with the
    assignment, to be read after "the assignor"; ``failure`` says why there is none, and ``error`` is the assignor's
    own word to the members, 0 for none.
    """

    assignor: str
    members: tuple[MemberChange, ...]
    moves: tuple[Move, ...]
    flaws: tuple[str, ...] = ()
    failure: str | None = None
    error: int = 0

    @property
    def is_valid(self) -> bool:
        """Whether the assignment may be put in force."""
        return self.failure is None and not self.flaws

    @property
    def before(self) -> Balance:
        """The balance there is."""
        return _balance([len(member.before) for member in self.members])

    @property
    def after(self) -> Balance:
        """The balance that there would be."""
        return _balance([len(member.after) for member in self.members])

    @property
    def loads_before(self) -> Loads | None:
        """The balance there is in the assignor's own measure, if it has one."""
        return _loads([member.load_before for member in self.members])

    @property
    def loads_after(self) -> Loads | None:
        """The balance that there would be in that."""
        return _loads([member.load_after for member in self.members])

    @property
    def kept(self) -> int:
        """How many partitions stay where they are."""
        return sum(len(member.keeps) for member in self.members)

    @property
    def stickiness(self) -> float:
        """The part of what could stay that does, from 0 to 1; 1 if there is nothing that could."""
        could = sum(len(member.could_stay) for member in self.members)
        return self.kept / could if could else 1.0

    @property
    def across_before(self) -> int:
        """How many partitions are read across racks."""
        return sum(len(member.across_before) for member in self.members)

    @property
    def across_after(self) -> int:
        """How many partitions would be."""
        return sum(len(member.across_after) for member in self.members)

    def __str__(self) -> str:
        return text_of(self)


def _balance(counts: list[int]) -> Balance:
    return Balance(min(counts, default=0), max(counts, default=0))


def _loads(loads: list[float | None]) -> Loads | None:
    known = [load for load in loads if load is not None]
    return Loads(min(known), max(known)) if known else None
