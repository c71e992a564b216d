"""A forked child can't use its parent's consumer, and does not harm it, however the child ends.

``fork_process`` is the parent, ``child_actions`` what the child does. The tests check what the broker sees: correlation
ids without a gap on each connection, so the child wrote nothing, not even at its exit; and no member but the parent's.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.engine.stage import Stage
from tests.sockets.child_actions import ASYNC_CHILD_ACTIONS, CHILD_ACTIONS
from tests.sockets.fork_process import HALF
from tests.sockets.script import Script
from tests.support.waiting import GUARD_S

RUNS = [
    *(("fork", action) for action in CHILD_ACTIONS),
    *(("process", action) for action in CHILD_ACTIONS),
    *(("awaiting", action) for action in ASYNC_CHILD_ACTIONS),
]


@pytest.mark.parametrize(("method", "action"), RUNS, ids=["-".join(run) for run in RUNS])
def test_a_child_neither_uses_nor_harms_its_parents_consumer(
    script: Script, stage: Stage, method: str, action: str
) -> None:
    stage.create(records=2 * HALF)
    python = [sys.executable, "-W", "ignore:This process:DeprecationWarning"]  # since 3.12: of its threads
    command = [*python, "-m", "tests.sockets.fork_process", method, action, stage.cluster.bootstrap_servers]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")

    for numbers in script.streams:
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(members_that(script, "join")) == (2 if action == "make-another" else 1)
    assert members_that(script, "leave") == members_that(script, "join")
    assert stage.committed() == {0: 2 * HALF}


def members_that(script: Script, request: str) -> list[str]:
    """Return the ids of the members that sent this request, each as often as it did."""
    return sorted(one.message.member_id for one in script.came(request) if one.message is not None)
