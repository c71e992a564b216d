"""auto.offset.reset as it is written: words, and durations as Java's Duration.parse takes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen import ConfigError
from kafka_nextgen.config import ByDuration, ConsumerConfig, OffsetReset
from kafka_nextgen.properties.offset_reset import Reset

HOUR_MS = 3_600_000


def configured(value: object) -> Reset:
    return ConsumerConfig.parse(bootstrap_servers="a:1", auto_offset_reset=value).auto_offset_reset


@pytest.mark.parametrize(
    ("written", "duration_ms"),
    [
        ("PT1H30M", HOUR_MS * 3 // 2),
        ("P2D", 48 * HOUR_MS),
        ("P1DT1H1M1.5S", 25 * HOUR_MS + 61_500),
        ("pt20.345s", 20_345),
        ("PT20,345S", 20_345),
        ("PT10.S", 10_000),
        ("PT0S", 0),
        ("+PT15M", 15 * 60_000),
        ("PT+6H-3M", 6 * HOUR_MS - 180_000),
        ("PT2S", 2_000),
        ("PT2M-0.5S", 119_500),
        ("-PT-6H", 6 * HOUR_MS),
        ("-PT-1.5S", 1_500),
        ("PT0.0001S", 1),  # rounded up: rather a record too many than one too few
        ("P-1DT25H", HOUR_MS),
    ],
)
def test_durations_are_those_that_java_reads(written: str, duration_ms: int) -> None:
    assert configured(f"by_duration:{written}") == ByDuration(duration_ms)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("by_duration", "must be latest or earliest or none or by_duration: and a duration, not 'by_duration'"),
        ("by_duration:", "must be a duration such as PT1H30M or P2D, not ''"),
        ("by_duration:P", "must be a duration"),
        ("by_duration:PT", "must be a duration"),
        ("by_duration:P1DT", "must have a time after its T"),
        ("by_duration:1h", "must be a duration"),
        ("by_duration:P1Y", "must be a duration"),
        ("by_duration:P1H", "must be a duration"),
        ("by_duration:PT1M1H", "must be a duration"),
        ("by_duration:PT6H7H", "must be a duration"),
        ("by_duration:PT1.5H", "must be a duration"),
        ("by_duration:PT1.0000000001S", "must be a duration"),
        ("by_duration:PT\N{ARABIC-INDIC DIGIT ONE}H", "must be a duration"),
        ("by_duration:-PT1S", "must not be negative"),
        ("by_duration:PT-1S", "must not be negative"),
        ("by_duration:PT-0.5S", "must not be negative"),
        ("newest", "must be latest or earliest or none or by_duration: and a duration, not 'newest'"),
        (7, "not 7"),
    ],
)
def test_what_is_none_is_refused_and_named(value: object, complaint: str) -> None:
    with pytest.raises(ConfigError, match="auto_offset_reset: ") as caught:
        configured(value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("value", [*OffsetReset, ByDuration(90_000)])
def test_what_was_read_already_is_taken_as_it_is(value: Reset) -> None:
    assert configured(value) == value


def test_the_prefix_may_be_in_any_case_like_the_words() -> None:
    assert configured(" By_Duration:pt1h ") == ByDuration(HOUR_MS)


def test_a_configuration_shows_the_duration_as_it_is_written() -> None:
    config = ConsumerConfig.parse(bootstrap_servers="a:1", auto_offset_reset="by_duration:PT1H30M")
    assert "auto_offset_reset='by_duration:PT1H30M'" in repr(config)


@pytest.mark.parametrize(
    ("duration_ms", "written"),
    [(0, "PT0S"), (5, "PT0.005S"), (60_000, "PT1M"), (HOUR_MS + 1_500, "PT1H1.5S"), (48 * HOUR_MS, "PT48H")],
)
def test_durations_are_written_as_java_writes_them(duration_ms: int, written: str) -> None:
    assert str(ByDuration(duration_ms)) == f"by_duration:{written}"


@given(st.integers(0, 10**15))
def test_a_duration_that_was_written_is_read_again(duration_ms: int) -> None:
    assert configured(str(ByDuration(duration_ms))) == ByDuration(duration_ms)


def test_new_partitions_begin_at_a_place_for_none_is_what_auto_offset_reset_says() -> None:
    def placed(value: str) -> Reset | None:
        config = ConsumerConfig.parse({"bootstrap.servers": "a:1", "auto.offset.reset.new.partitions": value})
        return config.auto_offset_reset_new_partitions

    assert placed("Earliest") is OffsetReset.EARLIEST
    assert placed("by_duration:PT1H") == ByDuration(3_600_000)
    with pytest.raises(ConfigError, match=r"^auto\.offset\.reset\.new\.partitions: must be latest or earliest or by"):
        placed("none")
