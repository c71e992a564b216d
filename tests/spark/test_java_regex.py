"""Which topics a Java regular expression finds, and which constructs are refused."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark import java_regex
from kafka_nextgen.spark.java_regex import compile_java_pattern
from tests.support.warned import no_warning

NAME_CHARACTERS = "abcxyzABCXYZ0129._-"
names = st.text(NAME_CHARACTERS, min_size=1, max_size=12)

#: A pattern, the topics it finds, and topics that it does not find.
CASES = [
    # The built-in source searches.
    ("orders", "orders orders-eu old-orders", "Orders order"),
    ("^orders$", "orders", "orders-eu old-orders"),
    ("^orders", "orders orders-eu", "old-orders"),
    ("orders$", "orders old-orders", "orders-eu"),
    ("^orders|^audit", "orders-eu audit-1", "old-orders"),
    (r"orders\.eu", "orders.eu x.orders.eu", "orders-eu"),
    (".*", "a _", ""),
    # Ends, which are the same without line terminators.
    (r"\Aorders\z", "orders", "orders-eu"),
    (r"\Aorders\Z", "orders", "orders-eu"),
    (r"(?m)^orders$", "orders", "orders-eu"),
    (r"(?s)a.b", "a.b a-b", "ab"),
    # Shorthands and boundaries.
    (r"^\w+$", "orders_1 A9", "orders-1 a.b"),
    (r"^\D\d\D$", "a1b", "111 aab"),
    (r"^\S+$", "a-b", ""),
    (r"\s", "", "a-b a_b"),
    (r"\beu\b", "orders-eu eu.orders", "orders_eu europe"),
    (r"\Beu", "orders_eu", "orders-eu"),
    # Flags.
    ("(?i)ORDERS", "orders Orders", "audit"),
    ("(?i)(?s)ORDERS", "orders", "audit"),
    ("(?i)(?-i)ORDERS", "ORDERS", "orders"),
    ("(?i-i)ORDERS", "ORDERS", "orders"),
    ("^(?i)ORDERS|audit$", "orders x-AUDIT", "old-orders"),
    ("(?dms)orders", "orders", "Orders"),
    ("(?i:ORD)ers", "orders oRders", "ORDERS"),
    ("(?i)x(?-i:y)", "xy Xy", "XY"),
    ("(?dm:x)", "x", "X"),
    ("(?i-i:x)", "x", "X"),
    ("(?i)[^a]b", "bb", "ab AB"),
    ("(?i)K", "k", "x"),
    (r"(?i)\u212A|x", "x X", "k K"),  # the sign of the kelvin is a k to Python, and to Java with the flag u only
    # Quantifiers.
    ("^a{2}$", "aa", "a aaa"),
    ("^a{2,}$", "aa aaa", "a"),
    ("^a{1,2}$", "a aa", "aaa"),
    ("^a+?b??$", "a ab", "abb"),
    (r"^a\{1\}", "", "a a1"),
    # Groups.
    ("^(?:eu|us)-", "eu-1 us-1", "as-1"),
    ("^(?<region>eu|us)-", "eu-1 us-1", "as-1"),
    ("^(eu|us)-(?!test)", "eu-1", "eu-test"),
    ("(?<!old-)orders", "orders new-orders", "old-orders"),
    ("(?<=new-)orders(?=-eu)", "new-orders-eu", "orders-eu new-orders"),
    # Quotations.
    (r"\Qa.b\E", "a.b", "axb"),
    (r"^\Qa.b\E+$", "a.b a.bb", "a.ba.b"),
    (r"\Qa.b", "a.b", "axb"),
    (r"\\Qa", "", "Qa"),
    (r"[\Q.-\E]x", ".x -x", "ax"),
    (r"a\Q\E*b", "b aab", "c"),
    (r"\06\Q1\E", "", "1 061"),
    # Characters by number.
    (r"\x61\u0062\0143\e?", "abc", "ab"),
    (r"^\061$", "1", "61"),
    (r"^\0611$", "11", "1"),
    (r"^\0401", "", "1 401"),
    # Classes.
    ("^[a-c]+$", "abc", "abd"),
    ("^[^a-c]+$", "xyz", "xyza"),
    ("^[a-]+$", "a-a", "b"),
    ("^[-a]+$", "a-a", "b"),
    ("^[a-c-0]+$", "a-0", "1"),
    (r"^[\d-z]+$", "1-z", "y"),
    ("^[+--]$", "-", "."),
    (r"^[\w.-]+$", "a.b-c_1", ""),
    ("^[a.^$(|]+$", "a.", "b"),
    ("^[&a]+$", "a", "b"),
    (r"^[\]a]+$", "a", "b"),
    ("^[~~||a]$", "a", "b"),
    # Literals.
    (r"\-\_\.", "-_.", "a"),
    ("a]b}", "", "ab"),
    ("é|a", "a", "e"),
    (r"\é|a", "a", "e"),
    ("|x", "a", ""),
]


@pytest.mark.parametrize(("pattern", "found", "missed"), CASES)
def test_topics_are_found_as_in_java(pattern: str, found: str, missed: str) -> None:
    with no_warning():
        compiled = compile_java_pattern(pattern)
    assert [name for name in found.split() if not compiled.search(name)] == []
    assert [name for name in missed.split() if compiled.search(name)] == []


REFUSED = [
    # Constructs that Python lacks, or gives another meaning.
    (r"\p{Alpha}+", r"\\p\{\.\.\.\}: write the characters"),
    (r"\PL", r"\\P\{\.\.\.\}"),
    (r"\h", r"\\h: a topic's name has no white space"),
    (r"\v", r"\\v"),
    (r"\R", r"\\R"),
    (r"\X", r"\\X"),
    (r"\Ga", r"\\G: write \^"),
    (r"(a)\1", r"a back-reference \(\\1\)"),
    (r"(?<n>a)\k<n>", r"a back-reference \(\\k\)"),
    (r"\N{DIGIT ONE}", r"\\N"),
    (r"\cA", r"\\c"),
    (r"\x{61}", "without digits"),
    ("a(?i)b", r"\(\?i\) after the beginning: write \(\?i:\.\.\.\)"),
    ("(?i)^(?i)a", r"\(\?i\) after the beginning"),
    ("(?x)a b", "the flag x"),
    ("(?iu)a", "the flag u"),
    ("(?U:a)", "the flag U"),
    ("[a-z&&[^b]]", "a class within a class|an intersection"),
    ("[a-z&&b]", "an intersection of classes"),
    ("[a[bc]]", "a class within a class"),
    ("[]a]", r"write \\\] for a literal bracket"),
    ("[^]a]", r"for a literal bracket"),
    (r"[\b]", r"\\b, which does not represent a character"),
    (r"[\z]", r"\\z"),
    # Constructs of Python that Java refuses.
    ("(?P<n>a)", r"begins with \(\?P"),
    ("(?#a)", "Java does not have"),
    ("(a)?(?(1)b)", "Java does not have"),
    ("a{,2}", "without a number of repetitions"),
    ("a{", "without a number of repetitions"),
    ("(?<1a>x)", "Java does not have"),
    ("(?<a>x)(?<a>y)", "redefinition of group name"),
    # Mistakes in either language.
    ("*a", "nothing to repeat"),
    ("a**", "multiple repeat"),
    ("a{2}{3}", "multiple repeat"),
    ("{2}", "nothing to repeat"),
    (r"\b{2}", "nothing to repeat"),
    ("a{3,2}", "min repeat greater than max"),
    ("a{99999999999}", "can't be used"),
    ("(a", "unterminated subpattern"),
    ("a)", "unbalanced parenthesis"),
    ("[a", "a class that is not closed"),
    ("[a-", "a class that is not closed"),
    ("[", "a class that is not closed"),
    ("[z-a]", "the range z-a"),
    (r"[a-\d]", r"\\d, which does not represent a character"),
    ("a\\", "a backslash at its end"),
    (r"\E", r"\\E, which does not represent a character"),
    (r"\q", r"\\q"),
    (r"\0", "without digits"),
    (r"\08", "without digits"),
    (r"\x6", "without digits"),
    (r"\u006", "without digits"),
    ("(?<=a+)b", "look-behind requires fixed-width pattern"),
]


@pytest.mark.parametrize(("pattern", "says"), REFUSED)
def test_what_differs_is_refused(pattern: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        compile_java_pattern(pattern)
    assert repr(pattern) in str(caught.value)
    assert caught.value.key == "subscribePattern"


POSSESSIVE = ["a*+b", "a++b", "a?+b", "a{1,2}+b", "(?>a*)b"]


@pytest.mark.parametrize("pattern", POSSESSIVE)
def test_possessive_quantifiers_need_a_python_that_matches_them(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_regex, "_HAS_POSSESSIVE", False)
    with pytest.raises(ConfigError, match=r"from 3\.11\.5 on"):
        compile_java_pattern(pattern)


@pytest.mark.skipif(not java_regex._HAS_POSSESSIVE, reason="this Python has no possessive quantifiers, or wrong ones")
@pytest.mark.parametrize("pattern", POSSESSIVE)
def test_possessive_quantifiers_are_kept(pattern: str) -> None:
    assert compile_java_pattern(f"^{pattern}$").search("ab")
    assert not compile_java_pattern("^a*+ab$").search("aab")


@given(names, names)
def test_a_quoted_name_is_found_where_it_is(quoted: str, name: str) -> None:
    assert bool(compile_java_pattern(rf"\Q{quoted}\E").search(name)) is (quoted in name)
    assert bool(compile_java_pattern(rf"^\Q{quoted}\E$").search(name)) is (quoted == name)


@given(st.from_regex(r"\A(?:[ab.][*+?]?|\|){1,8}\Z"), names)
def test_what_both_languages_have_is_left_as_it_is(pattern: str, name: str) -> None:
    assert bool(compile_java_pattern(pattern).search(name)) is bool(re.search(pattern, name, re.ASCII))


@given(st.text(r"ab\[](){}?*+<>=!-^$.|&:iPQE012x", max_size=12))
def test_any_text_is_compiled_or_refused(pattern: str) -> None:
    with contextlib.suppress(ConfigError):
        compile_java_pattern(pattern).search("orders")
