"""The dashboard for Grafana asks for numbers and labels that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kafka_nextgen.metrics.consumer_metrics import (
    CommitMetrics,
    ConnectionMetrics,
    GroupMetrics,
    Metrics,
    PartitionMetrics,
    PollingMetrics,
    ReadingMetrics,
    TopicMetrics,
)
from kafka_nextgen.metrics.timings import Latency
from kafka_nextgen.prometheus import prometheus_text
from kafka_nextgen.types import TopicPartition

LATENCY = Latency(30.0, 10.0, 20.0)
FULL = Metrics(
    reading=ReadingMetrics(
        fetch_latency=LATENCY,
        lag_max=1,
        topics={"orders": TopicMetrics()},
        partitions={TopicPartition("orders", 0): PartitionMetrics(position=1, lag=1, lead=1)},
    ),
    commits=CommitMetrics(latency=LATENCY),
    group=GroupMetrics(
        heartbeat_latency=LATENCY,
        rebalance_latency=LATENCY,
        since_heartbeat_s=1.0,
        since_rebalance_s=1.0,
        rebalances_by_cause={"joined": 1},
    ),
    polling=PollingMetrics(between=LATENCY, since_poll_s=1.0, idle_ratio=0.5, callbacks=LATENCY),
    connections=ConnectionMetrics(request_latency=LATENCY),
    group_id="billing",
    client_id="one",
)
DASHBOARD = json.loads((Path(__file__).parents[2] / "docs" / "operations" / "grafana-consumers.json").read_text())
PANELS = DASHBOARD["panels"]


def labels_of_metrics() -> dict[str, set[str]]:
    families = text_string_to_metric_families(prometheus_text(FULL))
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}


@pytest.mark.parametrize("panel", PANELS, ids=[panel["title"] for panel in PANELS])
def test_a_panel_asks_for_what_there_is(panel: dict[str, Any]) -> None:
    known = labels_of_metrics()
    for target in panel["targets"]:
        names = set(re.findall(r"kafka_\w+", target["expr"]))
        assert names <= known.keys()
        assert names
        text = target["expr"] + target["legendFormat"]
        by = [label for labels in re.findall(r"by \(([\w, ]+)\)", text) for label in labels.split(", ")]
        asked = {*by, *re.findall(r"(\w+)=~", text), *re.findall(r"\{\{(\w+)\}\}", text)}
        assert asked <= set.intersection(*(known[name] for name in names))


def test_its_variables_are_labels_and_its_panels_lie_side_by_side() -> None:
    known = labels_of_metrics()
    variables = [each for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]
    for variable in variables:
        (name,) = re.findall(r"kafka_\w+", variable["query"])
        assert variable["name"] in known[name]
    assert [variable["name"] for variable in variables] == ["group", "client_id"]
    assert len({panel["id"] for panel in PANELS}) == len({tuple(panel["gridPos"].items()) for panel in PANELS})
    assert len(PANELS) == len({panel["id"] for panel in PANELS})
