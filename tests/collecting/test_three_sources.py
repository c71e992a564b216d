"""One run as its members, its coordinator and a poller tell it."""

from __future__ import annotations

import pytest

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import SourceKind
from kafka_nextgen.history.facts import Rebalance
from kafka_nextgen.history.source_comparison import differences, source_views
from kafka_nextgen.testing import Cluster
from tests.collecting.members import Kept
from tests.collecting.one_run import members_come_and_go

SETTINGS = {
    "group.consumer.min.heartbeat.interval.ms": "50",
    "group.consumer.heartbeat.interval.ms": "50",
    "group.initial.rebalance.delay.ms": "0",
}
GROUP = "billing"


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_members_coordinator_and_poller_tell_the_same_story(protocol: str) -> None:
    told = Kept()
    with Cluster(config=SETTINGS, history=told.write) as cluster:
        cluster.create_topic("orders", 6)
        config = {
            "bootstrap_servers": cluster.bootstrap_servers,
            "group_id": GROUP,
            "group_protocol": protocol,
            **({"heartbeat_interval_ms": 50} if protocol == "classic" else {}),
            "enable_auto_commit": False,
        }
        members_come_and_go(config, "orders", 6, told)
    events = told.of_group(GROUP)
    of_each = source_views(events)
    assert list(of_each) == [SourceKind.CONSUMER, SourceKind.COORDINATOR, SourceKind.POLLER]
    told_by_members = of_each[SourceKind.CONSUMER]
    assert set(told_by_members.members.values()) == {(1, 1)}
    assert len(told_by_members.members) == 3
    assert [each for each in differences(of_each) if not each.about.endswith("epochs")] == []
    assert [each for each in differences(of_each) if each.source is SourceKind.COORDINATOR] == []
    rebalances = [each for each in analyze(events).facts["rebalances"] if isinstance(each, Rebalance)]
    assert {each.cause for each in rebalances} >= {"member joined", "member left"}
    assert not analyze(events).facts["overlaps"]
