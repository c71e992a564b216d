"""Whatever a signal handler raises, and wherever, while a connection is lent: each record comes once."""

from __future__ import annotations

import pytest

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.engine.reading.lent_sockets import CAN_LEND
from tests.engine.injected_calls import BY_HAND, READING, TRIED
from tests.engine.interrupted_reader import KINDS, Kind
from tests.engine.lent import lend_soon
from tests.engine.lent_reader import try_lent_call
from tests.engine.stage import Stage
from tests.support.examples import every

pytestmark = [
    pytest.mark.skipif(not (ACCELERATED and CAN_LEND), reason="nothing can be lent"),
    pytest.mark.timeout(300 * 7 // every(7)),
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
#: Calls that touch what was read; of the others, those that leave the group would only repeat what is tried elsewhere.
CALLS = sorted({*READING, "commit", "commit_async", "seek", "resume", "position", "lag", "metrics", "end_offsets"})
OTHERS = sorted(TRIED.keys() - set(CALLS) - BY_HAND - {"unsubscribe", "subscribe"})


def stride_of(call: str) -> int:
    return 1 if call in READING else every(5)


BEFORE = pytest.mark.parametrize("is_in_iteration", [False, True], ids=["after a poll", "in iteration"])


@BEFORE
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
async def test_after_an_exception_anywhere_in_a_call_reading_goes_on_where_it_was(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, kind: Kind, call: str, is_in_iteration: bool
) -> None:
    lend_soon(monkeypatch)
    stage.create(partitions=2, records=1)
    assert await try_lent_call(stage, kind, call, is_in_iteration, stride=stride_of(call)) > 0


@BEFORE
@pytest.mark.skipif(every(2) != 1, reason="in a night's run")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", OTHERS)
async def test_the_same_in_every_other_call(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, kind: Kind, call: str, is_in_iteration: bool
) -> None:
    lend_soon(monkeypatch)
    stage.create(partitions=2, records=1)
    assert await try_lent_call(stage, kind, call, is_in_iteration) > 0
