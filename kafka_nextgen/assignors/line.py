"""The order of members in which the assignors of both protocols serve them."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors.spec import MemberSpec

__all__ = ["line_of"]


def line_of(members: Mapping[str, MemberSpec]) -> list[str]:
    """The member ids in line.

    Static members first, by instance id: they keep their place, and with it their partitions, over a restart
    (KIP-345). Then the others, by member id.
    """
    static = [
        (member.instance_id, member_id) for member_id, member in members.items() if member.instance_id is not None
    ]
    if not static:
        return sorted(members)
    dynamic = sorted(member_id for member_id, member in members.items() if member.instance_id is None)
    return [member_id for _, member_id in sorted(static)] + dynamic
