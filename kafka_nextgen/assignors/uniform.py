"""The uniform assignor: every member gets as many partitions as every other, and keeps what it can.

*Everybody subscribes to the same topics* (by far the usual case). Balance comes before stickiness. With p
partitions and m members, p % m of them are due p // m + 1 partitions and the rest p // m. Each keeps what it had
up to its due, those who had more than p // m being the first to be allowed one more; then the free partitions,
in order, go to whoever is below its due. So a valid and balanced assignment is returned as it is.

*Subscriptions differ*: see ``uniform_mixed``.

Order, where it matters, is the order of member ids, topic names and partition numbers (Kafka's is that of its hash
maps, and differs from run to run).
"""

from __future__ import annotations

from kafka_nextgen.assignors.numbering import Numbering
from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment, PartitionAssignor
from kafka_nextgen.assignors.uniform_mixed import share_among_mixed

__all__ = ["UniformAssignor"]


class UniformAssignor(PartitionAssignor):
    """As even as can be, and as sticky as that allows. The default (KIP-848, "Server Side Mode")."""

    name = "uniform"

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Share the partitions evenly, moving as few as evenness allows."""
        subscriptions = {frozenset(member.subscribed_topics) for member in group.members.values()}
        subscribed = frozenset().union(*subscriptions)
        numbering = Numbering({tid: topic for tid, topic in group.topics.items() if topic.name in subscribed})
        if len(subscriptions) <= 1:
            shares = _share_among_equals(group, numbering)
        else:
            shares = share_among_mixed(group, numbering)
        return GroupAssignment({member_id: numbering.to_assignment(share) for member_id, share in shares.items()})


def _share_among_equals(group: AssignmentSpec, numbering: Numbering) -> dict[str, list[int]]:
    shares: dict[str, list[int]] = {}
    if not group.members:
        return shares
    due, extras = divmod(len(numbering), len(group.members))
    free = [True] * len(numbering)
    for member_id, member in sorted(group.members.items()):
        had = [number for number in numbering.of_subscribed(member.target, member.subscribed_topics) if free[number]]
        may_keep = due + 1 if extras and len(had) > due else due
        extras -= may_keep > due
        shares[member_id] = had[:may_keep]
        for number in shares[member_id]:
            free[number] = False
    _fill_up(shares, due, extras, [number for number, is_free in enumerate(free) if is_free])
    return shares


def _fill_up(shares: dict[str, list[int]], due: int, extras: int, free: list[int]) -> None:
    """Hand the free partitions, in order, to those below their due; ``extras`` of them are due one more."""
    taken = 0
    for share in shares.values():
        missing = due - len(share)
        if missing >= 0 and extras:
            missing, extras = missing + 1, extras - 1
        if missing > 0:
            share.extend(free[taken : taken + missing])
            taken += missing
    assert taken == len(free), "what is due adds up to all partitions"
