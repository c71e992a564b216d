"""Coordinators may change between any two requests: whoever only looks at answers can't tell.

Scenarios of consumer groups are played with a new coordinator for each request, which has nothing but the log, in
Kafka's bytes. Left out are those in which time passes, since a new coordinator gives everybody all of it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from kafka_nextgen.groups.records import PendingOffsetCommitted, Record, TransactionEnded
from kafka_nextgen.offsets_topic.extensions import decode, encode
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.requests import ConfigsChanged, Request, TopicsChanged
from tests.scenarios.files import FOLDER, check, files, scenario_in
from tests.verification.scenario_language import Player
from tests.verification.scenario_language.host import CoordinatorHost
from tests.verification.scenario_language.worlds import PURE, pure_player

FOLDERS = ("coordinator", "broker", "leaving", "registration", "history/static_members.txt")
TIME = ("tick", "coordinator restart")


class ForgetfulHost(CoordinatorHost):
    """A new coordinator for each request."""

    def ask(self, request: Request) -> Outcome:
        if not isinstance(request, TopicsChanged | ConfigsChanged):
            self.log = [_read_again(record) for record in self.log]
            self.fail_over()
        return super().ask(request)


def _read_again(record: Record) -> Record:
    if isinstance(record, PendingOffsetCommitted | TransactionEnded):
        return record  # its batch tells what its bytes do not
    row = encode(record)
    again = decode(row.key, row.value)
    assert again == record
    return record


def timeless() -> list[object]:
    found = [path for folder in FOLDERS for path in files() if path.is_relative_to(FOLDER / folder)]
    return [
        pytest.param(path, id=str(path.relative_to(FOLDER).with_suffix("")))
        for path in found
        if "pure" in scenario_in(path).worlds and not any(word in path.read_text() for word in TIME)
    ]


@pytest.mark.parametrize("path", timeless())
def test_scenario_with_a_new_coordinator_for_each_request(path: Path) -> None:
    scenario = scenario_in(path)
    world = pure_player(scenario).world
    host = ForgetfulHost(evolve(world.host.settings))
    world.host = host
    check(path, Player(world, PURE).play(scenario), rewrite=False)
