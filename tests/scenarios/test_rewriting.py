from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scenarios.files import FLAG, check

ROOT = Path(__file__).parents[2]

CONFTEST = "from tests.scenarios.files import add_flag as pytest_addoption, refuse_flag_under_ci as pytest_configure\n"
TEST = """
from pathlib import Path
from tests.scenarios.files import FLAG, check

def test_it(request):
    path = Path(__file__).with_name("some.txt")
    check(path, "what happened\\n", rewrite=request.config.getoption(FLAG))
"""


def test_a_file_that_says_something_else_fails_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text("something else\n")
    with pytest.raises(AssertionError):
        check(path, "what happened\n", rewrite=False)
    assert path.read_text() == "something else\n"


def run_pytest(folder: Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TEST)
    (folder / "some.txt").write_text("something else\n")
    clean = {key: value for key, value in os.environ.items() if key != "CI"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *flags, str(folder)],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_with_the_flag_the_file_says_what_happened(tmp_path: Path) -> None:
    assert run_pytest(tmp_path, FLAG).returncode == pytest.ExitCode.OK
    assert (tmp_path / "some.txt").read_text() == "what happened\n"


def test_under_ci_the_flag_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    refused = run_pytest(tmp_path, FLAG, CI="true")
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "run it at your desk" in refused.stderr
    assert (tmp_path / "some.txt").read_text() == "something else\n"


def test_under_ci_without_the_flag_nothing_is_different(tmp_path: Path) -> None:
    assert run_pytest(tmp_path, CI="true").returncode == pytest.ExitCode.TESTS_FAILED
