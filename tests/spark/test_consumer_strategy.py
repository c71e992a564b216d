"""Which topics and partitions a query reads."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.consumer_strategy import (
    AssignStrategy,
    ConsumerStrategy,
    SubscribePatternStrategy,
    SubscribeStrategy,
    read_strategy,
    strategy_warnings,
)
from kafka_nextgen.spark.option_values import OptionValues
from kafka_nextgen.types import TopicPartition


def strategy(options: dict[str, str]) -> ConsumerStrategy:
    return read_strategy(OptionValues({name.lower(): text for name, text in options.items()}))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"subscribe": " orders , audit,,orders "}, SubscribeStrategy(("orders", "audit"))),
        ({"subscribePattern": " ord.* "}, SubscribePatternStrategy("ord.*", "java")),
        ({"subscribePattern": "ord.*", "patternSyntax": "RE2"}, SubscribePatternStrategy("ord.*", "re2")),
        ({"assign": ' {"orders":[1,0]} '}, AssignStrategy((TopicPartition("orders", 0), TopicPartition("orders", 1)))),
    ],
)
def test_one_option_says_what_to_read(options: dict[str, str], expected: ConsumerStrategy) -> None:
    assert strategy(options) == expected


@pytest.mark.parametrize(
    ("options", "key", "says"),
    [
        ({}, "subscribe", "exactly one of subscribe, subscribePattern, assign has to be given: none is given"),
        ({"assign": "{}", "subscribe": "a"}, "subscribe", "subscribe and assign are given"),
        ({"subscribe": " , "}, "subscribe", "must name topics, separated by commas"),
        ({"subscribe": "orders,a b"}, "subscribe", "has characters other than"),
        ({"subscribePattern": " "}, "subscribePattern", "is empty"),
        ({"subscribePattern": r"\p{L}"}, "subscribePattern", "write the characters"),
        ({"subscribePattern": "a(?=b)", "patternSyntax": "re2"}, "subscribePattern", "is not valid RE2"),
        ({"subscribePattern": "x", "patternSyntax": "glob"}, "patternSyntax", "must be java or re2"),
        ({"assign": "orders-0"}, "assign", 'expected e.g. {"topicA":[0,1]'),
    ],
)
def test_what_to_read_has_to_be_clear(options: dict[str, str], key: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        strategy(options)
    assert says in str(caught.value)
    assert caught.value.key == key


def test_java_patterns_search_and_re2_patterns_match_whole_names() -> None:
    topics = ["orders-eu", "audit", "orders", "old-orders"]
    assert SubscribePatternStrategy("orders").matching(topics) == ("old-orders", "orders", "orders-eu")
    assert SubscribePatternStrategy("orders", "re2").matching(topics) == ("orders",)


def test_re2_patterns_with_an_anchor_at_one_end_cause_a_warning() -> None:
    (warning,) = strategy_warnings(SubscribePatternStrategy("^orders", "re2"))
    assert "matches whole topic names" in warning
