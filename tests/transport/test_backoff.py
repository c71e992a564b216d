from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.transport.backoff import Backoff

BACKOFF = Backoff(first_s=0.1, longest_s=1.0)


def test_pauses_double_up_to_the_longest() -> None:
    assert [BACKOFF.delay_s(failures, 0.5) for failures in range(7)] == [0, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_jitter_is_a_fifth_either_way() -> None:
    assert [round(BACKOFF.delay_s(1, chance), 6) for chance in (0, 0.5, 0.75)] == [0.08, 0.1, 0.11]


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_however_often_it_failed_the_pause_stays_within_bounds(failures: int, chance: float) -> None:
    assert 0.0799 <= BACKOFF.delay_s(failures, chance) <= 1.2
