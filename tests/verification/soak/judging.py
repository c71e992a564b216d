"""What tests of the judge say to it, and what it says of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.endtoend.report import Line, Run
from tests.verification.soak.accounts import FOREVER, Reader
from tests.verification.soak.judge import Judge


def gave(at: float, first: int, last: int, key: int = 0) -> Line:
    return Line(at, "delivered", runs=(Run(key, first, last),))


def moved(at: float, what: str, *places: int) -> Line:
    return Line(at, what, partitions=places)


def committed(at: float, offset: int, key: int = 0, since: float | None = None) -> Line:
    return Line(at, "committed", offsets={key: offset}, since=at if since is None else since)


def findings(*told: tuple[Reader, Line], troubles: Mapping[str, float] | None = None) -> Sequence[str]:
    """Return what the judge says without the times; members were in trouble at those."""
    judge = Judge()
    for member, at in (troubles or {}).items():
        judge.trouble(member, at, at)
    for reader, line in told:
        judge.hear(reader, line)
    judge.advance(FOREVER)
    return [each.partition(": ")[2] for each in judge.findings]
