"""The order of members in which the assignors of both protocols serve them."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors.spec import MemberSpec

__all__ = ["line_of", "place_in_line"]


def place_in_line(item: tuple[str, MemberSpec]) -> tuple[bool, str]:
    """Static members first: they keep their place, and with it their partitions, over a restart (KIP-345)."""
    member_id, member = item
    if member.instance_id is not None:
        return False, member.instance_id
    return True, member_id


def line_of(members: Mapping[str, MemberSpec]) -> list[str]:
    """The member ids in line."""
    return [member_id for member_id, _ in sorted(members.items(), key=place_in_line)]
