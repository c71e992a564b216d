"""Every arrow of the membership table, and every reaction to a refusal, is walked by a scenario of the pair world."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.failures import REACTIONS
from kafka_nextgen.membership.transitions import RULES
from kafka_nextgen.scenarios import pair_player
from kafka_nextgen.scenarios.arrows import Arrow, Trail
from tests.scenarios.files import files, scenario_in

ARROWS = {Arrow(row.status, row.event, to) for row in RULES for to in row.to}

#: What no repetition will repair (KIP-848, "ConsumerGroupHeartbeat API"); any other code is treated alike.
FATAL = {
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.GROUP_MAX_SIZE_REACHED,
    ErrorCode.UNSUPPORTED_ASSIGNOR,
    ErrorCode.INVALID_REGULAR_EXPRESSION,
    ErrorCode.UNSUPPORTED_VERSION,
    ErrorCode.FENCED_INSTANCE_ID,
    ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.UNKNOWN_SERVER_ERROR,
}


@pytest.fixture(scope="module")
def trail() -> Trail:
    walked = Trail()
    for scenario in map(scenario_in, files()):
        if "pair" in scenario.worlds:
            player = pair_player(scenario)
            player.play(scenario)
            walked.arrows |= player.world.trail.arrows
            walked.refusals |= player.world.trail.refusals
    return walked


def test_every_arrow_of_the_table_is_walked(trail: Trail, figures: Callable[[str], None]) -> None:
    missing = sorted(map(str, ARROWS - trail.arrows))
    figures(f"{len(ARROWS) - len(missing)} of {len(ARROWS)} arrows walked")
    assert missing == []


def test_every_code_has_a_scenario(trail: Trail) -> None:
    met = {code for _, code in trail.refusals}
    assert {code.name for code in {*REACTIONS, *FATAL} if code not in met} == set()
