"""Write docs/membership.md from the machine's own tables: ``python docs/make_membership.py``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path

from kafka_nextgen.membership import failures, offsets, transitions
from kafka_nextgen.membership.diagram import diagram
from kafka_nextgen.membership.states import Phase, Status

__all__ = ["membership_page"]

PAGE = Path(__file__).with_name("membership.md")

OPENING = """\
# A member of a group

*Written by `python docs/make_membership.py` from `kafka_nextgen/membership/`; a test keeps it in step.*

A member is a machine: something happens to it (an event), and it answers with what is to be done (effects). Where it
stands is its status; what it waits for within a status is its phase. The rules in prose open
`kafka_nextgen/membership/transitions.py`; this page shows the table that follows them there.
"""

WHEN_A_CALLBACK_RAISES = """
## When a callback raises

What it raised comes out of `poll`, iteration, `unsubscribe` or `close`. Heartbeats go on.

- `on_partitions_assigned`: FAILED. Nothing is acknowledged, and the new partitions hand out nothing. The next poll
  calls it again, until it returns; if there is another target by then, that one counts. A classic group asks for no
  acknowledgement and goes on: if it rebalances, the next poll prepares for that instead.
- `on_partitions_revoked`: STUCK. Nothing is acknowledged. The coordinator removes the member when its rebalance timeout
  (`max.poll.interval.ms`) is over; it loses what it kept, and joins again. In a classic group the partitions count as
  given up, for the whole group waits.
- `on_partitions_lost`: the member joins again all the same.

A partition that `on_partitions_assigned` was called with hears of `on_partitions_revoked` or `on_partitions_lost` when
it goes, whether or not that call returned. An application that does not poll again leaves after `max.poll.interval.ms`.

Java's consumer differs in the first. By the consumer group protocol it reconciles again, too, but counts the partitions
as owned by then: the callback is not called with them a second time. By the classic protocol it reads them although the
callback failed.
"""


def membership_page() -> str:
    """The page, as it should be."""
    return "".join(
        [
            OPENING,
            "\n## Statuses\n\n",
            _table(("status", "meaning"), _comments(Status)),
            "\n## Phases\n\n",
            _table(("phase", "what is waited for"), _comments(Phase)),
            "\n## The arrows\n\n",
            "Arrows from a status to itself are left out: nearly every event may leave a member where it is.\n\n",
            f"```mermaid\n{diagram()}```\n",
            WHEN_A_CALLBACK_RAISES,
            "\n## What is ignored, and why\n\n",
            _table(("event", "in", "because"), _ignored()),
            "\n## Errors of a heartbeat\n\n",
            "Every other code is fatal: it is raised from `poll`, and nothing is sent any more.\n\n",
            _table(
                ("code", "reaction"),
                ((code.name, told.value.replace("_", " ")) for code, told in failures.REACTIONS.items()),
            ),
            "\n## Errors of commits and of committed offsets\n\nEvery other code fails the call.\n\n",
            _table(("code", "commit", "commit before revoking", "committed offsets"), _offset_errors()),
        ]
    )


def _comments(states: type[Status] | type[Phase]) -> list[tuple[str, str]]:
    """Each member of an enum with the comment beside it: what the code says of itself."""
    return re.findall(r'(\w+) = "\w+"  # (.+)', inspect.getsource(states))


def _ignored() -> Iterable[tuple[str, ...]]:
    for entry in transitions.IGNORED:
        statuses = sorted(entry.statuses, key=list(Status).index)
        yield entry.event.__name__, ", ".join(status.name for status in statuses), entry.reason


def _offset_errors() -> Iterable[tuple[str, ...]]:
    tables = (offsets.COMMIT_ACTIONS, offsets.COMMIT_BEFORE_REVOKING_ACTIONS, offsets.FETCH_ACTIONS)
    for code in dict.fromkeys(code for table in tables for code in table):
        actions = (table.get(code, offsets.Action.FAIL) for table in tables)
        yield code.name, *(action.value.replace("_", " ") for action in actions)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(membership_page())
