"""Where releases differ: what is told in ``profiles`` is played again on real Kafka, and has to be what the machine
does in the way of that release.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafka_nextgen.testing.coordinator.settings import Profile
from tests.scenarios.files import FOLDER
from tests.support.kafka_server import KafkaServer
from tests.verification.scenario_language import Player, parse, pure_player
from tests.verification.worlds.real_kafka import kafka_player

#: Each shows a difference that can be seen from outside, without time passing.
SEEN = (
    "assignor_vote_4_3",
    "assignor_vote_4_4",
    "described_4_2",
    "emptied_4_4",
    "joining_again_4_1",
    "second_revocation_4_1",
    "strict_commit_4_2",
    "subscription_shrinks_4_1",
    "wanted_back_4_1",
)

NOT_BEHIND_SOCKETS = re.compile("#|worlds|settings|state|----|->|   ")


def commands_of(path: Path) -> str:
    return "\n".join(line for line in path.read_text().splitlines() if not NOT_BEHIND_SOCKETS.match(line))


def told(player: Player, commands: str) -> list[str]:
    """What happened, answers only."""
    played = player.play(parse(f"worlds pure kafka\n\n{commands}\n"))
    return [line for line in played.splitlines() if line.startswith(("->", "   "))]


@pytest.mark.parametrize("name", SEEN)
def test_real_kafka_differs_in_the_same_way(name: str, each_real_release: KafkaServer) -> None:
    found = re.match(r"\d+\.\d+", each_real_release.version)
    if found is None or found[0] not in {profile.value for profile in Profile}:
        pytest.skip("nobody knows which release this broker is of")
    commands = commands_of(FOLDER / "profiles" / f"{name}.txt")
    settings = f"settings profile={found[0]}\n"
    machine = told(pure_player(parse("worlds pure kafka\n\n" + settings)), settings + commands)
    with kafka_player(each_real_release.bootstrap_servers) as player:
        assert told(player, commands) == machine
