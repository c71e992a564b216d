"""Patterns are RE2 and match whole names; what Python's ``re`` would do differently is said before it is sent."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties.patterns import SubscriptionPattern
from kafka_nextgen.properties.re2j import Verdict, judge
from tests.support.warned import no_warning

TOPICS = ["orders", "orders-eu", "orders-us", "reorders", "audit"]


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("orders", ("orders",)),
        ("orders.*", ("orders", "orders-eu", "orders-us")),
        (".*orders", ("orders", "reorders")),
        ("^orders-(eu|us)$", ("orders-eu", "orders-us")),
        ("(?i)AUDIT", ("audit",)),
        ("nothing", ()),
        (r"orders\-eu", ("orders-eu",)),
    ],
)
def test_preview_shows_which_whole_names_match(pattern: str, matched: tuple[str, ...]) -> None:
    with no_warning():
        assert SubscriptionPattern(pattern).preview(TOPICS) == matched


@pytest.mark.parametrize(
    ("pattern", "construct"),
    [
        ("orders(?!-eu).*", "look-around"),
        ("(?<=a)b", "look-around"),
        (r"(a)\1", "back-references"),
        ("(?P<x>a)(?P=x)", "back-references"),
        ("a*+", "possessive"),
        ("(?>a|b)", "atomic"),
    ],
)
def test_what_re2_does_not_have_is_refused_by_name(pattern: str, construct: str) -> None:
    with pytest.raises(ConfigError, match=construct):
        SubscriptionPattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"a\*+", "[*+?]+", r"\(\?=", r"a\\1b", "[(?=]"),
        *(r"\p{Lu}+", r"\p{Any}+", r"\x{2D}+", r"\p{Greek}+|orders.*", "a}+", "a{,2}+"),
        *(r"\141", r"[\141]", r"[\12]", r"(a)\11", r"\Q(?=\E", r"\Qa++\E", r"\Q\1\E", r"\Q\C\E"),
        *(r"[(?<a>](?<a>x)", r"\Q(?<a>x)\E(?<a>y)", r"\p{^Greek}", r"[\p{Han}\PL]", "\\é", r"\pL{500}"),
    ],
)
def test_what_only_looks_like_it_is_taken(pattern: str) -> None:
    with no_warning():
        SubscriptionPattern(pattern).preview(TOPICS)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"a\C", r"invalid escape sequence: \C"),
        ("(?<a>x)(?<a>y)", "duplicate capture group name: a"),
        ("(?P<a>x|(?<a>z))", "duplicate capture group name: a"),
        ("(?<größe>x)", "invalid named capture"),
        ("a{+", "invalid nested repetition operator: {+"),
        (r"\p{Kawi}", "invalid character class range"),
        (r"[^\P{Vithkuqi}a]", "invalid character class range"),
    ],
)
def test_what_only_google_re2_takes_is_warned_of(pattern: str, reason: str) -> None:
    with pytest.warns(UserWarning, match=re.escape(reason)):
        subscribed = SubscriptionPattern(pattern)
    with pytest.raises(ConfigError, match=re.escape(reason)):
        subscribed.preview(TOPICS)


@pytest.mark.parametrize("pattern", [r"((\w{1,20}){1,10}){1,6}", "(a{10}){101}", "(a{1000}){2}", "(?:.{500}){3}"])
def test_what_only_google_re2_bounds_can_t_be_told(pattern: str) -> None:
    with pytest.warns(UserWarning, match="can't be checked here"):
        SubscriptionPattern(pattern)
    assert judge(pattern).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("pattern", ["a{1001}", "a{2,1}", "(a{1001}){2}"])
def test_a_count_of_its_own_is_bounded_by_both(pattern: str) -> None:
    assert judge(pattern).verdict is Verdict.REFUSED


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("^orders", "orders.*"),
        ("orders$", ".*orders"),
        ("^orders-[a-z]", "orders-[a-z].*"),
        ("^orders|audit$", "orders.*|.*audit"),
        ("^orders$|audit$", "^orders$|.*audit"),
        ("^(a|b)", "(a|b).*"),
        ("^[|]", "[|].*"),
        ("(?i)^orders", "(?i)orders.*"),
        ("(?m)(?i)orders$", "(?m)(?i).*orders"),
        (r"^\Qa|b\E", r"\Qa|b\E.*"),
    ],
)
def test_half_an_anchor_is_warned_of_with_what_was_meant(pattern: str, meant: str) -> None:
    with pytest.warns(UserWarning, match=re.escape(repr(meant))):
        SubscriptionPattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["^orders$", "^orders.*", ".*orders$", "orders", r"orders\$", "^a$|^b$", "^(a|b)$", r"^a\|b$", "(?m)^a$", r"\Q$\E"],
)
def test_whole_anchors_and_open_ends_are_not(pattern: str) -> None:
    with no_warning():
        SubscriptionPattern(pattern)


def test_what_google_re2_refuses_is_warned_of_but_left_to_the_coordinator() -> None:
    with pytest.warns(UserWarning, match=r"\(missing \): orders\(\).*the coordinator decides"):
        pattern = SubscriptionPattern("orders(")
    with pytest.raises(ConfigError, match="can't be tried here"):
        pattern.preview(TOPICS)


@pytest.mark.parametrize("nothing", ["", None, 7])
def test_nothing_is_no_pattern(nothing: object) -> None:
    with pytest.raises(ConfigError, match="non-empty"):
        SubscriptionPattern(nothing)  # type: ignore[arg-type]


def test_a_compiled_pattern_is_taken_by_its_text_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="SubscriptionPattern"):
        assert SubscriptionPattern.of_compiled(re.compile("orders.*")) == SubscriptionPattern("orders.*")


def test_flags_of_a_compiled_pattern_are_refused() -> None:
    with pytest.warns(DeprecationWarning, match="text"), pytest.raises(ConfigError, match="flags"):
        SubscriptionPattern.of_compiled(re.compile("orders.*", re.IGNORECASE))


def test_a_pattern_that_would_backtrack_for_ever_is_matched_at_once() -> None:
    assert SubscriptionPattern("^(a+)+$").preview(["a" * 200 + "b"]) == ()


def test_flags_that_are_in_the_text_are_sent_with_it() -> None:
    with pytest.warns(DeprecationWarning, match="text"):
        pattern = SubscriptionPattern.of_compiled(re.compile("(?i)orders.*"))
    assert pattern.preview(["ORDERS-EU"]) == ("ORDERS-EU",)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SubscriptionPattern("^orders"),
        lambda: SubscriptionPattern(pattern="orders("),
        lambda: SubscriptionPattern.of_compiled(re.compile("orders.*")),
    ],
)
def test_a_warning_points_at_the_application(make: Callable[[], object]) -> None:
    with pytest.warns((UserWarning, DeprecationWarning)) as warned:
        make()
    assert [warning.filename for warning in warned] == [__file__]


@pytest.mark.parametrize(
    "opened", ["[" + r"\p{L}" * 500, "[" * 20_000, r"\p{" * 10_000, "(?P<" * 10_000, "[[:a:" * 5_000]
)
def test_the_time_to_judge_a_pattern_is_linear_in_its_length(opened: str) -> None:
    """It would not end: the time doubled with each of the 500."""
    assert judge(opened).verdict is Verdict.REFUSED
