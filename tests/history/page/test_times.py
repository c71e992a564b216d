"""The page's times, by Node: any log's times can be shown."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from kafka_nextgen.history import page

_NODE = shutil.which("node")


@pytest.mark.skipif(_NODE is None, reason="needs Node")
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("timeText(1790000000123)", "2026-09-21 14:13:20"),
        ("timeText(null)", "-"),
        ("timeText(884541351600000)", "30000-01-01 03:00:00"),
        ("timeText(2 ** 63)", "9223372036854776000 ms"),
        ("axisMarks(0, 1000, 4).length", 3),
        ("axisMarks(2 ** 63, 2 ** 63, 4).length", 0),
        ("axisMarks(0, 2 ** 63, 4).length", 0),
    ],
)
def test_any_time_is_shown(call: str, expected: object) -> None:
    script = f"const state = {{utc: true}};{page._file('times.js')};console.log(JSON.stringify({call}))"
    done = subprocess.run([str(_NODE), "-e", script], capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout) == expected
