"""Answers as frames: the same as ``analyze`` gives in memory, from a dataset or any frame of events."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from attrs import asdict, fields
from pyspark.sql import functions as f

from kafka_nextgen.history.analysis import analyze, fact_time
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import FACTS, Standstill
from kafka_nextgen.spark.history.appending import append
from kafka_nextgen.spark.history.asking import History, milliseconds
from tests.history.story import story
from tests.pyspark.history.datasets import frame_of, text_of
from tests.spark.history.logs import TWO_MEMBERS, stories

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def rows(frame: DataFrame) -> list[dict[str, Any]]:
    return sorted((row.asDict() for row in frame.collect()), key=repr)


def expected(events: list[Event], name: str, until: int | None = None) -> list[dict[str, Any]]:
    return sorted((asdict(each) for each in analyze(events, until=until).facts[name]), key=repr)


@pytest.fixture(scope="module")
def history(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> History:
    dataset = tmp_path_factory.mktemp("dataset")
    append(frame_of(spark, stories()), str(dataset))
    return History(spark, str(dataset)).persist()


@pytest.mark.parametrize("name", FACTS)
def test_each_kind_of_fact_is_what_answer_says(history: History, name: str) -> None:
    found = getattr(history, name)()
    assert found.columns == [each.name for each in fields(FACTS[name])]
    assert rows(found) == expected(stories(), name)
    assert rows(found) or name == "repeats"


def test_owners_at_a_time_are_those_of_then(history: History) -> None:
    assert rows(history.owners(2_250)) == expected(stories(), "owners", 2_250)
    assert {row["member"] for row in rows(history.owners(2_250)) if row["partition"] == 3} == {None}


def test_doubles_in_a_dataset_change_nothing(spark: SparkSession) -> None:
    doubled = frame_of(spark, stories() + stories())
    assert rows(History(spark, doubled).facts().where("fact = 'groups'").select("groups.*")) == expected(
        stories(), "groups"
    )


def test_events_of_a_later_release_are_left_out(spark: SparkSession) -> None:
    events = frame_of(spark, stories())
    later = events.limit(5).replace({"joined": "renamed", "group epoch": "renamed"}, subset=["kind"])
    strange = events.limit(5).withColumn("source", f.lit("oracle:1"))
    history = History(spark, events.unionByName(later.where("kind = 'renamed'")).unionByName(strange))
    assert rows(history.groups()) == expected(stories(), "groups")


def test_events_around_a_time_come_in_order_with_their_clocks_put_right(spark: SparkSession, history: History) -> None:
    found = history.at(datetime.fromtimestamp(2.3, timezone.utc), 0.3, 0.3).collect()
    ats = [row.at for row in found]
    assert ats == sorted(ats)
    assert {row.at for row in found if row.group == "clocks" and row.source == "consumer:b"} == {2_300}
    assert {row.clocks_disagree for row in found if row.group == "clocks"} == {True}
    assert {row.kind for row in found if row.group == "007"} == {
        "callback",
        "revoked",
        "assigned",
        "group epoch",
        "joined",
    }


def test_commits_and_lag_around_a_time_come_only_if_they_are_asked_for(history: History) -> None:
    kinds = [
        {row.kind for row in history.at(2_900, 0.5, 0.2, frequent=frequent).where("group = '007'").collect()}
        for frequent in (False, True)
    ]
    assert kinds == [{"assigned"}, {"assigned", "lag"}]


def test_only_groups_and_times_that_are_asked_for_are_read(spark: SparkSession, tmp_path: Path) -> None:
    append(frame_of(spark, stories()), str(tmp_path))
    assert {row.group for row in History(spark, str(tmp_path), groups=["007"]).groups().collect()} == {"007"}
    late = History(spark, str(tmp_path), groups=["007"], since=2_000, until=3_000).groups().collect()
    assert [(row["first"], row["last"]) for row in late] == [(2_000, 2_500)]


def test_a_group_is_compared_before_and_after(history: History) -> None:
    sides = {
        row.side: row for row in history.before_and_after(2_100, timedelta(hours=1)).where("group = '007'").collect()
    }
    before, after = (expected_sums(side) for side in (True, False))
    assert {side: (row.rebalances, row.standstills, row.stood_ms) for side, row in sides.items()} == {
        "before": before,
        "after": after,
    }


def expected_sums(is_before: bool) -> tuple[int, int, int]:
    facts = analyze(story(TWO_MEMBERS, "c1", "007")).facts
    rebalances = [each for each in facts["rebalances"] if (fact_time(each) < 2_100) is is_before]
    stood = [each for each in facts["standstills"] if (fact_time(each) < 2_100) is is_before]
    return len(rebalances), len(stood), sum(each.ms or 0 for each in stood if isinstance(each, Standstill))


def test_members_of_an_instance_flap_together(spark: SparkSession) -> None:
    lines = "".join(
        f"{at} coordinator:1 joined M{at} @{at} instance=i1\n{at}.5 coordinator:1 left M{at} @{at}\n"
        for at in range(1, 5)
    )
    steady = "1 coordinator:1 joined S @1 client=c host=h"
    history = History(spark, frame_of(spark, story(lines) + story(steady, group="other")))
    (row,) = history.flapping(4).collect()
    assert (row.who, row.ids, row.joined, row.left) == ("i1", 4, 4, 4)
    assert {row.who for row in history.flapping(1).collect()} == {"i1", "c@h"}


def test_groups_that_never_settle_are_named(spark: SparkSession) -> None:
    unsettled = "".join(
        f"{at} coordinator:1 group_epoch A @{at}\n{at} coordinator:1 joined M{at} @{at}\n" for at in (1, 2, 9)
    )
    events = [*story(unsettled, group="restless"), *story(TWO_MEMBERS, group="calm")]
    found = History(spark, frame_of(spark, events)).never_settling(0.9).collect()
    assert [row.group for row in found] == ["restless"]


def test_a_time_needs_its_zone() -> None:
    assert milliseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc)) == 1_000
    with pytest.raises(ValueError, match="has no time zone"):
        milliseconds(datetime(1970, 1, 1))


def test_the_example_of_the_page_runs_as_it_is_written(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "operations" / "history-spark.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    (tmp_path / "log.jsonl").write_bytes(text_of(stories()))
    code = code.replace("/logs/consumers", str(tmp_path / "log.jsonl")).replace("/data", str(tmp_path))
    names: dict[str, Any] = {}
    exec(code, names)
    assert f"{len(stories())} events, refused: {{}}" in capsys.readouterr().out
    assert names["history"].groups().count() == 2
    names["history"].unpersist()


def test_durations_that_can_not_be_do_not_end_the_query(spark: SparkSession) -> None:
    most = 2**63 - 1
    told = f"""
        1 consumer:a assigned A @1 t[0-1]
        2 consumer:a revoked A @1 t[0-1] ms={most}
        3 consumer:b assigned B @2 t[0-1]
    """
    history = History(spark, frame_of(spark, story(told, "c1", "odd")))
    rows = history.before_and_after(1_000).where("standstills > 0").collect()
    assert [(row.standstills, row.stood_ms) for row in rows] == [(2, most)]
