"""Without extensions a coordinator is Kafka's: every transcript that needs none is the same with nothing attached."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_nextgen.groups.extensions.records import ExpectedMembers, Slot
from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.extensions.hooks import Extensions
from kafka_nextgen.testing.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.testing.coordinator.hooks import NO_EXTENSIONS, Hooks
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from tests.scenarios.files import FOLDER, check, files, scenario_in
from tests.verification.scenario_language import host, pure_player

#: What is asked there only a coordinator with extensions can be asked, be they off.
OF_EXTENSIONS = ("extensions", "history", "leaving", "registration")


def asking_for_none() -> list[object]:
    plain = [path for path in files() if not path.relative_to(FOLDER).parts[0].startswith(OF_EXTENSIONS)]
    found = [path for path in plain if "extensions=on" not in path.read_text() and "pure" in scenario_in(path).worlds]
    return [pytest.param(path, id=str(path.relative_to(FOLDER).with_suffix(""))) for path in found]


@pytest.mark.parametrize("path", asking_for_none())
def test_a_transcript_without_extensions(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "EXTENSIONS", NO_EXTENSIONS)
    scenario = scenario_in(path)
    check(path, pure_player(scenario).play(scenario), rewrite=False)


def test_records_of_extensions_are_passed_over() -> None:
    coordinator = Coordinator(CoordinatorSettings())
    coordinator.apply(ExpectedMembers("g", (Slot("i", 1),)))
    assert not coordinator.groups


def test_requests_of_extensions_are_not_served() -> None:
    with pytest.raises(AssertionError, match="no extension that serves DescribeHistory"):
        Coordinator(CoordinatorSettings(extensions=True)).handle(DescribeHistory("g"), 0.0)


def test_something_is_attached_everywhere() -> None:
    assert [name for name in vars(Hooks) if not name.startswith("__") and name not in vars(Extensions)] == []
