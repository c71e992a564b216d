"""Counting the functions that are entered: which threads and which code count, and from when to when."""

from __future__ import annotations

import threading

import pytest

from benchmarks.following.entered import Entered, Place, files_of, following
from benchmarks.following.ways import WAYS
from benchmarks.paths import listing, measure, paths_table
from kafka_nextgen import TopicPartition
from kafka_nextgen.text import describe_error
from kafka_nextgen.types import format_partitions

PARTITIONS = {TopicPartition("t", 0)}
FORMATTED = Place("types.py", "format_partitions")
DESCRIBED = Place("text.py", "describe_error")


def names(entered: Entered) -> set[str]:
    return {each.rpartition(" ")[2] for each in entered.functions()}


def test_what_is_called_between_begin_and_stop_counts_once() -> None:
    entered = Entered(lambda thread: True)
    with following(entered):
        describe_error(ValueError())
        entered.begin()
        format_partitions(PARTITIONS)
        format_partitions(PARTITIONS)
        entered.stop()
        describe_error(ValueError())
    assert "types.py format_partitions" in entered.functions()
    assert "describe_error" not in names(entered)


def test_it_begins_anew_at_each_call_of_a_function_and_ends_with_the_return_of_another() -> None:
    entered = Entered(lambda thread: True)
    entered.begin_at(FORMATTED, DESCRIBED)
    with following(entered):
        format_partitions(PARTITIONS)
        assert not entered.ended.is_set()
        describe_error(ValueError())
        assert entered.ended.is_set()
        str(TopicPartition("t", 0))
    assert {"format_partitions", "describe_error"} <= names(entered)


def test_only_threads_that_are_followed_count() -> None:
    entered = Entered(lambda thread: thread == "followed")
    with following(entered):
        entered.begin()
        format_partitions(PARTITIONS)
        other = threading.Thread(target=describe_error, args=(ValueError(),), name="followed")
        other.start()
        other.join()
    assert "describe_error" in names(entered)
    assert "format_partitions" not in names(entered)


def test_the_table_and_the_list_are_of_files_and_functions() -> None:
    functions = ["a.py f", "a.py g", "b/c.py C.h"]
    assert files_of(functions) == ["a.py", "b/c.py"]
    assert paths_table({"poll": functions}).splitlines()[-1].split() == ["|", "poll", "|", "2", "|", "3", "|"]
    assert listing(functions) == "a.py\n    f\n    g\nb/c.py\n    C.h"


@pytest.mark.parametrize(
    ("way", "through"),
    [
        (
            "fetched answer",
            {"transport/connection.py Connection._on_answer", "engine/reading/fetcher.py Fetcher._fetch"},
        ),
        ("poll", {"consumer.py Consumer.poll"}),
        ("heartbeat", {"engine/member/heartbeat.py send_heartbeat"}),
        ("commit", {"engine/offsets/client.py OffsetClient.commit"}),
    ],
)
def test_each_way_goes_through_what_it_is_named_for(way: str, through: set[str]) -> None:
    assert way in WAYS
    assert through <= set(measure(way)[way])
