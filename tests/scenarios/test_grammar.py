from __future__ import annotations

import pytest

from kafka_nextgen.types import TopicPartition, format_partitions
from tests.verification.scenario_language import ScenarioError, parse
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import (
    NotationError,
    parse_duration,
    parse_offset,
    parse_partition,
    parse_partitions,
    write_duration,
)


def command(text: str) -> Command:
    return parse(f"worlds pure\n{text}\n").blocks[0].commands[1]


def test_a_block_is_comments_commands_and_what_happened() -> None:
    block = parse("worlds pure\n\n# Why.\njoin A foo\nleave A\n----\n-> A epoch=2\n-> A epoch=-1\n").blocks[1]
    assert [each.verb for each in block.commands] == ["join", "leave"]
    assert [each.line for each in block.commands] == [4, 5]
    assert block.written == ("# Why.", "join A foo", "leave A")
    assert block.expected == ("-> A epoch=2", "-> A epoch=-1")


def test_words_come_before_options_and_a_value_may_have_several() -> None:
    heartbeat = command("heartbeat A epoch=3 owns=orders[0-3] audit[0] timeout=60s")
    assert heartbeat.words == ("A",)
    assert heartbeat.options == {"epoch": "3", "owns": "orders[0-3] audit[0]", "timeout": "60s"}


def test_an_offset_is_a_word_wherever_it_stands() -> None:
    commit = command("commit A epoch=3 foo[0]=5 foo[1]=7")
    assert commit.words == ("A", "foo[0]=5", "foo[1]=7")
    assert commit.options == {"epoch": "3"}


def test_a_value_may_be_empty_and_begin_with_the_next_word() -> None:
    assert command("heartbeat A pattern=").options == {"pattern": ""}
    assert command("heartbeat A topics= foo bar").options == {"topics": "foo bar"}


def test_an_option_may_contain_what_looks_like_another() -> None:
    assert command("answer A revoke error=disk=full").options == {"error": "disk=full"}


def test_steps_belong_to_the_interleave_above_them() -> None:
    interleave = command("interleave\n    a: heartbeat A; heartbeat A owns=-\n    b: heartbeat B")
    assert [(step.name, [each.verb for each in step.commands]) for step in interleave.steps] == [
        ("a", ["heartbeat", "heartbeat"]),
        ("b", ["heartbeat"]),
    ]
    assert interleave.steps[0].commands[1].options == {"owns": "-"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: the first command has to be worlds"),
        ("join A foo\n", "line 1: the first command has to be worlds"),
        ("worlds\n", "line 1: the first command has to be worlds"),
        ("worlds pure\n\nworlds pair\n", "line 3: worlds belongs at the beginning, once"),
        ("worlds pure\n----\na\n----\n", "line 4: a second ---- in one block"),
        ("worlds pure\n\n# Why.\n----\n", "line 4: nothing is commanded above this ----"),
        ("worlds pure\n    a: tick 5s\n", "line 2: only the steps of interleave are indented"),
        ("worlds pure\ninterleave\n  a: tick 5s\n", "line 3: only the steps of interleave are indented"),
        ("worlds pure\ninterleave\n    tick 5s\n", "line 3: a step is a name, a colon, and commands"),
        ("worlds pure\nheartbeat A epoch=1 epoch=2\n", "line 2: epoch twice"),
    ],
)
def test_what_is_not_the_language_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(ScenarioError) as error:
        parse(text)
    assert str(error.value).startswith(complaint)


def test_several_empty_lines_are_one_and_spaces_at_the_end_are_none() -> None:
    assert parse("worlds pure \n\n\n \njoin A foo\n").blocks == parse("worlds pure\n\n\n\njoin A foo").blocks


@pytest.mark.parametrize("text", ["-", "orders[0]", "orders[0-3,7] audit[0]", "a.b-c_d[0,2]"])
def test_partitions_are_read_as_they_are_written_everywhere(text: str) -> None:
    assert set(format_partitions(parse_partitions(text)).split()) == set(text.split())


def test_empty_brackets_are_no_partitions() -> None:
    assert parse_partitions("orders[]") == frozenset()


@pytest.mark.parametrize(
    "text", ["orders", "orders[", "orders[x]", "orders[1-]", "orders[-1]", "[0]", "orders[0],audit[0]"]
)
def test_what_are_no_partitions_is_said(text: str) -> None:
    with pytest.raises(NotationError, match="is not a set of partitions"):
        parse_partitions(text)


def test_a_partition_is_one_and_an_offset_is_a_number() -> None:
    assert parse_offset("foo[3]=42") == (TopicPartition("foo", 3), 42)
    with pytest.raises(NotationError, match="is not one partition"):
        parse_partition("foo[0-1]")
    with pytest.raises(NotationError, match="not a partition with an offset"):
        parse_offset("foo[3]")


def test_times_have_a_unit() -> None:
    assert [parse_duration(text) for text in ("5s", "250ms", "1.5s", "5m")] == [5.0, 0.25, 1.5, 300.0]
    assert [write_duration(ms) for ms in (5_000, 250, 1_500)] == ["5s", "250ms", "1500ms"]
    with pytest.raises(NotationError, match="is no time"):
        parse_duration("5")
