"""Write docs/internals/membership.md from the machines' own tables: ``python docs/tools/make_membership.py``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import failures
from kafka_nextgen.membership.classic import failures as classic_failures
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.error_actions import ErrorAction, ErrorActions
from kafka_nextgen.membership.offsets import rules as offsets
from kafka_nextgen.membership.states import Phase, Status

__all__ = ["membership_page"]

PAGE = Path(__file__).parents[1] / "internals" / "membership.md"

OPENING = """\
# A member of a group

*Written by `python docs/tools/make_membership.py` from `kafka_nextgen/membership/`; a test checks that it is
up to date.*

A member is a state machine: it takes an event and returns effects, which its driver carries out. Its status is its
place in the group; its phase is the step that it waits for within a status. There are two machines, one for each
protocol. `kafka_nextgen/membership/transitions.py` and `kafka_nextgen/membership/classic/transitions.py` begin with the
rules in prose; this page shows their tables. A pair of status and event without a rule is in `IGNORED` of these
modules, with its reason.
"""

#: Drawn from the same rules by ``make_member_states.py`` and ``make_classic_states.py``.
PICTURE = "![The statuses of a member, and the events that lead from one to another](plots/member-states.svg)\n"
CLASSIC_PICTURE = (
    "![The statuses of a classic member, and the events that lead from one to another](plots/classic-states.svg)\n"
)

WHEN_A_CALLBACK_RAISES = """
## When a callback raises

`poll`, iteration, `unsubscribe` or `close` raises the exception. Heartbeats continue.

- `on_partitions_assigned`: the phase is FAILED. The member does not acknowledge the assignment, and hands over no
  records from the new partitions. Each later poll calls the callback again until it returns. If there is a new target
  by then, the member moves to that one. A classic group needs no acknowledgement and continues: if it rebalances, the
  next poll prepares for the rebalance instead.
- `on_partitions_revoked`: the partitions are given up anyway, because other members wait for them, and this
  member continues. The next owner rereads the records that were handed over but not committed.
- `on_partitions_lost`: the member joins again anyway.

Every partition that was passed to `on_partitions_assigned` is later passed to `on_partitions_revoked` or
`on_partitions_lost`, even if the first call raised. A member whose application does not poll again leaves
after `max.poll.interval.ms`. A member whose callbacks in `close` or `unsubscribe` take that long leaves, too; the call
still waits for them.

Java's consumer differs. In the consumer group protocol it acknowledges nothing after `onPartitionsRevoked` has raised,
so the coordinator removes the member, with all its other partitions, when its rebalance timeout
(`max.poll.interval.ms`) has passed. In the classic protocol it gives them up, as here. After `onPartitionsAssigned` has
raised, it also reconciles again, but the partitions already count as owned, and are not passed to the callback a second
time. In the classic protocol it reads them although the callback failed.
"""

CLASSIC_ERRORS = """
## Errors of a classic member's requests

A code without an entry is fatal: `poll` raises it, and the member sends nothing more. In the column for commits, which
the offset machine sends, such a code does not affect the member. "Reset" and "reset
generation" both lose all partitions: after "reset" the member joins again as a new member, after "reset generation"
with the same id. The response to a LeaveGroup makes no difference.

"""


def membership_page() -> str:
    """The page, as it should be."""
    return "".join(
        [
            OPENING,
            "\n## Phases\n\n",
            _table(("phase", "meaning"), _comments(Phase)),
            WHEN_A_CALLBACK_RAISES,
            "\n# The consumer group protocol\n",
            _machine(Status, PICTURE),
            "\n## Errors of a heartbeat\n\n",
            "Every other code is fatal: `poll` raises it, and the member sends nothing more.\n\n",
            _actions({"heartbeat": failures.HEARTBEAT_ACTIONS}),
            "\n## Errors of commits and of committed offsets\n\nEvery other code fails the call.\n\n",
            _offset_errors(offsets.RULES),
            "\n# The classic protocol\n",
            _machine(ClassicStatus, CLASSIC_PICTURE),
            CLASSIC_ERRORS,
            _actions(
                {
                    "JoinGroup": classic_failures.JOIN_ACTIONS,
                    "SyncGroup": classic_failures.SYNC_ACTIONS,
                    "Heartbeat": classic_failures.HEARTBEAT_ACTIONS,
                    "OffsetCommit": classic_failures.COMMIT_REFUSED_ACTIONS,
                }
            ),
            "\n## Errors of a classic member's commits and committed offsets\n\nEvery other code fails the call.\n\n",
            _offset_errors(offsets.CLASSIC_RULES),
        ]
    )


def _machine(statuses: type[Enum], picture: str) -> str:
    """The statuses of a machine, and the picture of its transitions."""
    return "".join(
        [
            "\n## Statuses\n\n",
            _table(("status", "meaning"), _comments(statuses)),
            "\n## Transitions\n\n",
            "Transitions from a status to itself are omitted: nearly every event can leave a member in its status.\n\n",
            picture,
        ]
    )


def _comments(states: type[Enum]) -> list[tuple[str, str]]:
    """Each member of an enum with the comment beside it: its meaning."""
    return re.findall(r'(\w+) = "\w+"  # (.+)', inspect.getsource(states))


def _actions(tables: Mapping[str, ErrorActions]) -> str:
    codes = dict.fromkeys(code for table in tables.values() for code in table)
    rows = ((ErrorCode(code).name, *(_words(table.get(code)) for table in tables.values())) for code in codes)
    return _table(("code", *tables), rows)


def _words(action: ErrorAction | None) -> str:
    return "" if action is None else str(action.value).replace("_", " ")


def _offset_errors(rules: offsets.OffsetRules) -> str:
    tables = (rules.commit, rules.commit_before_revoking, rules.fetch)
    codes = dict.fromkeys(code for table in tables for code in table)
    rows = ((ErrorCode(code).name, *(_words(table.get(code, ErrorAction.FAIL)) for table in tables)) for code in codes)
    return _table(("code", "commit", "commit before revoking", "committed offsets"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(membership_page())
