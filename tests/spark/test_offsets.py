"""The JSON of offsets, timestamps and partitions, both ways."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen import ConfigError
from kafka_nextgen.spark.errors import OffsetsFormatError
from kafka_nextgen.spark.offsets import (
    EARLIEST,
    LATEST,
    offsets_document,
    parse_offsets,
    parse_partitions,
    parse_timestamps,
    read_checkpoint,
)
from kafka_nextgen.types import TopicPartition

TOPICS = st.text("abzAZ09._-", min_size=1, max_size=12).filter(lambda name: name not in (".", ".."))
NUMBERS = st.one_of(st.integers(0, 40), st.integers(0, 2**31 - 1))
OFFSETS = st.dictionaries(st.builds(TopicPartition, TOPICS, NUMBERS), st.integers(0, 2**63 - 1), max_size=30)


def test_offsets_of_an_option_keep_their_special_numbers() -> None:
    offsets, topics = parse_offsets(' {"topicA": {"0":23, "1":-1}, "topicB":{"0":-2}} ')
    assert offsets == {
        TopicPartition("topicA", 0): 23,
        TopicPartition("topicA", 1): LATEST,
        TopicPartition("topicB", 0): EARLIEST,
    }
    assert topics == {}


def test_a_word_stands_for_all_partitions_of_a_topic() -> None:
    """SPARK-58774."""
    assert parse_offsets('{"a":"earliest", "b":{"0":23}, "c":"Latest"}') == (
        {TopicPartition("b", 0): 23},
        {"a": EARLIEST, "c": LATEST},
    )


def test_timestamps_are_in_milliseconds() -> None:
    assert parse_timestamps('{"t":{"3":1700000000000}}') == {TopicPartition("t", 3): 1_700_000_000_000}


def test_partitions_are_sorted() -> None:
    assert parse_partitions('{"b":[4,2],"a":[0]}') == (
        TopicPartition("a", 0),
        TopicPartition("b", 2),
        TopicPartition("b", 4),
    )


def test_what_is_written_is_sorted() -> None:
    offsets = {TopicPartition("t", number): number + 1 for number in (17, 3)}
    offsets[TopicPartition("o", 0)] = 5
    assert json.dumps(offsets_document(offsets)) == '{"o": {"0": 5}, "t": {"3": 4, "17": 18}}'
    assert offsets_document({}) == read_checkpoint({}) == {}


@given(OFFSETS)
def test_offsets_come_back_as_they_were_written(offsets: dict[TopicPartition, int]) -> None:
    text = json.dumps(offsets_document(offsets))
    assert parse_offsets(text)[0] == parse_timestamps(text) == read_checkpoint(json.loads(text)) == offsets


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "not JSON (Expecting value at character 0)"),
        ("earliest", "not JSON"),
        ('{"t":{"0":1}} x', "not JSON (Extra data at character 14)"),
        ("[]", "not a JSON object of topics"),
        ("5", "not a JSON object of topics"),
        ("null", "not a JSON object of topics"),
        ('{"t":[0]}', 'topic "t" has no JSON object of offsets by partition'),
        ('{"t":"first"}', 'topic "t" has "first", which is not "earliest" or "latest"'),
        ('{"t":{"x":1}}', '"x" for a partition'),
        ('{"t":{"-1":1}}', '"-1" for a partition'),
        ('{"t":{"01":1}}', '"01" for a partition'),
        ('{"t":{"\u0661":1}}', "for a partition"),
        ('{"t":{"2147483648":1}}', '"2147483648" for a partition'),
        ('{"t":{"0":"1"}}', 't[0] has "1", which is not an offset of 0 or more, -1 (latest) or -2 (earliest)'),
        ('{"t":{"0":1.5}}', "t[0] has 1.5"),
        ('{"t":{"0":1e999}}', "t[0] has Infinity"),
        ('{"t":{"0":true}}', "t[0] has true"),
        ('{"t":{"0":null}}', "t[0] has null"),
        ('{"t":{"0":-3}}', "t[0] has -3"),
        ('{"t":{"0":9223372036854775808}}', "t[0] has 9223372036854775808"),
        ('{"t":{"0":NaN}}', "NaN is not a whole number"),
        ('{"t":{"0":1},"t":{"0":2}}', '"t" appears twice'),
        ('{"t":{"0":1,"0":2}}', '"0" appears twice'),
        ('{"":{"0":1}}', "Topic name is invalid: it is empty"),
        ('{"a b":{"0":1}}', "'a b' has characters other than"),
        ("[" * 100_000, "nested far too deep"),
        ('{"t":{"0":' + "9" * 5000 + "}}", "a number is far too large"),
    ],
)
def test_malformed_offsets_are_refused_by_name(text: str, wrong: str) -> None:
    with pytest.raises(OffsetsFormatError) as refused:
        parse_offsets(text, "endingOffsets")
    message = str(refused.value)
    assert message.startswith("endingOffsets: ")
    assert wrong in message
    assert 'expected e.g. {"topicA":{"0":23,"1":-1},"topicB":"earliest"}, got ' in message
    assert refused.value.key == "endingOffsets"
    assert len(message) < 600


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{}", "no partition is named"),
        ('{"t":[]}', "no partition is named"),
        ("orders", "not JSON"),
        ('{"t":{"0":1}}', 'topic "t" has no JSON list of partitions'),
        ('{"t":[true]}', 'topic "t" lists true'),
        ('{"t":["0"]}', 'topic "t" lists "0"'),
        ('{"t":[-1]}', 'topic "t" lists -1'),
        ('{"t":[1,0,1]}', "t[1] appears twice"),
    ],
)
def test_malformed_partitions_are_refused_by_name(text: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=r"^assign: .*expected e\.g\. .*topicA") as refused:
        parse_partitions(text)
    assert wrong in str(refused.value)


@pytest.mark.parametrize("number", [-1, -2, -3])
def test_a_negative_timestamp_is_refused(number: int) -> None:
    with pytest.raises(OffsetsFormatError, match=f"has {number}, which is not a timestamp in milliseconds from 0 up"):
        parse_timestamps(f'{{"t":{{"0":{number}}}}}')


@pytest.mark.parametrize("number", [LATEST, EARLIEST])
def test_a_checkpoint_has_no_special_offsets(number: int) -> None:
    with pytest.raises(OffsetsFormatError, match="which is not an offset from 0 up"):
        read_checkpoint({"t": {"0": number}})


@pytest.mark.parametrize("offset", ["7", 7, {"offset": 7}])
def test_a_checkpoint_of_another_kind_of_source_is_refused(offset: object) -> None:
    with pytest.raises(OffsetsFormatError, match=r"^the checkpoint's offset: ") as refused:
        read_checkpoint(offset)
    assert refused.value.key is None


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("t01-", max_size=3), inner, max_size=3)
    ),
)


@given(st.one_of(st.text(), JSON.map(json.dumps)))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (
        lambda text: parse_offsets(text)[0],
        parse_timestamps,
        parse_partitions,
        lambda text: read_checkpoint(json.loads(text)),
    ):
        read: Iterable[TopicPartition] = ()
        with suppress(OffsetsFormatError, ValueError):
            read = parse(text)
        assert all(isinstance(tp, TopicPartition) for tp in read)
