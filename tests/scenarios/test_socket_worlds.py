"""The scenarios that say so, played through sockets: by the broker of this project, and by real Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.files import FLAG, FOLDER, check, files, scenario_in
from tests.support.kafka_server import KafkaServer
from tests.support.real_kafka import REAL_VERSIONS
from tests.verification.scenario_language import Scenario, ScenarioError, parse
from tests.verification.scenario_language.notation import NotationError
from tests.verification.scenario_language.worlds import RELEASES, profile_of
from tests.verification.worlds.real_kafka import kafka_player
from tests.verification.worlds.socket_world import SocketWorld
from tests.verification.worlds.tcp import tcp_player


def played_in(world: str) -> list[object]:
    found = [path for path in files() if world in scenario_in(path).worlds]
    return [pytest.param(path, id=str(path.relative_to(FOLDER).with_suffix(""))) for path in found]


def is_told_by_sockets_only(scenario: Scenario, request: pytest.FixtureRequest) -> bool:
    """Whether to rewrite: what the pure world tells of a file, the others have to agree with."""
    return bool(request.config.getoption(FLAG)) and "pure" not in scenario.worlds


@pytest.mark.parametrize("path", played_in("tcp"))
def test_scenario_on_the_embedded_broker(path: Path, request: pytest.FixtureRequest) -> None:
    scenario = scenario_in(path)
    with tcp_player(profile_of(scenario).value) as player:
        check(path, player.play(scenario), rewrite=is_told_by_sockets_only(scenario, request))


@pytest.mark.parametrize("path", played_in("kafka"))
def test_scenario_on_the_embedded_broker_in_the_way_of_the_oldest_release(path: Path) -> None:
    with tcp_player(profile="4.0") as player:
        check(path, player.play(scenario_in(path)), rewrite=False)


def played_on_releases() -> Iterator[object]:
    """Yield each file with every release it is to be played on: all, or the one it names."""
    for version in REAL_VERSIONS:
        for path in files():
            worlds = scenario_in(path).worlds
            if "kafka" in worlds or any(f"kafka-{version}".startswith(world) for world in RELEASES if world in worlds):
                name = path.relative_to(FOLDER).with_suffix("")
                yield pytest.param(version, path, id=f"{version}-{name}", marks=pytest.mark.kafka)


@pytest.mark.parametrize(("real_kafka", "path"), list(played_on_releases()), indirect=["real_kafka"])
def test_scenario_on_real_kafka(path: Path, real_kafka: KafkaServer, request: pytest.FixtureRequest) -> None:
    scenario = scenario_in(path)
    with kafka_player(real_kafka.bootstrap_servers) as player:
        check(path, player.play(scenario), rewrite=is_told_by_sockets_only(scenario, request))


def test_behind_a_socket_there_is_nothing_to_look_into() -> None:
    scenario = parse("worlds tcp\n\nstate\n")
    with tcp_player() as player, pytest.raises(ScenarioError, match="no verb 'state' here"):
        player.play(scenario)


def test_on_a_broker_of_others_no_time_can_be_made_to_pass() -> None:
    with tcp_player() as player, pytest.raises(NotationError, match="leave this world out"):
        SocketWorld(player.world.client, lambda: player.world.client).pass_time(5)


def test_in_virtual_time_a_session_ends_at_once() -> None:
    scenario = parse("worlds tcp\ntopic foo 1\n\njoin A foo\ntick 45s\nheartbeat A\n")
    with tcp_player() as player:
        assert player.play(scenario).endswith("-> A UNKNOWN_MEMBER_ID\n")
