"""Which request a rule of a script applies to, and how often."""

from __future__ import annotations

import pytest

from kafka_nextgen import BrokerError
from tests.engine.stage import TOPIC, Stage, poll_until, read
from tests.sockets.script import Script


@pytest.mark.parametrize(
    "line",
    ["when heartbeat answer error NONE", "when nothing: stay silent", "when heartbeat: do something", "heartbeat"],
)
def test_what_is_no_rule_is_refused(line: str) -> None:
    with pytest.raises(AssertionError):
        Script().play(line)


def test_a_code_that_is_none_is_refused() -> None:
    with pytest.raises(KeyError):
        Script().play("when heartbeat: answer error NO_SUCH_CODE")


def test_the_first_rule_that_matches_and_is_not_used_up_applies(script: Script, stage: Stage) -> None:
    stage.create(records=5)
    script.play("""
        when join, 2 times: answer error NOT_COORDINATOR
        when join: drop the connection
        when commit, always: answer error GROUP_ID_NOT_FOUND
    """)
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        read(consumer, 5)
        assert [len(script.came("join")), len(script.acted_on)] == [4, 3]
        assert script.is_done, "a rule that applies always is never used up"
        for _ in range(2):
            with pytest.raises(BrokerError, match="GROUP_ID_NOT_FOUND"):
                consumer.commit()
        script.stop()
        consumer.commit()
    assert stage.committed() == {0: 5}


def test_a_request_is_waited_for(script: Script, stage: Stage) -> None:
    stage.create()
    script.play("when heartbeat: answer error 999")
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        with pytest.raises(BrokerError):
            poll_until(consumer, lambda: False)
        assert script.wait_for("join").message is script.came("join")[0].message
