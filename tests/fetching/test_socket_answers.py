"""Answers that the application's thread has received are applied once each, wherever that was interrupted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.fetching import DecodedPartition, socket_answers
from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.socket_answers import apply_taken
from kafka_nextgen.types import TopicPartition
from tests.wire.served_socket import ServedSocket

pytestmark = pytest.mark.skipif(not (ACCELERATED and hasattr(accelerator, "SteadySocket")), reason="not here")
OTHER = TopicPartition("other", 0)


class Interrupted(Exception):  # noqa: N818
    """What a signal handler raises."""


def results(offset: int) -> list[DecodedPartition]:
    """An answer with one record of each of two partitions."""
    broker = ServedSocket()
    broker.answers(3)
    broker.served.serve()
    (decoded,) = broker.served.taken[0] or ()
    broker.close()
    assert decoded.columns is not None
    columns = decoded.columns.before(decoded.columns.next_offset)  # the same records, as Columns
    columns.next_offset = offset + 1
    return [decoded._replace(columns=columns), decoded._replace(partition=OTHER, columns=columns)]


@pytest.fixture
def context() -> Any:
    partition = results(3)[0].partition
    states = {each: SimpleNamespace(fetch_offset=3, fetch_epoch=-1) for each in (partition, OTHER)}
    return SimpleNamespace(
        assigned=SimpleNamespace(by_partition=states),
        buffers=Buffers(),
        settings=SimpleNamespace(read_committed=False),
        received_records=0,
        received_bytes=0,
        went_on={},
    )


def test_what_was_applied_before_an_exception_is_not_applied_again(
    context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Any] = [results(3)]
    apply, calls = socket_answers._apply, list[int]()

    def interrupted(*what: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise Interrupted
        apply(*what)

    monkeypatch.setattr(socket_answers, "_apply", interrupted)
    with pytest.raises(Interrupted):
        apply_taken(taken, context)
    taken.append(results(4))
    apply_taken(taken, context)
    assert [context.buffers.records_of(each) for each in context.assigned.by_partition] == [2, 2]
    assert [state.fetch_offset for state in context.assigned.by_partition.values()] == [5, 5]
    assert context.received_records == 4
    assert not taken


def test_an_answer_without_results_is_taken_out(context: Any) -> None:
    taken: list[Any] = [results(3), None]
    apply_taken(taken, context)
    assert not taken
