"""The steps that a message's schema is walked with: one for each way a field can lie in the bytes.

Each passes over its field and refuses what is wrong with it; what exactly is refused, ``shape`` says. A walk never
goes back and never looks beyond ``end``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby

from attrs import frozen

from kafka_nextgen.wire.lengths import Frame, Length, need, refuse
from kafka_nextgen.wire.tags import find_tags

__all__ = [
    "Walk",
    "array",
    "blob",
    "fixed",
    "no_tags",
    "nullable_structure",
    "sequence",
    "tags",
    "text",
]

#: For every structure that has tags the decoder copies the rest of the message. More than this is an attack, or
#: at least can't be decoded in reasonable time; KIP-951's tags in a full Fetch answer stay well below.
_MAX_TAG_BYTES = 4 << 30


@frozen
class Walk:
    """The way over a field: the fewest bytes it takes, whether it always takes those, and the step itself.

    ``over(frame, position, end)`` returns the position after the field, or raises ``DecodeError``.
    """

    least: int
    is_fixed: bool
    over: Callable[[Frame, int, int], int]


def fixed(size: int, where: str) -> Walk:
    """``size`` bytes, whatever they are."""

    def over(_frame: Frame, pos: int, end: int) -> int:
        return need(size, pos, end, where)

    return Walk(size, True, over)


def blob(length: Length, nullable: bool, where: str) -> Walk:
    """Bytes behind their length; not looked into, because record batches have their own decoder."""

    def over(frame: Frame, pos: int, end: int) -> int:
        size, pos = length.read(frame, pos, end, where)
        return need(size, pos, end, where) if size >= 0 else _null(pos, nullable, where)

    return Walk(length.least, False, over)


def text(length: Length, nullable: bool, where: str) -> Walk:
    """A string behind its length."""

    def over(frame: Frame, pos: int, end: int) -> int:
        size, pos = length.read(frame, pos, end, where)
        if size < 0:
            return _null(pos, nullable, where)
        after = need(size, pos, end, where)
        try:
            str(frame.data[pos:after], "utf-8")
        except UnicodeDecodeError as error:
            refuse(where, f"a string that is not UTF-8 ({error.reason})")
        return after

    return Walk(length.least, False, over)


def array(element: Walk, length: Length, nullable: bool, weight: int, where: str) -> Walk:
    """Elements behind their count, which must fit in the bytes left before the first is looked at.

    ``weight`` is what one of them counts among all elements of the message.
    """
    least, step = max(element.least, 1), element.over

    def over(frame: Frame, pos: int, end: int) -> int:
        count, pos = length.read(frame, pos, end, where)
        if count < 0:
            return _null(pos, nullable, where)
        if count * least > end - pos:
            refuse(where, f"{count} elements of {least} bytes or more, {end - pos} bytes are left")
        frame.weigh(count, weight, where)
        if element.is_fixed:
            return pos + count * least
        for _ in range(count):
            pos = step(frame, pos, end)
        return pos

    return Walk(length.least, False, over)


def nullable_structure(inner: Walk, where: str) -> Walk:
    """A byte says whether the structure is there (KIP-893): 1, or -1 for null."""

    def over(frame: Frame, pos: int, end: int) -> int:
        after = need(1, pos, end, where)
        marker = frame.data[pos]
        if marker == 0xFF:
            return after
        if marker != 1:
            refuse(where, f"neither null nor a structure: begins with {marker}")
        return inner.over(frame, after, end)

    return Walk(1, False, over)


def sequence(walks: list[Walk], where: str) -> Walk:
    """One after the other; those of fixed size that follow each other become one step."""
    steps: list[Walk] = []
    for is_fixed, run in groupby(walks, key=lambda walk: walk.is_fixed):
        together = list(run)
        steps += [fixed(sum(walk.least for walk in together), where)] if is_fixed else together
    if len(steps) == 1:
        return steps[0]
    overs = [step.over for step in steps]

    def over(frame: Frame, pos: int, end: int) -> int:
        for step in overs:
            pos = step(frame, pos, end)
        return pos

    return Walk(sum(step.least for step in steps), not steps, over)


def tags(known: Mapping[int, Walk], where: str) -> Walk:
    """The tags that end a structure (KIP-482): those the schema knows are walked, others passed over."""

    def over(frame: Frame, pos: int, end: int) -> int:
        if pos < end and frame.data[pos] == 0:
            return pos + 1
        _count_copy(frame, pos, where)
        found, after = find_tags(frame, pos, end, known, where)
        for tag, (first, last) in found.items():
            if known[tag].over(frame, first, last) != last:
                refuse(f"{where}, tag {tag}", f"the field does not fill its {last - first} bytes")
        return after

    return Walk(1, False, over)


def no_tags(where: str) -> Walk:
    """The end of a structure that is itself a tagged field: the decoder knows no tags there."""

    def over(frame: Frame, pos: int, end: int) -> int:
        after = need(1, pos, end, where)
        if frame.data[pos] != 0:
            refuse(where, "tags inside a tagged field, which this decoder does not read")
        return after

    return Walk(1, False, over)


def _count_copy(frame: Frame, pos: int, where: str) -> None:
    frame.tag_bytes += len(frame.data) - pos
    if frame.tag_bytes > _MAX_TAG_BYTES:
        refuse(where, "more tags than can be decoded in reasonable time")


def _null(pos: int, nullable: bool, where: str) -> int:
    if not nullable:
        refuse(where, "null, which this field can't be")
    return pos
