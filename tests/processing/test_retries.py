"""A record that failed is tried again after a pause that doubles, or given up."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.processing.retries import RetryPolicy
from tests.processing.stage import P0, record

POLICY = RetryPolicy(attempts=5, backoff_s=0.5, backoff_max_s=3.0)


@pytest.mark.parametrize(("failures", "pause_s"), [(1, 0.5), (2, 1.0), (3, 2.0), (4, 3.0)])
def test_the_pause_doubles_up_to_its_maximum(failures: int, pause_s: float) -> None:
    assert POLICY.next_attempt(failures, ValueError(), now=100.0) == 100.0 + pause_s


def test_after_all_attempts_it_is_given_up() -> None:
    assert POLICY.next_attempt(5, ValueError(), now=100.0) is None


def test_what_cannot_be_deserialized_is_given_up_at_once() -> None:
    assert POLICY.next_attempt(1, DeserializationError("no number", record(P0, 5), "value"), now=100.0) is None


def test_many_failures_do_not_overflow() -> None:
    patient = RetryPolicy(attempts=10**6, backoff_s=0.5, backoff_max_s=3.0)
    assert patient.next_attempt(10**5, ValueError(), now=0.0) == 3.0
