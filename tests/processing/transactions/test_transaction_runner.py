"""The loop of ``run_in_transactions``, poll by poll: what is committed, aborted, read again, and left behind."""

from __future__ import annotations

import pytest

from kafka_nextgen import (
    ConfigError,
    NoBrokersError,
    OutputRecord,
    Record,
    RequestTimeoutError,
    StopHandle,
    TransactionError,
)
from kafka_nextgen.processing.transactions.producers import (
    AbortNeededError,
    OffsetsRefusedError,
    ProducerLostError,
)
from kafka_nextgen.testing import Clock
from kafka_nextgen.transport.turned_clock import clocks
from tests.processing.scripted import records_of
from tests.processing.stage import P0, P1
from tests.processing.transactions.scripted import (
    FakeProducer,
    ScriptedTransformer,
    committed,
    copy,
    run_to_the_end,
    values,
)

REFUSED = OffsetsRefusedError(ValueError("ILLEGAL_GENERATION"))
LOST = ProducerLostError(ValueError("fenced"))
TO_ABORT = AbortNeededError(ValueError("timed out"))


def test_the_records_of_a_poll_are_one_transaction_with_their_offsets() -> None:
    consumer = ScriptedTransformer(records_of(P0, 3, 4), records_of(P0, 5))
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(0, 3), (0, 4), (0, 5)]
    assert committed(consumer) == {P0: 6}
    per_transaction = ["begin", "produce", "produce", "send_offsets", "commit", "begin", "produce", "send_offsets"]
    assert consumer.kafka.calls == ["init", *per_transaction, "commit"]
    assert consumer.kafka.closed == 1
    assert consumer.sought == {}


def test_a_handler_may_return_nothing_several_or_yield_and_offsets_are_committed_in_any_case() -> None:
    def handle(record: Record) -> object:
        if record.offset == 0:
            return None
        if record.offset == 1:
            return [copy(record), copy(record)]
        return (copy(each) for each in [record])

    consumer = ScriptedTransformer(records_of(P0, 0), records_of(P0, 1, 2))
    run_to_the_end(consumer, handle)
    assert values(consumer) == [(0, 1), (0, 1), (0, 2)]
    assert (consumer.kafka.transactions, committed(consumer)) == (2, {P0: 3})


def test_the_position_behind_markers_is_committed_but_not_one_behind_a_record_that_waits() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0, 1))
    consumer.positions = {P0: 3}
    run_to_the_end(consumer, copy)
    assert committed(consumer) == {P0: 3}
    half = ScriptedTransformer(records_of(P0, 0, 1))
    half.positions = {P0: 3}
    stop = StopHandle()

    def stop_at_the_first(record: Record) -> OutputRecord:
        stop.stop()
        return copy(record)

    run_to_the_end(half, stop_at_the_first, stop=stop)
    assert committed(half) == {P0: 1}
    assert half.sought == {P0: 1}  # the next poll of the application starts there


@pytest.mark.parametrize("failure", [REFUSED, TO_ABORT, LOST], ids=["refused", "abort needed", "lost"])
@pytest.mark.parametrize("call", ["begin", "produce", "send_offsets", "commit"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_whatever_fails_is_read_again_from_what_is_committed(failure: Exception, call: str, when: str) -> None:
    consumer = ScriptedTransformer(records_of(P0, 0), records_of(P0, 1))
    consumer.script.append(lambda _: getattr(consumer.kafka, when).update({call: [failure]}))
    consumer.read(2, 3)
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert committed(consumer) == {P0: 4}
    inits = consumer.kafka.calls.count("init")
    assert inits == (2 if failure is LOST else 1)
    assert consumer.kafka.closed == inits


def test_without_a_committed_offset_it_starts_again_at_the_first_record_of_the_transaction() -> None:
    consumer = ScriptedTransformer()
    consumer.kafka.before["commit"] = [TO_ABORT]
    consumer.read(5, 6)
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(0, 5), (0, 6)]


def test_a_producer_that_cannot_abort_is_replaced_before_the_committed_offsets_are_looked_up() -> None:
    consumer = ScriptedTransformer()
    consumer.kafka.before |= {"commit": [TO_ABORT], "abort": [TO_ABORT]}
    consumer.read(0)
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(0, 0)]
    assert consumer.kafka.calls.count("init") == 2


def test_nothing_is_handled_while_the_committed_offsets_are_unknown_and_polls_go_on_paused() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0))
    consumer.kafka.before["commit"] = [TO_ABORT]
    consumer.unknown = [RequestTimeoutError("no answer")] * 3
    consumer.script.append(records_of(P0, 1))  # read ahead although all was to be paused: it must not be handled
    consumer.poll_until(lambda: consumer.sought)
    consumer.read(0, 1)
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(0, 0), (0, 1)]
    assert consumer.paused_polls[:2] == [False, True]
    assert consumer.paused() == frozenset()


def test_what_fails_ten_times_in_a_row_ends_the_run_and_a_rebalance_does_not_count() -> None:
    consumer = ScriptedTransformer(retry_backoff_max_ms=1)
    consumer.read(0)
    consumer.kafka.before["commit"] = [TO_ABORT] * 8 + [REFUSED] * 20 + [TO_ABORT] * 2
    with pytest.raises(TransactionError, match=r"orders\[0\]: 10 transactions in a row failed, .* timed out") as raised:
        run_to_the_end(consumer, copy)
    assert raised.value.__cause__ is TO_ABORT.error
    assert values(consumer) == []


def test_a_success_in_between_begins_the_count_anew() -> None:
    consumer = ScriptedTransformer(retry_backoff_max_ms=1)
    for offset in range(3):
        consumer.script.append(lambda _: consumer.kafka.before.update(commit=[TO_ABORT] * 8))
        consumer.read(offset)
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(0, 0), (0, 1), (0, 2)]


@pytest.mark.parametrize("failure", [LOST, TO_ABORT], ids=["lost", "can't abort"])
def test_a_given_producer_that_is_lost_ends_the_run(failure: Exception) -> None:
    consumer = ScriptedTransformer(records_of(P0, 0))
    consumer.kafka.before |= {"commit": [failure], "abort": [failure]}
    with pytest.raises(TransactionError, match=r"transactional\.id"):
        run_to_the_end(consumer, copy, producer=consumer.kafka.producer())
    assert consumer.kafka.closed == 0
    assert consumer.sought == {P0: 0}


def test_a_given_producer_is_used_again_after_an_abort() -> None:
    consumer = ScriptedTransformer()
    consumer.kafka.before["commit"] = [TO_ABORT]
    consumer.read(0)
    run_to_the_end(consumer, copy, producer=consumer.kafka.producer())
    assert values(consumer) == [(0, 0)]


def test_a_producer_that_does_not_survive_an_abort_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeProducer, "survives_abort", False)
    consumer = ScriptedTransformer()
    consumer.kafka.before["commit"] = [REFUSED]
    consumer.read(0)
    run_to_the_end(consumer, copy)
    assert (values(consumer), consumer.kafka.calls.count("init")) == ([(0, 0)], 2)


def test_a_producer_that_cannot_be_initialized_ends_the_run_before_the_group_is_joined() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0))
    consumer.kafka.before["init"] = [LOST]
    with pytest.raises(TransactionError, match=r"can't be initialized: .*fenced"):
        run_to_the_end(consumer, copy)
    assert consumer.polls == 0


def test_partitions_that_are_revoked_are_forgotten_and_their_new_position_counts() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0, 1), max_poll_interval_ms=1_000)
    consumer.script.append(lambda each: each.revoke())
    consumer.script.append(lambda each: each.owned.add(P0))
    consumer.script.append(records_of(P0, 8))  # others went on meanwhile
    consumer.is_poll_awaited = True  # so that a transaction has one record
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(0, 0), (0, 8)]
    assert consumer.kafka.transactions == 2


def test_uncertain_partitions_that_are_revoked_are_not_sought() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0))
    consumer.kafka.before["commit"] = [TO_ABORT]
    consumer.unknown = [RequestTimeoutError("no answer")] * 1000
    consumer.script.append(lambda each: each.revoke())
    run_to_the_end(consumer, copy)
    assert consumer.sought == {}


def test_a_rebalance_that_waits_ends_a_batch_after_the_record() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0, 1, 2))

    def handle(record: Record) -> OutputRecord:
        consumer.is_poll_awaited = record.offset == 0
        return copy(record)

    run_to_the_end(consumer, handle)
    assert consumer.kafka.transactions == 1
    assert committed(consumer) == {P0: 1}
    assert consumer.sought == {P0: 1}


@pytest.mark.parametrize(("limit", "count"), [({"max_records": 2}, 2), ({"max_time_s": 0.0}, 3), ({}, 1)])
def test_a_transaction_is_limited_by_count_and_time(limit: dict[str, object], count: int) -> None:
    consumer = ScriptedTransformer(records_of(P0, 0, 1, 2))
    consumer.script += [lambda _: None] * 3
    run_to_the_end(consumer, copy, **limit)
    assert values(consumer) == [(0, 0), (0, 1), (0, 2)]
    assert consumer.kafka.transactions == count
    assert consumer.paused() == frozenset()


def test_a_record_that_fails_is_tried_again_after_those_before_it_are_committed() -> None:
    tries: list[int] = []

    def handle(record: Record) -> OutputRecord:
        tries.append(record.offset)
        if record.offset == 1 and tries.count(1) < 3:
            raise ValueError("not yet")
        return copy(record)

    consumer = ScriptedTransformer(records_of(P0, 0, 1, 2))
    consumer.poll_until(lambda: len(values(consumer)) == 3)
    run_to_the_end(consumer, handle)
    assert tries == [0, 1, 1, 1, 2]
    assert (values(consumer), consumer.kafka.transactions) == ([(0, 0), (0, 1), (0, 2)], 2)


def test_the_next_attempt_waits_for_the_backoff_while_polls_go_on_paused() -> None:
    clock, tries = Clock(), list[int]()

    def fail_once(record: Record) -> OutputRecord:
        tries.append(record.offset)
        if len(tries) == 1:
            raise ValueError("not yet")
        return copy(record)

    def is_waiting(each: ScriptedTransformer) -> None:
        assert (tries, each.paused()) == ([0], {P0})

    consumer = ScriptedTransformer(records_of(P0, 0), retry_backoff_ms=60_000, retry_backoff_max_ms=60_000)
    consumer.script += [is_waiting, is_waiting, lambda _: clock.advance(60), lambda _: None]
    with clocks.followed(clock):
        run_to_the_end(consumer, fail_once)
    assert (tries, values(consumer)) == ([0, 0], [(0, 0)])


def test_a_dead_letter_takes_the_place_of_the_record_in_the_same_transaction() -> None:
    def handle(record: Record) -> object:
        yield copy(record)
        if record.offset == 1:
            raise ValueError("no such order")

    def bury(record: Record, error: Exception) -> OutputRecord:
        return OutputRecord("dead", (record.value, str(error)))

    consumer = ScriptedTransformer(records_of(P0, 0, 1, 2, value=b"order"))
    run_to_the_end(consumer, handle, dead_letter=bury, attempts=1)
    assert values(consumer) == [(0, 0), (b"order", "no such order"), (0, 2)]
    assert consumer.kafka.transactions == 1


@pytest.mark.parametrize("dead_letter", [None, lambda record, error: 1 / 0])
def test_without_a_dead_letter_the_run_ends_at_the_record_that_fails(dead_letter: object) -> None:
    def handle(record: Record) -> OutputRecord:
        if record.offset == 1:
            raise ValueError("no such order")
        return copy(record)

    consumer = ScriptedTransformer(records_of(P0, 0, 1, 2))
    with pytest.raises(ZeroDivisionError if dead_letter else ValueError):
        run_to_the_end(consumer, handle, dead_letter=dead_letter, attempts=1)
    assert (values(consumer), committed(consumer)) == ([(0, 0)], {P0: 1})
    assert consumer.sought == {P0: 1}


def test_an_exit_in_a_handler_commits_nothing_and_rewinds() -> None:
    def handle(record: Record) -> OutputRecord:
        if record.offset == 1:
            raise SystemExit(3)
        return copy(record)

    consumer = ScriptedTransformer(records_of(P0, 0, 1))
    with pytest.raises(SystemExit):
        run_to_the_end(consumer, handle)
    assert (values(consumer), consumer.sought) == ([], {P0: 0})


@pytest.mark.parametrize("call", ["produce", "commit"])
def test_an_exception_amid_a_transaction_aborts_it_and_rewinds_to_what_is_committed(call: str) -> None:
    consumer = ScriptedTransformer(records_of(P0, 0), records_of(P0, 1))
    consumer.script.append(lambda _: consumer.kafka.before.update({call: [KeyboardInterrupt()]}))
    consumer.script.append(records_of(P0, 2, 3))
    with pytest.raises(KeyboardInterrupt):
        run_to_the_end(consumer, copy)
    assert consumer.kafka.calls[-1] == "abort"
    assert consumer.sought == {P0: 2}


def test_at_the_end_an_unknown_outcome_rewinds_to_the_start_of_the_transaction(
    caplog: pytest.LogCaptureFixture,
) -> None:
    consumer = ScriptedTransformer(records_of(P0, 0))
    consumer.kafka.after["commit"] = [LOST]
    consumer.unknown = [RequestTimeoutError("no answer")] * 1000
    with pytest.raises(TransactionError):
        run_to_the_end(consumer, copy, producer=consumer.kafka.producer())
    assert consumer.sought == {P0: 0}
    assert "may have been committed" in caplog.text


def test_a_result_that_the_producer_refuses_is_raised_and_the_log_says_of_which_record(
    caplog: pytest.LogCaptureFixture,
) -> None:
    consumer = ScriptedTransformer(records_of(P0, 17))
    consumer.kafka.before["produce"] = [TypeError("not bytes")]
    with pytest.raises(TypeError, match="not bytes"):
        run_to_the_end(consumer, copy)
    assert consumer.sought == {P0: 17}
    assert "orders[0] offset 17: its result for topic invoices can't be written" in caplog.text


def test_what_a_poll_raises_ends_the_run() -> None:
    def fail(_: object) -> None:
        raise NoBrokersError("nobody there")

    consumer = ScriptedTransformer(records_of(P0, 0), fail)
    with pytest.raises(NoBrokersError):
        run_to_the_end(consumer, copy)
    assert committed(consumer) == {P0: 1}


def test_a_truncated_log_is_handled_from_where_it_goes_on() -> None:
    consumer = ScriptedTransformer(records_of(P0, 5, 6, 7), records_of(P0, 2))
    run_to_the_end(consumer, copy, max_time_s=0.0)
    assert values(consumer)[:2] == [(0, 5), (0, 2)]


def test_records_of_other_partitions_wait_while_one_is_read_again() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0))
    consumer.owned.add(P1)
    consumer.kafka.before["commit"] = [TO_ABORT]
    consumer.script.append(records_of(P1, 4))
    consumer.poll_until(lambda: committed(consumer) == {P1: 5})
    consumer.read(0)
    run_to_the_end(consumer, copy)
    assert values(consumer) == [(1, 4), (0, 0)]


def test_values_are_deserialized_for_the_handler_and_skipped_ones_count_as_handled() -> None:
    config = {"value_deserializer": int, "on_deserialization_error": "skip"}
    consumer = ScriptedTransformer(records_of(P0, 0, value=b"x"), records_of(P0, 1, value=b"42"), **config)
    run_to_the_end(consumer, lambda record: OutputRecord("invoices", record.value))
    assert (values(consumer), committed(consumer)) == ([42], {P0: 2})


def test_hooks_wrap_each_call_of_the_handler() -> None:
    from kafka_nextgen import Hooks

    seen: list[int] = []

    class Watching(Hooks):
        def processing(self, record: Record):  # type: ignore[no-untyped-def]
            seen.append(record.offset)
            return super().processing(record)

    consumer = ScriptedTransformer(records_of(P0, 0, 1))
    consumer.hooks.add(Watching())
    run_to_the_end(consumer, copy)
    assert seen == [0, 1]


@pytest.mark.parametrize(
    ("config", "options", "error", "said"),
    [
        ({"enable_auto_commit": True}, {}, ConfigError, "enable.auto.commit=false"),
        ({"isolation_level": "read_uncommitted"}, {}, ConfigError, "isolation.level=read_committed"),
        ({}, {"max_records": 0}, ValueError, "max_records=0"),
        ({}, {"attempts": 0}, ValueError, "attempts=0"),
        ({}, {"max_time_s": -1.0}, ValueError, "max_time_s=-1.0"),
        ({}, {"producer": object()}, TypeError, "confluent_kafka.Producer"),
        ({}, {"producer": object}, TypeError, "confluent_kafka.Producer"),
    ],
)
def test_what_cannot_work_is_refused(
    config: dict[str, object], options: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        run_to_the_end(ScriptedTransformer(records_of(P0, 0), **config), copy, **options)


def test_async_handlers_and_results_of_another_type_are_refused() -> None:
    async def handle(record: Record) -> None: ...

    with pytest.raises(TypeError, match="can't await an async handler"):
        run_to_the_end(ScriptedTransformer(), handle)
    with pytest.raises(TypeError, match=r"returns OutputRecord.*, not bytes"):
        run_to_the_end(ScriptedTransformer(records_of(P0, 0)), lambda record: b"bytes", attempts=1)
    with pytest.raises(TypeError, match=r"returns OutputRecord.*, not tuple"):
        run_to_the_end(ScriptedTransformer(records_of(P0, 0)), lambda record: [("invoices", b"")], attempts=1)


def test_the_listener_is_removed_at_the_end() -> None:
    consumer = ScriptedTransformer(records_of(P0, 0))
    run_to_the_end(consumer, copy)
    assert type(consumer.listener).__name__ == "RebalanceListener"
