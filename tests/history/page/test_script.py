"""The page's script, by Node: any log's times can be shown, and what it says of standstills and hold-ups."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from kafka_nextgen.history import page
from tests.support.waiting import GUARD_S

_NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(_NODE is None, reason="needs Node")

#: Two rebalances of two partitions: the first took its holder no time, and in the second one standstill is not over.
GROUP = """
const PARTS = ["processing", "commit", "callback", "coordinator"];
const parts = (ms) => Object.fromEntries(PARTS.map((part) => [`${part}_ms`, [0, part === "commit" ? ms : 0]]));
const group = {
  last: 900,
  rebalances: { rows: 2, epoch: [1, 2], holder: ["A", "B"], members: [1, 2] },
  standstills: { rows: 3, epoch: [1, 2, 2], began: [0, 100, 200], ended: [30, 150, null], ms: [30, 50, null] },
  holdups: { rows: 2, epoch: [1, 2], member: ["A", "B"], ...parts(70) },
};
for (const name of ["holdups", "standstills"]) group[name].byEpoch = rowsBy(group[name].epoch);
state.group = group;
"""


def _run(files: str, *calls: str, before: str = "") -> list[object]:
    script = "".join(page._file(f"{name}.js") for name in files.split())
    printed = subprocess.run(
        [str(_NODE), "-e", f"{script};{before};console.log(JSON.stringify([{','.join(calls)}]))"],
        capture_output=True,
        check=True,
        timeout=GUARD_S,
    )
    return list(json.loads(printed.stdout))


def test_any_time_is_shown_in_utc() -> None:
    expected = {
        "timeText(1790000000123)": "2026-09-21 14:13:20",
        "timeText(null)": "-",
        "timeText(884541351600000)": "30000-01-01 03:00:00",
        "timeText(2 ** 63)": "9223372036854776000 ms",
        "axisMarks(0, 1000, 4).length": 3,
        "axisMarks(2 ** 63, 2 ** 63, 4).length": 0,
        "axisMarks(0, 2 ** 63, 4).length": 0,
    }
    assert _run("state times", *expected) == list(expected.values())


def test_a_standstill_is_told_by_its_longest_and_not_by_a_sum() -> None:
    expected = {
        "longestStand(group, standsIn(group, 0))": 30,
        "longestStand(group, standsIn(group, 1))": 700,  # not over: it lasts to the end of the log
        "longestStand(group, standsBetweenOwners(group))": 700,
        "(group.rebalances.members[1] = 0, longestStand(group, standsBetweenOwners(group)))": 50,
    }
    assert _run("state model details", *expected, before=GROUP) == list(expected.values())


def test_a_member_that_took_no_time_held_nothing_up() -> None:
    assert _run("state model details", "holdingUp(0)", "holdingUp(1)", before=GROUP) == [None, 1]


def test_what_was_done_twice_is_unknown_where_members_died() -> None:
    """A member that died cannot report what it read."""
    calls = [f"repeatedText({count}, {died})" for count, died in ((793, "false"), (793, "true"), (0, "true"))]
    assert _run("times figures", *calls) == ["793", "≥ 793", "unknown"]
