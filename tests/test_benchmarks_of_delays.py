"""The benchmarks of delays at sizes at which nothing can be measured: that all clients read, and what is told."""

from __future__ import annotations

from array import array
from math import isnan
from pathlib import Path

import pytest
from attrs import astuple

from benchmarks import latency, profile_latency
from benchmarks.delays import strain
from benchmarks.delays.strain import Strain
from benchmarks.delays.task import Delays
from benchmarks.delays.trace import STAGES, Notes, Trace
from kafka_nextgen import TopicPartition
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.records import Columns


def test_delays_are_told_at_their_points() -> None:
    delays = Delays.of([number * 1_000_000 for number in range(1000)], 0.5, Strain(1.5, 0.4, 0.5, 0.1))
    assert (delays.at(0.5), delays.at(0.99), delays.at(1.0), delays.records) == (0.5, 0.99, 0.999, 1000)
    rows = latency.delays_table({latency.BASELINE: [delays], "ours": [delays, delays]}, seconds=5).splitlines()
    assert [cell.strip() for cell in rows[-1].split("|")[2:-1]][3:] == ["1", "10.0%", "1,000"]


def test_delays_are_measured_from_the_producer_to_each_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers = {name: latency.HANDLERS[name] for name in (latency.BASELINE, "kafka_nextgen, for record in consumer")}
    monkeypatch.setattr(latency, "HANDLERS", handlers)
    with Cluster() as cluster:
        measured = latency.measure(cluster.bootstrap_servers, 1, 0.2, 50, 1, 0.0, 0.1)
    for (delays,) in measured.values():
        assert delays.records > 0
        assert 0 < delays.at(0.5) <= delays.at(0.99) < 5


def test_the_stages_of_a_delay_are_told_of_records_in_the_middle_and_of_the_slowest() -> None:
    stages = [(number * 1_000_000, 2_000_000, 1_000_000) for number in range(1000)]
    traced = Trace.of(stages)
    assert traced.median == pytest.approx([0.4995, 0.002, 0.001])
    assert traced.slowest == pytest.approx([0.9945, 0.002, 0.001])


def test_records_are_found_again_among_what_was_decoded() -> None:
    notes, here = Notes(), TopicPartition("orders", 0)
    for received_at, offsets in ((10, [3, 4]), (20, []), (30, [7])):
        columns = Columns(here, next_offset=(offsets or [4])[-1] + 1, offsets=memoryview(array("q", offsets)))
        notes.note([DecodedPartition(here, columns=columns)], received_at)
    assert [notes.of(here, offset)[0] for offset in (3, 4, 7)] == [10, 10, 30]


def test_delays_are_taken_apart_and_the_machine_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    for rate in ("RECORDS_PER_S", "ALONE_PER_S"):
        monkeypatch.setattr(profile_latency, rate, 50)
    with Cluster() as cluster:
        measured = profile_latency.measure(cluster.bootstrap_servers, 1, 0.2, 0.0, 0.1)
    (traced,) = measured.traces
    assert all(stage > 0 for stage in (*traced.median, *traced.slowest))
    assert len(profile_latency.stages_table(measured.traces).splitlines()) == 2 + len(STAGES)
    assert len(measured.nobody) == 1
    strains = profile_latency.strain_table(measured)
    assert all(strains.count(f"| {name} ") == 1 for name in profile_latency.HANDLERS)
    assert len(profile_latency.alone_table(measured.alone).splitlines()) == 2 + len(profile_latency.HANDLERS_ALONE)


def test_what_the_system_does_not_tell_is_no_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(strain, "Path", lambda path: tmp_path / path.lstrip("/"))
    assert all(isnan(share) for share in astuple(strain.Watch().strain()))
