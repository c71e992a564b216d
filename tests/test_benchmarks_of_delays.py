"""The benchmarks of delays at sizes at which nothing can be measured: that all clients read, and what is told."""

from __future__ import annotations

from array import array
from itertools import repeat
from math import isnan
from pathlib import Path

import pytest
from attrs import astuple

from benchmarks import latency, profile_latency
from benchmarks.delays import feed, strain
from benchmarks.delays.strain import Strain
from benchmarks.delays.task import Delays
from benchmarks.delays.trace import STAGES, Notes, Trace
from benchmarks.gap.report import Callback, Gap, dump_gaps, load
from benchmarks.gap.run import Measured, Rebalance
from benchmarks.processes import running
from benchmarks.profiling.places import ELSEWHERE, PLACES, place_of
from benchmarks.rebalance_gap import Figures, gaps_table
from kafka_nextgen import TopicPartition
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.records import Columns


def test_delays_are_told_at_their_points() -> None:
    delays = Delays.of([number * 1_000_000 for number in range(1000)], 0.5, Strain(1.5, 0.4, 0.5, 0.1), (0, 5))
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
    acknowledged = [each for (each,) in measured.acknowledged.values()]
    assert all(each.records > 0 and 0 < each.p50_s <= each.p99_s < 5 for each in acknowledged)
    strains = profile_latency.strain_table(measured)
    assert all(strains.count(f"| {name} ") == 1 for name in profile_latency.HANDLERS)
    assert len(profile_latency.alone_table(measured.alone).splitlines()) == 2 + len(profile_latency.HANDLERS_ALONE)


def test_what_the_system_does_not_tell_is_no_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(strain, "Path", lambda path: tmp_path / path.lstrip("/"))
    assert all(isnan(share) for share in astuple(strain.Watch().strain()))


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not tell")
def test_cores_are_busy_with_what_this_process_does_and_more() -> None:
    watch = strain.Watch()
    sum(range(1_000_000))
    seen = watch.strain()
    assert seen.busy >= seen.ran > 0


def test_a_process_that_dies_is_told_of_by_whoever_asks_it(capfd: pytest.CaptureFixture[str]) -> None:
    nowhere = feed.Feed("127.0.0.1:1", "none", partitions=0, records_per_s=1000)
    with (
        pytest.raises(RuntimeError, match=r"benchmarks\.delays\.feed .* ended with 1"),
        running("benchmarks.delays.feed", nowhere) as ask_it,
    ):
        list(map(ask_it, repeat("0 1")))
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("innermost_first", "part", "function"),
    [
        ("is_due (/a/kafka_nextgen/fetching/planning.py:7)", "fetching: positions, sessions, what to ask", None),
        ("crc32c_of (accelerator/crc32c.h:1) < f (/a/kafka_nextgen/fetching/state.py:1)", "decoding records", None),
        ("receive (accelerator/receive.h:1) < f (/a/kafka_nextgen/transport/connection.py:1)", "connections", None),
        ("record_at (accelerator/objects.h:5)", "the application's side: polling, records", None),
        ("release (libpython3.so) < ring (/a/kafka_nextgen/engine/application/wakeup.py:5)", None, None),
        ("_bootstrap (/lib/threading.py:1002)", ELSEWHERE, "_bootstrap (lib/threading.py)"),
        ("0x7f", ELSEWHERE, "0x7f"),
    ],
)
def test_work_belongs_to_the_innermost_part_that_did_it(
    innermost_first: str, part: str | None, function: str | None
) -> None:
    found = place_of(["main (run.py:1)", *reversed(innermost_first.split(" < "))])
    assert found == (part or found[0], function or found[1])
    assert found[0] in PLACES or part == ELSEWHERE


# ---- how the benchmark of reading through rebalances reads what it saw


KEPT = frozenset({0})


def measured(*gaps: Gap) -> Measured:
    rebalances = [Rebalance(10, 12, KEPT), Rebalance(20, 22, KEPT)]
    return Measured("any", rebalances, gaps, [Callback("revoked", 10.5, 10.8, frozenset({1}))])


def test_the_longest_gap_of_a_kept_partition_counts() -> None:
    moved, short, long, otherwise = Gap(1, 10, 12), Gap(0, 10.1, 10.2), Gap(0, 10.4, 11), Gap(0, 13, 19)
    seen = measured(moved, short, long, otherwise)
    assert seen.longest() == [long, Gap(-1, 0, 0)]
    assert seen.longest_otherwise() == [otherwise]


def test_a_gap_counts_for_the_rebalance_that_it_reaches_into() -> None:
    gap = Gap(0, 9, 10.1)
    assert measured(gap).longest()[0] == gap


@pytest.mark.parametrize(
    ("gap", "in_callbacks_s"), [(Gap(0, 10.4, 11), 0.3), (Gap(0, 10.6, 11), 0.2), (Gap(0, 11, 12), 0)]
)
def test_the_time_of_the_members_own_callbacks_is_told_apart(gap: Gap, in_callbacks_s: float) -> None:
    assert measured().in_callbacks_s(gap) == pytest.approx(in_callbacks_s)


def test_what_a_member_tells_is_understood() -> None:
    callback, gaps = Callback("assigned", 1.0, 2.0, frozenset({1, 3})), [Gap(0, 1.5, 2.5)]
    assert load(callback.dump()) == callback
    assert load(dump_gaps(gaps)) == gaps


def test_the_first_client_is_told_next_to_the_last() -> None:
    figures = [Figures("ours", 10, 20, 5, 3, 4), Figures("theirs", 50, 30, 25, 3, 4)]
    rows = gaps_table(figures, callback_ms=300, rebalances=20).splitlines()
    assert rows[0] == "The longest gap in each of 20 rebalances, callbacks of 300 ms:"
    assert [cell.strip() for cell in rows[-1].split("|")[1:4]] == ["ratio", "5.0", "1.5"]
