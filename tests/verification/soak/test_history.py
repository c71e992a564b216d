"""A history that tells something else than the script did is found out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kafka_nextgen.history.json_lines import encode_event
from tests.history.story import story
from tests.verification.soak.history import what_the_history_has_wrong

P1 = "{'config': {'group.id': 's.consumer', 'group.protocol': 'consumer'}}"
#: p1 joins and leaves, p2 is killed, v visits, and p3 is removed.
SCRIPT = f"""
0 clock wall 0
1 start p1 sync {P1}
1 start p2 sync {P1}
1 start p3 sync {P1}
1 start visitor-1 visitor {P1}
3 told p1 delivered 0
3 told p1 delivered 1
7 told p2 delivered 1
8 event remove p3
9 told visitor-1 vitals 1
20 told p1 closed 0
21 told p2 dead 0
50 stored s.consumer {{"0": 5}}
"""
HISTORY = """
    2 coordinator:1 joined A @1 client=p1
    2 coordinator:1 group_epoch A @1 cause=member_joined
    2 coordinator:1 assigned A @1 s-0[0-1]
    5 coordinator:1 joined B @2 client=p2
    5 coordinator:1 group_epoch B @2 cause=member_joined
    6 coordinator:1 revoked A @1 s-0[1]
    6 coordinator:1 assigned A @2 s-0[]
    6 coordinator:1 assigned B @2 s-0[1]
    7 coordinator:1 joined C @3 client=p3
    8 coordinator:1 fenced C @3 cause=admin
    9 coordinator:1 joined V @4 client=visitor-1
    9 coordinator:1 left V @4 cause=member_left
    19 coordinator:1 committed A s-0[0] offset=5
    20 coordinator:1 revoked A @2 s-0[0]
    20 coordinator:1 left A @2 cause=member_left
    30 coordinator:1 fenced B @2 cause=member_expired
"""


def findings(folder: Path, script: str, history: str) -> list[str]:
    log, events = folder / "events.log", folder / "history.jsonl"
    log.write_text("\n".join(_line(text) for text in script.strip().splitlines()))
    events.write_text("\n".join(encode_event(event) for event in story(history, group="s.consumer")))
    return what_the_history_has_wrong(log, events, lambda told: None)


def _line(text: str) -> str:
    """A line of the log; what a member told is written as JSON there."""
    at, what, about, *more = text.split(" ", 3)
    if what != "told":
        return text
    said, number = more[0].split()
    notes = {"dead": "killed", "vitals": json.dumps({"rebalances": int(number)})}
    runs = [[int(number), 0, 9]] if said == "delivered" else []
    return f"{at} told {about} " + json.dumps(
        {"at": float(at), "what": said, "runs": runs, "note": notes.get(said, "")}
    )


def test_a_history_that_is_right(tmp_path: Path) -> None:
    assert findings(tmp_path, SCRIPT, HISTORY) == []


@pytest.mark.parametrize(
    ("line", "instead", "finding"),
    [
        ("s-0[0-1]", "s-0[0]", "p1 read topic 0[1] at 3.000, and never owned it"),
        ("6 coordinator:1 revoked A", "2.5 coordinator:1 revoked A", "0.6 s after it had given it up"),
        ("20 coordinator:1 left A @2 cause=member_left", "", "p1 ended, and did not leave"),
        ("30 coordinator:1 fenced B @2 cause=member_expired", "", "p2 was killed, and not put out"),
        ("30 coordinator:1 fenced B", "10 coordinator:1 fenced B", "p2 expired at 10.000, and nothing had been done"),
        ("fenced B @2 cause=member_expired", "fenced B @2 cause=admin", "p2 was put out by an administrator"),
        ("group_epoch B @2 cause=member_joined", "group_epoch A @2 cause=admin", "p2 came, and began no rebalance"),
        ("9 coordinator:1 joined V @4 client=visitor-1", "", "visitor-1 came 1 times, of which 0 are told"),
        ("offset=5", "offset=4", "s.consumer has 5 for topic 0[0], and 4 is told"),
        ("    6 coordinator:1 revoked A @1 s-0[1]\n", "", "A and B of s.consumer both owned s-0[1]"),
    ],
)
def test_a_history_that_is_wrong(tmp_path: Path, line: str, instead: str, finding: str) -> None:
    assert line in HISTORY
    found = findings(tmp_path, SCRIPT, HISTORY.replace(line, instead, 1))
    assert any(finding in what for what in found), found


def test_a_member_that_came_for_a_moment_may_expire_once_a_coordinator_failed(tmp_path: Path) -> None:
    left, expired = "9 coordinator:1 left V @4 cause=member_left", "18 coordinator:1 fenced V @4 cause=member_expired"
    history = HISTORY.replace(left, expired)
    assert findings(tmp_path, SCRIPT, history) == [
        "history: visitor-1 expired at 18.000, and nothing had been done to it"
    ]
    assert findings(tmp_path, SCRIPT.replace("9 told", "9 event fail-over 1 s.consumer\n9 told"), history) == []
