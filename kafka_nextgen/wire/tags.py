"""The tags that end a structure of a flexible message (KIP-482): fields that may be left out, each with its size.

Tags ascend, and each field lies within its structure. Those that somebody knows are found, the others passed over:
nothing is kept of them, however many there are.
"""

from __future__ import annotations

from collections.abc import Container

from kafka_nextgen.wire.lengths import Frame, need, refuse, unsigned_varint

__all__ = ["Tagged", "find_tags"]

#: Where the field of each tag begins and ends.
Tagged = dict[int, tuple[int, int]]


def find_tags(frame: Frame, pos: int, end: int, known: Container[int], where: str) -> tuple[Tagged, int]:
    """Find the fields of the ``known`` tags at ``pos``; returns them and the position after all tags.

    Raises ``DecodeError``.
    """
    count, pos = unsigned_varint(frame, pos, end, where)
    found: Tagged = {}
    previous = -1
    for _ in range(count):
        tag, pos = unsigned_varint(frame, pos, end, where)
        if tag <= previous:
            refuse(where, f"tag {tag} after tag {previous}")
        size, pos = unsigned_varint(frame, pos, end, where)
        after = need(size, pos, end, f"{where}, tag {tag}")
        if tag in known:
            found[tag] = (pos, after)
        previous, pos = tag, after
    return found, pos
