"""A broker that throttles nonsensically is named, wherever something takes long for that, and close() does not wait."""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen.transport import throttling
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FETCH, HEARTBEAT, METADATA, OFFSET_COMMIT, Api
from tests.engine.stage import Stage, poll_until

AN_HOUR_MS, AN_HOUR_S = 3_600_000, 3600.0


def throttle(stage: Stage, api: Api) -> None:
    """Have answers to this ask to be left alone for an hour."""
    stage.change(api, lambda answer: answer.replaced(throttle_time_ms=AN_HOUR_MS))


@pytest.mark.parametrize(
    ("api", "settings"),
    [
        (FETCH, {}),
        (METADATA, {"metadata_max_age_ms": 100}),
        (CONSUMER_GROUP_HEARTBEAT, {}),
        (HEARTBEAT, {"group_protocol": "classic", "heartbeat_interval_ms": 50}),
        (OFFSET_COMMIT, {"auto_commit_interval_ms": 50}),
    ],
    ids=str,
)
def test_it_is_a_problem_and_told_once_and_close_commits_and_leaves_all_the_same(
    stage: Stage,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    api: Api,
    settings: dict[str, object],
) -> None:
    # A coordinator is obeyed for 10 s, and would be told of once more where the machine takes longer than that.
    monkeypatch.setattr(throttling, "_MAX_AS_COORDINATOR_S", AN_HOUR_S)
    with caplog.at_level(logging.WARNING, "kafka_nextgen.transport"):
        consumer = stage.after_reading(10, enable_auto_commit=True, **settings)
        throttle(stage, api)
        poll_until(consumer, lambda: consumer.health().throttle is not None)
        throttled = f"throttled by broker 1 ({stage.cluster.bootstrap_servers}) until "
        assert throttled in str(consumer.health().problem)
        consumer.close(timeout=AN_HOUR_S)
    assert stage.committed() == {0: 10}
    assert stage.members() == 0
    # An automatic commit that has to wait for longer than its interval tells of the throttle, too, as what failed.
    told = [each.getMessage() for each in caplog.records if each.name == "kafka_nextgen.transport.connection"]
    assert "".join(told).count(throttled) == 1
