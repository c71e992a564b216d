"""The benchmarks at sizes at which nothing can be measured: that they run, and how they read what they saw."""

from __future__ import annotations

import json
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.assigning.groups import ASSIGNORS, Result, Shape, judge, make_group
from benchmarks.assigning.run import Measured, measure, shapes_of_growth, shapes_of_sizes
from benchmarks.assignors import growth_table, sizes_table, verdict
from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.report import readings_table, targets_table
from benchmarks.consuming.run import LAYOUTS, fill_topic
from benchmarks.consuming.run import Measured as MeasuredReadings
from benchmarks.consuming.targets import TARGETS, judged
from benchmarks.consuming.values import values
from benchmarks.consuming.variants import BASELINE, VARIANTS
from benchmarks.coordinator_memory import measure as measure_memory
from benchmarks.coordinator_memory import per_member, per_partition, report
from benchmarks.heartbeating.machine import MachineGroup
from benchmarks.heartbeating.tcp import TcpGroup
from benchmarks.heartbeats import OverTcp, in_the_machine, machine_table, tcp_table
from benchmarks.page import PAGE, in_ms, table, write_section
from kafka_nextgen.testing import Cluster
from tests.support.kafka_server import NoKafkaError
from tests.support.real_kafka import NEWEST_VERSION, is_required

# The page.


def test_a_table_can_be_read_before_it_is_rendered() -> None:
    assert table(("what", "ms"), [("a", "1"), ("long", "100")]).splitlines() == [
        "| what |  ms |",
        "|------|----:|",
        "| a    |   1 |",
        "| long | 100 |",
    ]


def test_a_benchmark_writes_its_own_section_only(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    b = "# B\n<!-- figures of b -->\n<!-- end of b -->\nend\n"
    page.write_text(f"# A\n<!-- figures of a -->\nold\n<!-- end of a -->\n{b}")
    write_section("a", "new", page)
    write_section("a", "newer\n", page)
    assert page.read_text() == f"# A\n<!-- figures of a -->\n\nnewer\n\n<!-- end of a -->\n{b}"


def test_figures_without_a_place_are_not_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here")
    with pytest.raises(SystemExit, match="no place for the figures of a"):
        write_section("a", "new", page)


@pytest.mark.parametrize("name", ["assignors", "heartbeats", "coordinator_memory", "consume"])
def test_the_page_has_a_place_for_every_benchmark(name: str) -> None:
    assert f"<!-- figures of {name} -->\n" in PAGE.read_text()
    assert f"<!-- end of {name} -->\n" in PAGE.read_text()


def test_times_are_told_by_their_median_and_their_ends() -> None:
    assert in_ms([0.5, 0.01, 0.1]) == "100 (10..500)"


# Assignors.


def test_groups_are_assigned_in_every_way_there_is() -> None:
    shapes = list(shapes_of_sizes((10, 20), partitions=200, topics=10))
    assert len(set(shapes)) == 2 * 2 * 2 * 3
    for shape in shapes:
        group = make_group(shape)
        result = judge(group, ASSIGNORS[shape.assignor].assign(group))
        assert len(group.members) == shape.members
        assert result.most >= 200 / shape.members
        assert (result.moved == 200) == (shape.change == "none")


def test_the_tables_tell_both_sides() -> None:
    results = Result(1, 2, 3), Result(4, 5, 6)
    one = Measured(Shape("range", 20, 10, 20, "mixed", "join"), [0.002, 0.003, 0.004], [0.001] * 3, *results)
    row = "| range, mixed | 20 | one joins | 3 (2..4) | 1 (1..1) | 3 | 1..2 | 4..5 | 3 | 6 |"
    assert " ".join(sizes_table([one]).splitlines()[-1].split()) == row
    assert verdict([one]).startswith("1 of 1 groups take at most 3 times as long")
    assert [line.split("|")[2].strip() for line in growth_table([one]).splitlines()[2:]] == ["15", "5"]


@pytest.mark.kafka
def test_kafkas_own_assignors_make_the_same_of_the_same_groups() -> None:
    shapes = [*shapes_of_sizes((20,), partitions=210, topics=10), *shapes_of_growth((30,), topics=10)]
    try:
        measured = list(measure(shapes, NEWEST_VERSION, rounds=1, warm_up_s=0))
    except NoKafkaError as reason:
        if is_required():
            raise
        pytest.skip(str(reason))
    assert [one.shape for one in measured] == shapes
    for one in measured:
        if one.shape.assignor == "range" or one.shape.subscriptions == "same":
            assert (one.ours.fewest, one.ours.most) == (one.kafkas.fewest, one.kafkas.most), one.shape
        assert one.ours.most - one.ours.fewest <= one.kafkas.most - one.kafkas.fewest, one.shape


# Heartbeats.


def test_a_group_in_the_machine_settles_and_rebalances() -> None:
    group = MachineGroup(partitions=10)
    group.grow(3)
    assert sorted(len(member.owned) for member in group.members.values()) == [3, 3, 4]
    assert not group.beat_all()
    group.replace_one()
    assert list(group.members) == ["member-00001", "member-00002", "member-00000"]
    assert sorted(len(member.owned) for member in group.members.values()) == [3, 3, 4]


def test_heartbeats_in_the_machine_are_counted() -> None:
    measured = in_the_machine(members=2, rounds=2, round_s=0.001)
    assert len(measured.at_rest) == len(measured.rebalancing) == 2
    assert min(*measured.at_rest, *measured.rebalancing) > 0
    assert machine_table([measured]).splitlines()[-1].startswith("| 2 ")


def test_a_group_over_tcp_settles_and_is_counted() -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", partitions=4)
        with closing(TcpGroup(cluster.bootstrap_servers, "orders", members=4, connections=2)) as group:
            rates = [group.rate(0.01), group.rate(0.01)]
    assert min(rates) > 0
    assert tcp_table([OverTcp(4, 2, [10, 20, 30], [40])]).splitlines()[-1].split("|")[-2].strip() == "0.5"


# Memory.


def test_memory_is_told_by_member_and_by_partition() -> None:
    grid = {size: measure_memory(*size) for size in ((2, 4), (2, 400), (20, 4), (20, 400))}
    assert per_member(grid[2, 4], grid[20, 4]) > 100
    assert per_partition(grid[2, 4], grid[2, 400]) > 50
    assert "A member takes" in report(grid, (2, 20), (4, 400))


# Reading.


def test_values_differ_and_are_as_long_as_they_should_be() -> None:
    some = list(islice(values(100), 30_000))
    assert {len(value) for value in some} == {100}
    assert len(set(some)) == len(some)
    assert json.loads(some[0])["order"] == json.loads(some[1])["order"] - 1
    assert some == list(islice(values(100), 30_000))


@pytest.fixture(scope="module")
def reading_of_each_client() -> MeasuredReadings:
    readers = {"ours.arrow", "ours_async.iterate", "confluent.consume", "with_kafka_python.poll"}
    variants = [one for one in VARIANTS if one.reader in readers and one.kind in ("columns", "objects", "asyncio")]
    with Cluster() as cluster:
        topic = fill_topic(cluster.bootstrap_servers, 2, 1000, 100, LAYOUTS[0])
        return MeasuredReadings(LAYOUTS[0], topic.filled, {one: [topic.read(one)] for one in variants})


def test_every_client_reads_a_topic_to_its_end(reading_of_each_client: MeasuredReadings) -> None:
    filled = reading_of_each_client.filled
    assert (filled.records, filled.value_bytes) == (1000, 100_000)
    assert 1 <= filled.batches <= 1000
    assert filled.wire_bytes > filled.value_bytes
    for variant, (reading,) in reading_of_each_client.readings.items():
        assert 0 < reading.first <= reading.records == 1000, variant
        assert 0 < reading.first_s <= reading.whole_s, variant
        assert reading.cpu_s_per_million > 0
        assert reading.peak_bytes > 0


def test_readings_are_told_next_to_the_baseline(reading_of_each_client: MeasuredReadings) -> None:
    rows = readings_table(reading_of_each_client).splitlines()[2:]
    assert len(rows) == len(reading_of_each_client.readings)
    assert [row for row in rows if "(baseline)" in row and "|     1 |" in row]


def test_the_rate_is_that_of_the_records_behind_the_first() -> None:
    assert Reading(110, 10, 5.0, 15.0, 0, 0, 0).per_second == 10
    assert Reading(110, 110, 11.0, 11.0, 0, 0, 0).per_second == 10


def test_a_missed_target_is_in_bold() -> None:
    ours = next(one for one in VARIANTS if one.kind == "columns")
    fast, slow = (Reading(1000, 0, 0.0, seconds, seconds, 0, 0) for seconds in (1.0, 8.5))
    readings = {ours: [fast], BASELINE: [slow]}
    measured = MeasuredReadings(LAYOUTS[0], None, readings)  # type: ignore[arg-type]
    assert [(target.bound, round(ratio, 2)) for target, ratio in judged(measured)] == [(8, 8.5), (8, 8.5), (0.2, 0.12)]
    assert [line.split("|")[3].strip() for line in targets_table([measured]).splitlines()[2:5]] == [
        "8.5",
        "8.5",
        "0.12",
    ]
    assert TARGETS[0].told_of(7.9) == "**7.9**"
