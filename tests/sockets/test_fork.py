"""A child that was forked off can't use its parent's consumer, and does it no harm, however it ends.

``forking`` is the process, ``forked`` its child; here is what the broker sees of them. On every connection the requests
are numbered without a gap, so the child wrote nothing to them, not even by its exit, and nobody joined or left but the
parent.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.engine.stage import PATIENCE_S, Stage
from tests.sockets.forked import ASYNC_WAYS, WAYS
from tests.sockets.forking import HALF
from tests.sockets.script import Script

RUNS = [
    *(("fork", way) for way in WAYS),
    *(("process", way) for way in WAYS),
    *(("awaiting", way) for way in ASYNC_WAYS),
]


@pytest.mark.parametrize(("how", "way"), RUNS, ids=["-".join(run) for run in RUNS])
def test_a_child_neither_uses_nor_harms_its_parents_consumer(script: Script, stage: Stage, how: str, way: str) -> None:
    stage.create(records=2 * HALF)
    python = [sys.executable, "-W", "ignore:This process:DeprecationWarning"]  # since 3.12: of its threads
    command = [*python, "-m", "tests.sockets.forking", how, way, stage.cluster.bootstrap_servers]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")

    for numbers in script.streams:
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(members_that(script, "join")) == (2 if way == "make-another" else 1)
    assert members_that(script, "leave") == members_that(script, "join")
    assert stage.committed() == {0: 2 * HALF}


def members_that(script: Script, request: str) -> list[str]:
    """Return the ids of the members that sent this request, each as often as it did."""
    return sorted(one.message.member_id for one in script.came(request) if one.message is not None)
