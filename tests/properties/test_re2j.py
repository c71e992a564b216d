"""What is told of patterns beside RE2/J itself, the jar in Kafka 4.0 to 4.4: a table, and patterns drawn at random."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

from kafka_nextgen.properties.re2j import Verdict, judge, matcher_of
from kafka_nextgen.testing.real_kafka.maven import find_java
from tests.conftest import or_skip
from tests.support.kafka_from_maven import QUICK_START
from tests.support.maven_jars import Artifact, fetch_artifacts
from tests.support.waiting import GUARD_S

RE2J = Artifact("com.google.re2j", "re2j", "1.8")
PROGRAM = Path(__file__).parent / "Re2jVerdicts.java"
SEED, DRAWN = 48, 3_000

NAMES = ("orders", "orders-eu", "a", "aa", "ab", "b.c_d", "K", "k", "A-1", "x" * 249, "7", "-", "word")

#: Patterns in which the two engines, or what is said of them, may differ.
TABLE = (
    *(r"\pL+", r"\p{Greek}", r"\C", r"[\C]", r"(?<name>a)", r"(?P<name>a)", r"\Qa.b\E", "[[:word:]]+", "a{1001}"),
    *("a{1000}", "(?U)a+", r"\z", r"\Z", r"\R", "(?#c)", r"\h", "(?i)k", r"\x{61}", r"\x{61}+", r"\077", r"\141"),
    *("(?m)^a$", "", "a**", "(a){0}", "(a{10}){101}", r"((\w{1,20}[.]){1,10}){1,6}", "[^]a]", "[a&&b]", "(?=a)"),
    *(r"(a)\1", r"\p{IsAlphabetic}", "(?<a>x)(?<a>y)", "(?P<a>x)(?<a>y)", "(?P<a>x|(?P<a>z))", "(?<é>x)", "(?P<1>x)"),
    *(r"\pL{500}", r"[\pL\pN]{1000}", r"\p{Kawi}", r"[\p{Yezidi}a]", r"\p{^Vithkuqi}", r"\p{Batak}", r"\p{Chakma}"),
    *("a)", "a}+", "a{,2}+", "a{2}+", "a{2}{3}", "a++", "a?+", r"\Qa++\E", r"\Q(?=\E", r"\Q\1\E", r"[\12]", r"\8"),
    *(r"\Qa", r"a\E", r"[\Qa]\E]", r"\p{greek}", r"\pX", "[b-a]", r"[a-\d]", "[[:foo:]]", r"\x{110000}", "\\", "\\é"),
    *("(?-s).", "(?x)a", "(?i-)a", "(?)a", "(?P=a)", "(?>a)", "(?(1)a)", "(?'a'x)", "*a", "a|*", "(|a)", "a{2,1}"),
    *("a\nb", "é+", "[é-ü]", "\U0001f600?", "(?i)\u017f", r"\p{LC}", r"\p{Cn}", "(a{1001}){2}", "(?:a{40}){30}"),
)

#: What a pattern is drawn from; text in pairs goes around others.
ATOMS = (
    *("a", "b", "orders", "-", ".", "K", "é", "]", "}", "{", "^", "$", "|", ",", "#", "&"),
    *(r"\.", r"\d", r"\W", r"\b", r"\z", r"\A", r"\Z", r"\C", r"\Q.+\E", r"\Qa", r"\E", r"\x61", r"\x{2D}", r"\x6"),
    *(r"\141", r"\12", r"\1", r"\8", r"\0", r"\pL", r"\PN", r"\p{Lu}", r"\p{^Greek}", r"\p{Kawi}", r"\p{L", r"\é"),
    *("[a-z]", "[^a]", "[]a]", "[a", "[a&&b]", "[[:alpha:]-]", r"[\d_]", r"[\p{Han}a]", r"[\12]", r"[\1]", "[z-a]"),
    *("(?i)", "(?m)", "(?s-i)", "(?x)", "(?=a)", "(?<=a)", "(?P=n)", "(?#a)"),
)
AROUND = (
    *(("(", ")"), ("(?:", ")"), ("(?i:", ")"), ("(?P<n>", ")")),
    *(("(?<m>", ")"), ("(?<n1>", ")"), ("(", ""), ("", ")")),
)
REPEATS = (
    *("*", "+", "?", "+?", "*+", "??", "{2}", "{1,3}", "{2,}", "{0}", "{,2}", "{2}+"),
    *("{30}", "{40}", "{3,2}", "{1001}"),
)


def drawn(random: Random, depth: int = 3) -> str:
    parts = []
    for _ in range(random.choice((1, 1, 2, 3))):
        part = random.choice(ATOMS)
        if depth and random.random() < 0.3:
            before, behind = random.choice(AROUND)
            part = before + drawn(random, depth - 1) + behind
        parts.append(part + (random.choice(REPEATS) if random.random() < 0.3 else ""))
    return "".join(parts)


@pytest.fixture(scope="module")
def said() -> Mapping[str, str]:
    """What RE2/J says of each pattern, by one start of Java."""
    random = Random(SEED)
    patterns = list(dict.fromkeys([*TABLE, *(drawn(random) for _ in range(DRAWN))]))
    return or_skip(lambda: verdicts(patterns))


def verdicts(patterns: Sequence[str]) -> Mapping[str, str]:
    java, jars = find_java(), fetch_artifacts("re2j-1.8", [RE2J])
    command = [java, "-Xmx256m", *QUICK_START.split(), "-cp", str(jars / "*"), str(PROGRAM), *NAMES]
    lines = "\n".join(base64.b64encode(pattern.encode()).decode() for pattern in patterns)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=GUARD_S, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(patterns, done.stdout.splitlines(), strict=True))


def told(pattern: str) -> str | None:
    """The same by google-re2 and what is known of RE2/J; None where that can't be told."""
    judgement = judge(pattern)
    if judgement.verdict is not Verdict.TAKEN:
        return None if judgement.verdict is Verdict.UNKNOWN else "refused"
    matcher = matcher_of(pattern)
    return "".join("1" if matcher.fullmatch(name) else "0" for name in NAMES)


@pytest.mark.kafka
def test_what_is_told_is_what_re2j_says(said: Mapping[str, str]) -> None:
    ours = {pattern: told(pattern) for pattern in said}
    differing = {pattern: (ours[pattern], theirs) for pattern, theirs in said.items() if ours[pattern] != theirs}
    assert {pattern: both for pattern, both in differing.items() if both[0] is not None} == {}


@pytest.mark.kafka
def test_re2j_takes_what_can_t_be_told(said: Mapping[str, str]) -> None:
    unknown = [pattern for pattern in TABLE if told(pattern) is None]
    assert unknown
    assert [pattern for pattern in unknown if said[pattern] == "refused"] == []
