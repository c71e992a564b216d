"""A worker with OpenTelemetry: its spans continue the producers' traces, and none is lost at SIGTERM."""

from __future__ import annotations

import json

import pytest

from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import started
from tests.support.waiting import GUARD_S

pytest.importorskip("opentelemetry.sdk")

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_spans_continue_the_producers_traces_and_sigterm_loses_none(cluster: Cluster) -> None:
    traced = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
    cluster.produce("orders", [ProducerRecord({"id": 1}, headers=traced, partition=0)])
    cluster.produce("orders", [ProducerRecord({"id": 2}, partition=1)])
    arguments = ("--bootstrap-servers", cluster.bootstrap_servers, "--group", "billing")
    with started("opentelemetry_worker", *arguments) as program:
        cluster.wait_until(lambda: len(cluster.committed("billing")) == 2, GUARD_S)
        assert program.terminate() == 0, program.errors
    spans = [json.loads(line) for line in program.lines]
    charges = {span["order"]: span for span in spans if span["span"] == "charge"}
    continued = [span["span"] for span in spans if (span["trace"], span["parent"]) == (TRACE, SPAN)]
    assert charges.keys() == {1, 2}
    assert charges[1]["trace"] == TRACE, "the handler's own span belongs to the producer's trace"
    assert continued == ["process orders"]
    assert charges[2]["trace"] != TRACE
    assert [span["span"] for span in spans].count("process orders") == 2
    assert "commit orders" in {span["span"] for span in spans}
    assert cluster.committed("billing") == {("orders", 0): 1, ("orders", 1): 1}
    assert cluster.group("billing").members == ()
