"""A sample of odd requests to the embedded broker, and whether the fuzzer finds what it is to find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen.testing.broker import apis as served
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.wire import apis
from tests.support.examples import examples
from tests.verification.fuzz.requests.drawing import Drawn
from tests.verification.fuzz.requests.trying import fuzzed

SEED = 14


@pytest.mark.random
def test_every_odd_request_is_answered(figures: Callable[[str], None]) -> None:
    with fuzzed(SEED) as trial:
        trial.run(examples(10_000))
    assert {place: str(finding.drawn) for place, finding in trial.findings.items()} == {}
    figures(f"{trial.answered:,} of {trial.tried:,} odd requests were answered")


def _broken() -> None:
    raise KeyError("planted")


def _closing() -> None:
    raise CloseConnectionError("planted")


@pytest.mark.parametrize(("fault", "what"), [(_broken, "KeyError: 'planted'"), (_closing, "the broker hung up")])
def test_a_fault_of_a_handler_is_found(monkeypatch: pytest.MonkeyPatch, fault: Callable[[], None], what: str) -> None:
    async def handle(request: Any, context: Any) -> None:
        fault()

    monkeypatch.setitem(served.SERVED, apis.LIST_GROUPS, handle)
    with fuzzed(SEED) as trial:
        trial.try_one(Drawn(apis.LIST_GROUPS, 5, apis.LIST_GROUPS.request()))
    (finding,) = trial.findings.values()
    assert what in finding.what


def test_a_seed_draws_the_same_requests() -> None:
    drawn = []
    for _ in range(2):
        with fuzzed(SEED) as trial:
            trial.run(200)
            drawn.append((trial.tried, trial.answered, trial.words.random.random()))
    assert drawn[0] == drawn[1]
