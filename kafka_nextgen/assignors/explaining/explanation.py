"""The explanation of an assignment, as values.

* *Before* is the group's current target assignment, *after* the assignor's. An assignment that is not ``is_valid``
  would not be used; the group keeps its last valid target.
* A partition *moves* if it goes to a member that did not have it before, or if no member has it now.
* It *could stay* if its member is still subscribed to its topic and it still exists. *Stickiness* is the fraction of
  these that do stay, from 0 to 1.
* A partition is read *across racks* if its member has a rack, its replicas have racks, and no replica is in the
  member's rack.
"""

from __future__ import annotations

from kafka_nextgen.assignors.explaining.formatting import text_of
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition

__all__ = ["Balance", "Explanation", "Loads", "MemberChange", "Move"]

Partitions = frozenset[TopicPartition]


@frozen
class Move:
    """A partition that moves from one member to another, by member id; None for no member."""

    partition: TopicPartition
    giver: str | None
    taker: str | None


@frozen
class Balance:
    """The fewest and the most partitions of any member."""

    fewest: int
    most: int

    @property
    def spread(self) -> int:
        """The difference between them."""
        return self.most - self.fewest


@frozen
class Loads:
    """The lowest and the highest load of any member."""

    least: float
    most: float


@frozen
class MemberChange:
    """A member before and after.

    ``across_before`` and ``across_after`` are the partitions it reads across racks. Loads are in the assignor's own
    measure, None if it counts partitions.
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
        """The partitions it gets."""
        return self.after - self.before

    @property
    def loses(self) -> Partitions:
        """The partitions it has to revoke."""
        return self.before - self.after

    @property
    def keeps(self) -> Partitions:
        """The partitions it keeps."""
        return self.before & self.after


@frozen
class Explanation:
    """The effect of an assignor on a group; ``str`` formats it for people.

    ``members`` are in the order of their instance ids, then of member ids. ``flaws`` say what is wrong with the
    assignment, worded to follow "the assignor"; ``failure`` says why there is none, and ``error`` is the assignor's
    error code for the members, 0 for none.
    """

    assignor: str
    members: tuple[MemberChange, ...]
    moves: tuple[Move, ...]
    flaws: tuple[str, ...] = ()
    failure: str | None = None
    error: int = 0

    @property
    def is_valid(self) -> bool:
        """Whether the assignment can be used."""
        return self.failure is None and not self.flaws

    @property
    def before(self) -> Balance:
        """The balance before."""
        return _balance([len(member.before) for member in self.members])

    @property
    def after(self) -> Balance:
        """The balance after."""
        return _balance([len(member.after) for member in self.members])

    @property
    def loads_before(self) -> Loads | None:
        """The loads before in the assignor's own measure, if it has one."""
        return _loads([member.load_before for member in self.members])

    @property
    def loads_after(self) -> Loads | None:
        """The loads after in the assignor's own measure, if it has one."""
        return _loads([member.load_after for member in self.members])

    @property
    def kept(self) -> int:
        """How many partitions stay with their member."""
        return sum(len(member.keeps) for member in self.members)

    @property
    def stickiness(self) -> float:
        """Of the partitions that could stay, the fraction that do, from 0 to 1; 1 if none could."""
        could = sum(len(member.could_stay) for member in self.members)
        return self.kept / could if could else 1.0

    @property
    def across_before(self) -> int:
        """How many partitions are read across racks before."""
        return sum(len(member.across_before) for member in self.members)

    @property
    def across_after(self) -> int:
        """How many partitions are read across racks after."""
        return sum(len(member.across_after) for member in self.members)

    def __str__(self) -> str:
        return text_of(self)


def _balance(counts: list[int]) -> Balance:
    return Balance(min(counts, default=0), max(counts, default=0))


def _loads(loads: list[float | None]) -> Loads | None:
    known = [load for load in loads if load is not None]
    return Loads(min(known), max(known)) if known else None
