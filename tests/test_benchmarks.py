"""The benchmarks at sizes at which nothing can be measured: that they run, and how they read what they saw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from click import ClickException

from benchmarks import backlog_memory, latency, many_partitions, startup
from benchmarks.assigning.groups import ASSIGNORS, Result, Shape, judge, make_group
from benchmarks.assigning.run import Measured, measure, shapes_of_growth, shapes_of_sizes
from benchmarks.assignors import growth_table, sizes_table, verdict
from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.read import read
from benchmarks.consuming.report import readings_table, targets_table
from benchmarks.consuming.run import LAYOUTS, Topic, fill_topic
from benchmarks.consuming.run import Measured as MeasuredReadings
from benchmarks.consuming.targets import TARGETS, judged
from benchmarks.consuming.task import Task
from benchmarks.consuming.values import values
from benchmarks.consuming.variants import BASELINE, VARIANTS
from benchmarks.coordinator_memory import measure as measure_memory
from benchmarks.coordinator_memory import per_member, per_partition, report
from benchmarks.delays.task import Delays
from benchmarks.heartbeating.machine import MachineGroup
from benchmarks.heartbeating.tcp import TcpGroup
from benchmarks.heartbeats import OverTcp, in_the_machine, machine_table, tcp_table
from benchmarks.idling.task import Task as WaitingTask
from benchmarks.idling.wait import wait
from benchmarks.idling.waiters import WAITERS
from benchmarks.page import PAGE, in_ms, table, write_section
from benchmarks.plots import Bar, draw_bars, draw_lines
from benchmarks.starting.start import CLIENTS as STARTS
from benchmarks.starting.start import start
from kafka_nextgen.testing import Cluster
from tests.support.kafka_server import NoKafkaError
from tests.support.real_kafka import NEWEST_VERSION, is_required

#: Benchmarks of reading beside that of its speed.
READING = ("backlog_memory", "latency", "many_partitions", "startup")

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


@pytest.mark.parametrize("name", ["assignors", "heartbeats", "coordinator_memory", "consume", *READING])
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
def orders() -> Iterator[Topic]:
    with Cluster() as cluster:
        yield fill_topic(cluster.bootstrap_servers, 2, 1000, 100, LAYOUTS[0])


def test_a_topic_is_filled_by_values_of_the_right_size(orders: Topic) -> None:
    assert (orders.filled.records, orders.filled.value_bytes) == (1000, 100_000)
    assert 1 <= orders.filled.batches <= 1000
    assert orders.filled.wire_bytes > orders.filled.value_bytes


@pytest.mark.parametrize("reader", sorted({variant.reader for variant in VARIANTS}))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_client_reads_a_topic_to_its_end(reader: str, orders: Topic) -> None:
    reading = read(Task(reader, orders.bootstrap_servers, orders.name, orders.partitions, 1000))
    assert reading.records == 1000
    assert reading.per_second == reading.from_start > 0


def test_readings_are_told_next_to_the_baseline(orders: Topic) -> None:
    readings = orders.read_in_turns([BASELINE], rounds=1)
    (reading,) = readings[BASELINE]
    assert reading.start_s > 0
    assert reading.peak_bytes > 0
    (row,) = readings_table(MeasuredReadings(LAYOUTS[0], orders.filled, readings)).splitlines()[2:]
    assert "(baseline)" in row
    assert "|     1 |" in row


def test_the_rate_leaves_out_what_starting_takes() -> None:
    reading = Reading(100, 15.0, 0, 0, 0, start_s=5.0)
    assert (reading.per_second, round(reading.from_start, 2)) == (10, 6.67)
    assert Reading(100, 10.0, 0, 0, 0, start_s=11.0).per_second == 10


def test_a_missed_target_is_in_bold() -> None:
    ours = next(one for one in VARIANTS if one.kind == "columns")
    fast, slow = (Reading(1000, seconds, seconds, 0, 0) for seconds in (1.0, 8.5))
    readings = {ours: [fast], BASELINE: [slow]}
    measured = MeasuredReadings(LAYOUTS[0], None, readings)  # type: ignore[arg-type]
    assert [(target.bound, round(ratio, 2)) for target, ratio in judged(measured)] == [(8, 8.5), (8, 8.5), (0.2, 0.12)]
    assert [line.split("|")[3].strip() for line in targets_table([measured]).splitlines()[2:5]] == [
        "8.5",
        "8.5",
        "0.12",
    ]
    assert TARGETS[0].told_of(7.9) == "**7.9**"


# Memory, latency, many partitions, start-up.


def test_memory_is_told_next_to_its_bound() -> None:
    ours, peer = backlog_memory.VARIANTS[0], backlog_memory.VARIANTS[2]
    readings = {ours: [Reading(10, 1.0, 0.1, 0.1, 150_000_000)], peer: [Reading(10, 1.0, 0.1, 0.1, 900_000_000)]}
    assert "150 MB, within the 167 MB" in backlog_memory.verdict(readings)
    assert "900" in backlog_memory.memory_table(readings).splitlines()[-1]
    readings[ours].append(Reading(10, 1.0, 0.1, 0.1, 170_000_000))
    assert "170 MB, **beyond** the 167 MB" in backlog_memory.verdict(readings)


def test_a_broker_is_not_started_on_a_disk_that_is_too_small() -> None:
    backlog_memory.check_disk(1)
    with pytest.raises(ClickException, match="needed"):
        backlog_memory.check_disk(10**18)


def test_delays_are_told_at_their_points() -> None:
    delays = Delays.of([number * 1_000_000 for number in range(1000)], cpu_s=0.5)
    assert (delays.at(0.5), delays.at(0.99), delays.at(1.0), delays.records) == (0.5, 0.99, 0.999, 1000)
    rows = latency.delays_table({latency.BASELINE: [delays], "ours": [delays, delays]}, seconds=5).splitlines()
    assert [cell.strip() for cell in rows[-1].split("|")[2:-1]][3:] == ["1", "10.0%", "1,000"]


def test_delays_are_measured_from_the_producer_to_each_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers = {name: latency.HANDLERS[name] for name in (latency.BASELINE, "kafka_nextgen, for record in consumer")}
    monkeypatch.setattr(latency, "HANDLERS", handlers)
    with Cluster() as cluster:
        measured = latency.measure(cluster.bootstrap_servers, 1, 0.2, 50, 1, 0.0)
    for (delays,) in measured.values():
        assert delays.records > 0
        assert 0 < delays.at(0.5) <= delays.at(0.99) < 5


@pytest.mark.parametrize("waiter", WAITERS)
def test_waiting_is_measured_of_each_client(waiter: str, orders: Topic) -> None:
    idleness = wait(WaitingTask(waiter, orders.bootstrap_servers, orders.name, orders.partitions, 0.05, 0.05))
    assert idleness.cpu_share >= 0
    rows = many_partitions.idle_table({"confluent-kafka": [idleness], "ours": [idleness]}).splitlines()
    assert len(rows) == 4


@pytest.mark.parametrize("client", STARTS)
def test_starting_is_measured_of_each_client(client: str, orders: Topic) -> None:
    one = startup.Start(**start(client, orders.bootstrap_servers, orders.name))
    assert one.import_s > 0
    assert one.first_record_s > one.construct_s > 0


def test_starts_are_told_next_to_ours() -> None:
    starts = {"kafka_nextgen": [startup.Start(0.1, 0.1, 0.1)], "confluent-kafka": [startup.Start(0.2, 0.1, 0.4)]}
    assert [row.split("|")[-2].strip() for row in startup.starts_table(starts).splitlines()[2:]] == ["1", "3"]


def test_plots_are_the_same_for_the_same_figures(tmp_path: Path) -> None:
    bars = {"a panel": [Bar("ours", [1, 2, 3], is_ours=True), Bar("theirs", [1000, 2000])]}
    first, again = (draw_bars("bars", bars, "records", tmp_path / folder) for folder in ("first", "again"))
    assert first.read_bytes() == again.read_bytes()
    assert "theirs" in first.read_text()
    lines = draw_lines("lines", {"kafka_nextgen": [(1, 2), (3, 4)]}, ("x", "y"), tmp_path)
    assert "kafka_nextgen" in lines.read_text()
