"""The benchmarks at sizes at which nothing can be measured: that they run, and how they read what they saw."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from benchmarks import avro_values, imports, json_values, many_commits, protobuf_values, testing_kit
from benchmarks.assigning.groups import ASSIGNORS, KAFKAS, Result, Shape, judge, make_group
from benchmarks.assigning.run import measure, measure_ours, shapes_of_growth, shapes_of_sizes
from benchmarks.assignors import own_table
from benchmarks.coordinator_memory import measure as measure_memory
from benchmarks.coordinator_memory import per_member, per_partition, report
from benchmarks.heartbeating.machine import MachineGroup
from benchmarks.heartbeating.tcp import TcpGroup
from benchmarks.heartbeats import OverTcp, in_the_machine, machine_table, tcp_table
from benchmarks.page import PAGE, write_section
from benchmarks.plots import Bar, draw_bars, draw_percentiles
from kafka_nextgen.assignors.weighted_metadata import decode_report
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.real_kafka import NEWEST_VERSION, is_required

#: Benchmarks of reading beside that of its speed.
READING = (
    "backlog_memory",
    "calls_in_a_loop",
    "many_commits",
    "latency",
    "many_partitions",
    "rates",
    "startup",
    "profile_fetch",
    "profile_latency",
    "rebalance_gap",
)
ON_SPARK = ("spark", "profile_spark", "spark_history")

# Imports.


def test_an_empty_program_is_subtracted_from_each() -> None:
    now, before = Path("now"), Path("before")
    times = {
        (root, program): [0.05 if root is before else 0.03]
        for root in (now, before)
        for program in imports.PROGRAMS.values()
    }
    times |= {(root, imports.EMPTY): [0.01] for root in (now, before)} | {(now, imports.THEIRS): [0.02]}
    table = imports.imports_table(times, {"before": before, "now": now})
    assert [cell.strip() for cell in table.splitlines()[-1].split("|")[2:-1]] == ["40", "20", "2"]


def test_the_time_of_a_process_is_that_of_its_processor() -> None:
    assert imports.of_processor_s(Path("/nowhere"), imports.EMPTY) > 0


# The page.


def test_a_benchmark_writes_its_own_section_only(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    b = "# B\n<!-- figures of b -->\n<!-- end of b -->\nend\n"
    page.write_text(f"# A\n<!-- figures of a -->\nold\n<!-- end of a -->\n{b}")
    write_section("a", "new", page)
    write_section("a", "newer\n", page)
    assert page.read_text() == f"# A\n<!-- figures of a -->\n\nnewer\n\n<!-- end of a -->\n{b}"


def test_the_page_has_a_place_for_every_benchmark() -> None:
    page = PAGE.read_text()
    for name in (
        "assignors",
        "heartbeats",
        "coordinator_memory",
        "consume",
        "typed_values",
        "imports",
        "testing_kit",
        *READING,
        *ON_SPARK,
    ):
        assert f"<!-- figures of {name} -->\n" in page
        assert f"<!-- end of {name} -->\n" in page


def test_plots_are_the_same_for_the_same_figures(tmp_path: Path) -> None:
    bars = {"a panel": [Bar("ours", [1, 2, 3], is_ours=True), Bar("theirs", [1000, 2000])]}
    first, again = (draw_bars("bars", bars, "records", tmp_path / folder) for folder in ("first", "again"))
    assert first.read_bytes() == again.read_bytes()
    assert "theirs" in first.read_text()
    lines = draw_percentiles("lines", {"kafka_nextgen": [(1, 2), (99, 4)]}, "ms", tmp_path)
    assert "kafka_nextgen" in lines.read_text()


# Commits.


def test_each_of_many_partitions_is_committed() -> None:
    with Cluster() as cluster:
        measured = many_commits.measure(cluster.bootstrap_servers, 5)
    assert measured.failed == 0
    assert measured.longest_block_s > 0
    assert len(many_commits.commits_table({5: measured}).splitlines()) == 3


# Tests of an application.


def test_a_process_of_tests_leaves_nothing() -> None:
    (measured,) = testing_kit.measure(rounds=1, tests=4)
    assert (measured.threads_left, measured.descriptors_left) == (0, 0)
    assert (len(measured.rebalances), len(measured.sessions), len(measured.patient_sessions)) == (2, 1, 1)
    assert len(testing_kit.figures_table([measured], 4).splitlines()) == 9
    assert testing_kit.left_over([measured]).endswith("0 threads, 0 descriptors.")


# Assignors.


def test_groups_are_assigned_in_every_way_there_is() -> None:
    shapes = list(shapes_of_sizes((10, 20), partitions=200, topics=10))
    assert len(set(shapes)) == 4 * 2 * 2 * 3
    for shape in shapes:
        group = make_group(shape)
        result = judge(shape, group, ASSIGNORS[shape.assignor].assign(group))
        assert len(group.members) == shape.members
        assert shape.assignor == "weighted" or result.most >= 200 / shape.members
        assert (result.moved == 200) == (shape.change == "none")


def test_an_assignor_that_kafka_has_not_is_told_alone() -> None:
    racks = measure_ours(Shape("rack-aware", 6, 2, 9, "same"), rounds=2)
    weights = measure_ours(Shape("weighted", 6, 2, 10, "same", "join"), rounds=2)
    assert (racks.ours, len(racks.ours_s), racks.kafkas) == (Result(3, 3, 18), 2, None)
    assert (weights.ours.fewest, weights.ours.most) == (2, 2.5)  # 2 * 8 + 18 is to be done, capacities are 14
    rows = [[cell.strip() for cell in row.split("|")[5:-1]] for row in own_table([racks]).splitlines()[2:]]
    assert rows == [["3..3", "18"]]


def test_groups_have_what_their_assignor_looks_at() -> None:
    racks, weights = (make_group(Shape(name, 6, 2, 30, "same", "leave")) for name in ("rack-aware", "weighted"))
    assert [member.rack_id for member in racks.members.values()] == [*"abcabc"]
    assert {topic.partition_racks[:4] for topic in racks.topics.values()} == {(*map(tuple, ("ab", "bc", "ca", "ab")),)}
    reports = [decode_report(member.metadata, member_id) for member_id, member in weights.members.items()]
    assert [report.capacity for report in reports] == [1, 2, 4, 1, 2, 4]
    assert {weight for report in reports for weight in report.weights.values()} == {8}


@pytest.mark.kafka
def test_kafkas_own_assignors_make_the_same_of_the_same_groups() -> None:
    both = (one for one in shapes_of_sizes((20,), partitions=210, topics=10) if one.assignor in KAFKAS)
    shapes = [*both, *shapes_of_growth((30,), topics=10)]
    try:
        measured = list(measure(shapes, NEWEST_VERSION, rounds=1, warm_up_s=0))
    except NoKafkaError as reason:
        if is_required():
            raise
        pytest.skip(str(reason))
    assert [one.shape for one in measured] == shapes
    for one in measured:
        assert one.kafkas is not None
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


# Typed values.


@pytest.mark.parametrize("shape", avro_values.SHAPES)
def test_avro_values_become_the_same_table_both_ways(shape: str) -> None:
    size, *_ = avro_values.measure(shape, rows=200, rounds=1)  # raises if the tables differ
    assert size > 50


@pytest.mark.parametrize("shape", json_values.SHAPES)
def test_json_values_become_the_same_table_all_ways(shape: str) -> None:
    size, times = json_values.measure(shape, rows=200, rounds=1)
    assert size > 50
    assert next(iter(times)) == "ours"
    assert len(times) >= 2


@pytest.mark.parametrize("shape", protobuf_values.SHAPES)
def test_protobuf_values_become_the_same_table_both_ways(shape: str) -> None:
    size, *_ = protobuf_values.measure(shape, rows=200, rounds=1)  # raises if the tables differ
    assert size > 50
