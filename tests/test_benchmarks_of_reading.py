"""The benchmarks of reading at sizes at which nothing can be measured: that all clients read, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click import ClickException
from confluent_kafka.admin import AdminClient

from benchmarks import calls_in_a_loop, many_partitions, startup
from benchmarks.consuming.gauge import Reading
from benchmarks.consuming.read import read
from benchmarks.consuming.report import about_the_topic, readings_table
from benchmarks.consuming.run import LAYOUTS, Topic, filled_topic
from benchmarks.consuming.task import Task
from benchmarks.consuming.variants import BASELINE, VARIANTS
from benchmarks.consuming.warm import is_warm
from benchmarks.idling.task import Task as WaitingTask
from benchmarks.idling.wait import wait
from benchmarks.idling.waiters import WAITERS
from benchmarks.kafka import check_disk
from benchmarks.profiling import read as profiling
from benchmarks.profiling.samples import (
    BUSY,
    CALLING_FILES,
    DECODER_FILES,
    IDLE,
    profile_of,
    profile_table,
    profiles_table,
    told,
)
from benchmarks.starting.start import CLIENTS as STARTS
from benchmarks.starting.start import start
from benchmarks.turns import turns
from kafka_nextgen.testing import Cluster
from tests.support.waiting import GUARD_S

# Reading.


@pytest.fixture(scope="module")
def orders() -> Iterator[Topic]:
    with Cluster() as cluster, filled_topic(cluster.bootstrap_servers, 2, 1000, 100, LAYOUTS[0]) as topic:
        yield topic


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
    measured = orders.read_in_turns([BASELINE], rounds=1)
    (reading,) = measured.readings[BASELINE]
    assert reading.start_s > 0
    assert reading.peak_bytes > 0
    (row,) = readings_table(measured).splitlines()[2:]
    assert "(baseline) |" in row
    assert "|     1 |" in row
    assert 3 <= len(measured.warmed.rates) <= 6
    assert f"read it {len(measured.warmed.rates)} times" in about_the_topic(measured)


@pytest.mark.parametrize(
    ("rates", "warm"),
    [([9, 9], False), ([5, 9, 9.5], True), ([9, 5, 9], False), ([9, 9, 5], False), ([1, 2, 4, 8, 16, 32], True)],
)
def test_a_broker_is_warm_when_it_is_as_quick_as_before(rates: list[float], warm: bool) -> None:
    assert is_warm(rates) == warm


def test_what_was_written_is_deleted_at_the_end() -> None:
    with Cluster() as cluster:
        with filled_topic(cluster.bootstrap_servers, 1, 2, 100, LAYOUTS[0]) as topic:
            assert {topic.name, topic.beside} <= topics_of(cluster)
        assert not {topic.name, topic.beside} & topics_of(cluster)


def topics_of(cluster: Cluster) -> set[str]:
    return set(AdminClient({"bootstrap.servers": cluster.bootstrap_servers}).list_topics(timeout=GUARD_S).topics)


def test_nobody_is_always_first_or_behind_the_same() -> None:
    order = list(turns("abcdef", 3, once="f"))
    assert ["".join(order[:6]), "".join(order[6:11]), "".join(order[11:])] == ["abcdef", "baedc", "eabcd"]


def test_the_rate_leaves_out_what_starting_takes() -> None:
    reading = Reading(100, 15.0, 0, 0, 0, start_s=5.0)
    assert (reading.per_second, round(reading.from_start, 2)) == (10, 6.67)
    assert Reading(100, 10.0, 0, 0, 0, start_s=11.0).per_second == 10


# Memory, latency, many partitions, start-up, profile.


def test_a_broker_is_not_started_on_a_disk_that_is_too_small() -> None:
    check_disk(1)
    with pytest.raises(ClickException, match="needed"):
        check_disk(10**18)


@pytest.mark.parametrize("waiter", WAITERS)
def test_waiting_is_measured_of_each_client(waiter: str, orders: Topic) -> None:
    idleness = wait(WaitingTask(waiter, orders.bootstrap_servers, orders.name, orders.partitions, 0.05, 0.05))
    assert idleness.cpu_share >= 0
    rows = many_partitions.idle_table({"confluent-kafka": [idleness], "ours": [idleness]}).splitlines()
    assert len(rows) == 4


def test_calls_in_a_loop_are_measured_each() -> None:
    with Cluster() as cluster:
        times = calls_in_a_loop.measure(cluster.bootstrap_servers, partitions=2, calls=3)
    assert times.keys() == calls_in_a_loop.CALLS.keys()
    assert len(calls_in_a_loop.calls_table({2: times}).splitlines()) == 2 + len(times)


@pytest.mark.parametrize("way", profiling.WAYS)
def test_every_way_of_the_profile_comes_to_the_end_of_a_topic_and_begins_again(way: str, orders: Topic) -> None:
    profiling.read(profiling.Task(orders.bootstrap_servers, orders.name, orders.partitions, 1000, 2, way))


@pytest.mark.parametrize("client", STARTS)
def test_starting_is_measured_of_each_client(client: str, orders: Topic) -> None:
    one = startup.Start(**start(client, orders.bootstrap_servers, orders.name))
    assert one.import_s > 0
    assert one.first_record_s > one.construct_s > 0


_STEADY = "steady_answer (accelerator/steady_fetch.h:162) < take_steady (kafka_nextgen/fetching/fast_path.py:58)"


@pytest.mark.parametrize(
    ("innermost_first", "what"),
    [
        (
            "0x1 (libc.so.6) < pthread_cond_timedwait (libc.so.6) < sock_recv (socketmodule.c:923)",
            "waiting for the GIL",
        ),
        ("epoll_wait (libc.so.6) < select_epoll_poll (selectmodule.c:1598)", "waiting for the broker"),
        ("0x1 (libc.so.6) < recv (libc.so.6) < sock_recv_into (socketmodule.c:3631)", "socket"),
        ("0x1 (libc.so.6) < poll (libc.so.6) < receive_for (accelerator/receive.h:45)", "waiting for the broker"),
        ("0x1 (cramjam.so) < decompress (kafka_nextgen/wire/records/compression.py:73)", "decompression"),
        ("_mm_crc32_u64 (smmintrin.h:842) < crc32c_of (accelerator/crc32c.h:103)", "CRC"),
        ("0x1 (libc.so.6) < append_entry (accelerator/columns.h:123)", "copying"),
        ("0x1 (libarrow.so) < to_table (kafka_nextgen/engine/application/arrow.py:36)", "Arrow"),
        ("_PyObject_GC_New (libpython3.so) < record_at (accelerator/objects.h:50)", "objects"),
        ("0x1 (libc.so.6) < 0x2 (libc.so.6) < munmap (libc.so.6) < put_piece (accelerator/memory.h:80)", "memory"),
        ("find_on_shelf (accelerator/memory.h:50) < new_bytes (accelerator/memory.h:130)", "decoding"),
        (f"read_batch (accelerator/batch.h:90) < {_STEADY}", "decoding"),
        ("poll (consumer.py:150) < begin_refill (accelerator/awaited.h:80)", "Python"),
    ],
)
def test_a_sample_is_told_by_its_stack(innermost_first: str, what: str) -> None:
    assert told(["main (run.py:1)", *reversed(innermost_first.split(" < "))]) == what


def test_the_files_that_samples_are_told_by_are_there() -> None:
    extension = Path(__file__).parent.parent / "accelerator"
    assert {*DECODER_FILES, *CALLING_FILES} < {file.stem for file in extension.glob("*.h")}


def test_a_profile_counts_what_the_main_thread_did_while_it_read() -> None:
    profile = profile_of(
        [
            "thread (1): MainThread;<module> (a.py:1);import_it (a.py:2) 50",
            "thread (1): MainThread;<module> (a.py:1);arrow_again (a.py:3);f (pyarrow/lib.so) 3",
            "thread (1): MainThread;<module> (a.py:1);arrow_again (a.py:3) 1",
            "thread (2): reader;run (b.py:1);recv (libc.so.6) 2",
            "thread (2): reader;run (b.py:1);epoll_wait (libc.so.6) 2",
        ],
        counted=("arrow_again",),
    )
    assert profile.share_of_time("MainThread", "Arrow") == 0.75
    assert profile.share_of_time("reader", "waiting for the broker") == 0.5
    assert [profile.share_of_work(what) for what in ("Arrow", "Python", "socket")] == [0.5, 1 / 6, 1 / 3]
    assert len(profile_table(profile).splitlines()) == 2 + len(BUSY) + len(IDLE)


def test_profiles_are_compared_by_their_work_and_by_the_waits_of_their_threads() -> None:
    lines = [
        "thread (1): MainThread;f (pyarrow/lib.so) 3",
        "thread (2): kafka_nextgen c;run (b.py:1);take_gil (python) 1",
        "thread (2): kafka_nextgen c;run (b.py:1);recv (libc.so.6) 1",
    ]
    rows = profiles_table({"To Arrow": profile_of(lines, counted=("f (",))}).splitlines()[2:]
    assert [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows] == [
        ["socket", "25%"],
        ["Arrow", "75%"],
        ["application's thread waits for the GIL", "0%"],
        ["I/O thread waits for the GIL", "50%"],
    ]
