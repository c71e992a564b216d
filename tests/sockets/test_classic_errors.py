"""Errors of JoinGroup, SyncGroup, Heartbeat and LeaveGroup, and faults at each, on real sockets.

``tests/scenarios/test_arrows.py`` holds that a scenario meets every code. A consumer joins a classic group, or has
read in one, and the request is answered with one; then it is looked at what ``poll`` raises, which callbacks run, and
how the member joins again.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from kafka_nextgen import Consumer, GroupAuthorizationError
from kafka_nextgen.codes import ErrorCode
from tests.engine.classic_group import CLASSIC, Group
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, read
from tests.sockets.acts import FAULTS, limits_for
from tests.sockets.script import Script

REQUESTS = ["classic join", "classic sync", "classic heartbeat"]


@pytest.fixture
def group(stage: Stage) -> Group:
    group = Group()
    group.serve(stage)
    stage.create(2, records=10)
    return group


@pytest.fixture
def heard() -> Hears:
    return Hears()


def subscribed(stage: Stage, heard: Hears, **more: object) -> Consumer:
    consumer = stage.consumer(**{**CLASSIC, **more})
    consumer.subscribe([TOPIC], listener=heard)
    return consumer


@pytest.mark.parametrize("code", ["NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "UNKNOWN_MEMBER_ID"])
def test_a_join_that_is_refused_for_now_is_made_again_and_nobody_hears_of_it(
    script: Script, stage: Stage, group: Group, heard: Hears, code: str
) -> None:
    script.play(f"when classic join: answer error {code}\nwhen classic sync: answer error {code}")
    with subscribed(stage, heard) as consumer:
        assert len(read(consumer, 20)) == 20
        assert script.is_done
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]


@pytest.mark.parametrize("request_", REQUESTS)
def test_what_is_fatal_is_raised_by_every_poll_and_nothing_is_sent_any_more(
    script: Script, stage: Stage, group: Group, heard: Hears, request_: str
) -> None:
    kind, code = GroupAuthorizationError, ErrorCode.GROUP_AUTHORIZATION_FAILED
    is_joined = request_ == "classic heartbeat"
    if not is_joined:
        script.play(f"when {request_}: answer error {code.name}")
    with subscribed(stage, heard) as consumer:
        if is_joined:  # the first heartbeat may be sent before the application is told its partitions
            poll_until(consumer, lambda: heard.calls)
            script.play(f"when {request_}: answer error {code.name}")
        for _ in range(2):
            with pytest.raises(kind, match=rf"group billing: member .*{code.name}") as caught:
                poll_until(consumer, lambda: False)
            assert (type(caught.value), caught.value.code, caught.value.group) == (kind, code, "billing")
            assert "grant READ on the group" in str(caught.value)
        while consumer.assignment():
            with suppress(kind):  # every poll raises it, also one that comes before the loss is told
                consumer.poll(timeout=0.1)
        sent = len(script.seen)
        consumer.close()
    group_requests = [one for name in (*REQUESTS, "classic leave") for one in script.came(name)]
    came_later = [one for one in group_requests if one in script.seen[sent:]]
    assert came_later in ([], script.came("classic heartbeat")[-1:])  # one may have been on its way
    expected = ["assigned orders[0-1]", "lost orders[0-1]"] if is_joined else []
    assert heard.calls == expected


@pytest.mark.parametrize(("code", "has_moved"), [("NOT_COORDINATOR", True), ("COORDINATOR_LOAD_IN_PROGRESS", False)])
def test_a_heartbeat_that_is_refused_for_now_is_sent_again_and_nobody_hears_of_it(
    script: Script, stage: Stage, group: Group, heard: Hears, code: str, has_moved: bool
) -> None:
    with subscribed(stage, heard) as consumer:
        read(consumer, 20)
        looked_up = len(script.came("find coordinator"))
        script.play(f"when classic heartbeat, 3 times: answer error {code}")
        poll_until(consumer, lambda: script.is_done)
        script.wait_for_next("classic heartbeat")
        assert (len(script.came("find coordinator")) > looked_up) is has_moved
        assert heard.calls == ["assigned orders[0-1]"]
    assert len(script.came("classic join")) == 2, "the first is answered with an id to join with"


@pytest.mark.parametrize(
    ("code", "loss", "keeps_id"),
    [
        ("REBALANCE_IN_PROGRESS", "revoked", True),
        ("ILLEGAL_GENERATION", "lost", True),
        ("UNKNOWN_MEMBER_ID", "lost", False),
    ],
)
def test_a_heartbeat_that_tells_of_a_rebalance_makes_the_member_join_again(
    script: Script, stage: Stage, group: Group, heard: Hears, code: str, loss: str, keeps_id: bool
) -> None:
    with subscribed(stage, heard) as consumer:
        read(consumer, 20)
        joins = len(group.joins)
        script.play(f"when classic heartbeat: answer error {code}")
        poll_until(consumer, lambda: len(heard.calls) == 3)
        assert heard.calls == ["assigned orders[0-1]", f"{loss} orders[0-1]", "assigned orders[0-1]"]
        assert group.joins[joins].member_id == ("me" if keeps_id else "")


def test_a_leave_that_is_refused_makes_no_difference(script: Script, stage: Stage, group: Group, heard: Hears) -> None:
    script.play("when classic leave: answer error NOT_COORDINATOR")
    with subscribed(stage, heard) as consumer:
        read(consumer, 20)
    assert len(script.came("classic leave")) == 1
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]


@pytest.mark.parametrize("act", FAULTS)
def test_a_fault_at_each_step_costs_nothing(script: Script, stage: Stage, group: Group, heard: Hears, act: str) -> None:
    script.play("\n".join(f"when {request}: {act}" for request in (*REQUESTS, "classic leave")))
    limits = limits_for(act)
    if limits:  # the answer to a JoinGroup may take as long as a rebalance
        limits["rebalance_timeout_ms"] = limits["request_timeout_ms"]
    with subscribed(stage, heard, **limits) as consumer:
        assert len(read(consumer, 20)) == 20
        poll_until(consumer, lambda: len(script.acted_on) >= len(REQUESTS))
        # It leaves by a connection that is not about to break: a member that leaves does not try again.
        poll_until(consumer, lambda: len(script.came("classic heartbeat")) > 1)
    assert script.is_done
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]
