"""``--rewrite-scenarios``, which is an option of every run: ``tests/conftest.py`` adds it."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.scenarios.files import check, refuse_flag_under_ci


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.txt"
    path.write_text("something else\n")
    return path


def test_a_file_that_says_something_else_fails_and_stays(path: Path) -> None:
    with pytest.raises(AssertionError, match=r"some\.txt"):
        check(path, "what happened\n", rewrite=False)
    assert path.read_text() == "something else\n"


def test_with_the_flag_the_file_says_what_happened(path: Path) -> None:
    check(path, "what happened\n", rewrite=True)
    assert path.read_text() == "what happened\n"


def test_only_under_ci_the_flag_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    given, not_given = (Mock(getoption=Mock(return_value=is_given)) for is_given in (True, False))
    monkeypatch.delenv("CI", raising=False)
    refuse_flag_under_ci(given)
    monkeypatch.setenv("CI", "true")
    refuse_flag_under_ci(not_given)
    with pytest.raises(pytest.UsageError, match="run it at your desk"):
        refuse_flag_under_ci(given)
