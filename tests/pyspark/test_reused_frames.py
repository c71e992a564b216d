"""A batch DataFrame that is used more than once: what Spark plans once for all of its uses, and how to plan anew.

Spark keeps the partitions of a Python source's ``load()`` from the first action on. With its setting for filters, each
query that filters plans anew. The built-in source plans for each action.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pyspark.failures import failure_of
from tests.pyspark.sources import BUILT_IN, OURS, Sources
from tests.pyspark.topics import write
from tests.support.clients import create_topic, delete_records

SETTING = "spark.sql.python.filterPushdown.enabled"


@pytest.fixture
def topic(sources: Sources) -> str:
    """A topic of 10, 11 and 12 records."""
    topic = create_topic(sources.bootstrap_servers, "reused", 3)
    for partition in range(3):
        write(sources.bootstrap_servers, topic, [b"%d" % number for number in range(10 + partition)], partition)
    return topic


@pytest.fixture
def pushing(sources: Sources) -> Iterator[Sources]:
    sources.spark.conf.set(SETTING, "true")
    yield sources
    sources.spark.conf.unset(SETTING)


@pytest.mark.oldest_spark
def test_each_use_of_a_frame_has_its_own_filters(pushing: Sources, topic: str) -> None:
    ours = pushing.batch(OURS, subscribe=topic)
    first, second = ours.where("partition = 0"), ours.where("partition = 1")
    assert [second.count(), ours.count(), first.union(second).count(), first.join(second, "offset").count()] == [
        11,
        33,
        21,
        10,
    ]


def test_pushdown_is_refused_with_the_reason(pushing: Sources, topic: str) -> None:
    failure = failure_of(lambda: pushing.batch(OURS, subscribe=topic, pushdown=True).count())
    assert "ConfigError: there is no option pushdown (Spark would serve one use" in failure


@pytest.mark.oldest_spark
def test_later_actions_read_what_the_first_one_planned_and_a_new_load_reads_all(sources: Sources, topic: str) -> None:
    built_in, ours = sources.both(subscribe=topic)
    assert (built_in.count(), ours.count()) == (33, 33)
    write(sources.bootstrap_servers, topic, [b"later"] * 5)
    assert (built_in.count(), ours.count()) == (38, 33), "Spark has kept the plan"
    assert sources.batch(OURS, subscribe=topic).count() == 38


@pytest.mark.oldest_spark
def test_with_a_setting_of_spark_each_query_that_filters_is_planned_anew(pushing: Sources, topic: str) -> None:
    built_in, ours = (pushing.batch(format, subscribe=topic).where("offset >= 0") for format in (BUILT_IN, OURS))
    assert (built_in.count(), ours.count()) == (33, 33)
    write(pushing.bootstrap_servers, topic, [b"later"] * 5)
    assert (built_in.count(), ours.count(), ours.union(ours).count()) == (38, 38, 76)


def test_a_later_action_that_lacks_records_says_that_the_plan_is_an_old_one(sources: Sources, topic: str) -> None:
    ours = sources.batch(OURS, subscribe=topic)
    assert ours.count() == 33
    delete_records(sources.bootstrap_servers, topic, 4)
    failure = failure_of(ours.count)
    assert f"{topic}[0] was to be read from offset 0 and now begins at 4" in failure
    assert "A DataFrame is planned by its first action" in failure
    assert "call load() again" in failure
    assert sources.batch(OURS, subscribe=topic).count() == 29
