"""Every arrow of both membership tables, every reaction to a refusal, and every row of the tables for offsets is
walked by a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic import failures as classic
from kafka_nextgen.membership.classic import transitions as classic_transitions
from kafka_nextgen.membership.classic.events import CommitRefused, JoinRefused, SyncRefused
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.membership.failures import HEARTBEAT_ACTIONS
from kafka_nextgen.membership.offsets import rules as offsets
from kafka_nextgen.membership.state_machine import RowOf
from kafka_nextgen.membership.transitions import RULES
from tests.scenarios.files import PLAYERS, files, scenario_in
from tests.verification.scenario_language.arrows import Arrow, Trail

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

#: The same of a classic group's coordinator, by the request that is refused.
CLASSIC_CODES = {
    JoinRefused: {
        *classic.JOIN_ACTIONS,
        ErrorCode.FENCED_INSTANCE_ID,
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        ErrorCode.INVALID_SESSION_TIMEOUT,
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        ErrorCode.INVALID_GROUP_ID,
    },
    SyncRefused: {*classic.SYNC_ACTIONS, ErrorCode.FENCED_INSTANCE_ID, ErrorCode.INCONSISTENT_GROUP_PROTOCOL},
    HeartbeatRefused: {*classic.HEARTBEAT_ACTIONS, ErrorCode.FENCED_INSTANCE_ID},
    CommitRefused: {*classic.COMMIT_REFUSED_ACTIONS},
}

#: What no repetition of a commit repairs; any code that is in no table is treated alike.
REFUSED_COMMITS = {
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.FENCED_INSTANCE_ID,
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.OFFSET_METADATA_TOO_LARGE,
    ErrorCode.INVALID_COMMIT_OFFSET_SIZE,
    ErrorCode.GROUP_ID_NOT_FOUND,
}
REFUSED_LOOKUPS = {ErrorCode.GROUP_AUTHORIZATION_FAILED, ErrorCode.TOPIC_AUTHORIZATION_FAILED}

#: The rows of the tables for offsets, with what is in none of them: by the protocol's world and the table.
ROWS = {
    ("pair", "commit"): {*offsets.RULES.commit, *REFUSED_COMMITS},
    ("pair", "commit_before_revoking"): {
        *offsets.RULES.commit_before_revoking,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        ErrorCode.UNKNOWN_MEMBER_ID,
    },
    ("pair", "fetch"): {*offsets.RULES.fetch, *REFUSED_LOOKUPS, ErrorCode.UNKNOWN_MEMBER_ID},
    ("scripted", "commit"): {*offsets.CLASSIC_RULES.commit, *REFUSED_COMMITS},
    ("scripted", "commit_before_revoking"): {
        *offsets.CLASSIC_RULES.commit_before_revoking,
        *classic.COMMIT_REFUSED_ACTIONS,
    },
    ("scripted", "fetch"): {*offsets.CLASSIC_RULES.fetch, *REFUSED_LOOKUPS},
}


@pytest.fixture(scope="module")
def trail() -> Trail:
    return trail_of("pair")


@pytest.fixture(scope="module")
def classic_trail() -> Trail:
    return trail_of("scripted")


def trail_of(world: str) -> Trail:
    """Play every scenario of a world, and add up what its members went through."""
    walked = Trail()
    for scenario in map(scenario_in, files()):
        if world in scenario.worlds:
            player = PLAYERS[world](scenario)
            player.play(scenario)
            walked.arrows |= player.world.trail.arrows
            walked.refusals |= player.world.trail.refusals
            walked.rows |= player.world.trail.rows
    return walked


def missing(rules: Iterable[RowOf], trail: Trail, figures: Callable[[str], None]) -> list[str]:
    arrows = {Arrow(row.status, row.event, to) for row in rules for to in row.to}
    left = sorted(map(str, arrows - trail.arrows))
    figures(f"{len(arrows) - len(left)} of {len(arrows)} arrows walked")
    return left


def test_every_arrow_of_the_table_is_walked(trail: Trail, figures: Callable[[str], None]) -> None:
    assert missing(RULES, trail, figures) == []


def test_every_arrow_of_the_classic_table_is_walked(classic_trail: Trail, figures: Callable[[str], None]) -> None:
    assert missing(classic_transitions.RULES, classic_trail, figures) == []


def test_every_code_has_a_scenario(trail: Trail) -> None:
    met = {code for _, code in trail.refusals}
    assert {code.name for code in {*HEARTBEAT_ACTIONS, *FATAL} if code not in met} == set()


@pytest.mark.parametrize("event", CLASSIC_CODES)
def test_every_code_of_a_classic_coordinator_has_a_scenario(event: type, classic_trail: Trail) -> None:
    met = {code for kind, code in classic_trail.refusals if kind is event}
    assert {code.name for code in CLASSIC_CODES[event] if code not in met} == set()


@pytest.mark.parametrize(("world", "table"), ROWS)
def test_every_row_for_offsets_has_a_scenario(
    world: str, table: str, trail: Trail, classic_trail: Trail, figures: Callable[[str], None]
) -> None:
    rows = ROWS[world, table]
    met = {code for name, code in (trail if world == "pair" else classic_trail).rows if name == table}
    figures(f"{world}, {table}: {len(rows & met)} of {len(rows)} rows walked")
    assert {code.name for code in rows - met} == set()
