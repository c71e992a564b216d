"""Calls the handler with the records of one transaction, before the transaction begins.

So a transaction is open only while its results are written, even if the handler takes long. If the handler fails,
nothing was written for its record: the records before it are committed, and its dead letter replaces it in the same
transaction.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import field

from kafka_nextgen import clocks
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.transactions.output_record import OutputRecord, outputs_of
from kafka_nextgen.text import describe_error
from kafka_nextgen.types import Record

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.deserializers import Deserializers
    from kafka_nextgen.engine.observability.hooks import HookList
    from kafka_nextgen.processing.transactions.backlog import Backlog
    from kafka_nextgen.processing.transactions.settings import TransactionSettings

__all__ = ["Batch", "Transformer"]

logger = logger_of("kafka_nextgen.processing")


@define
class Batch:
    """The results of the records of one transaction, each with its record.

    ``error`` ends the run after this transaction. ``retry_at`` (seconds, monotonic) is the time of the next attempt, if
    one has failed.
    """

    outputs: list[tuple[Record, OutputRecord]] = field(factory=list)
    records: int = 0
    error: Exception | None = None
    retry_at: float | None = None


class Transformer:
    """Calls ``handler``, and ``dead_letter`` with records whose attempts have failed."""

    def __init__(
        self,
        handler: Callable[[Record[Any, Any]], object],
        dead_letter: Callable[[Record[bytes, bytes], Exception], object] | None,
        deserializers: Deserializers,
        hooks: HookList,
        settings: TransactionSettings,
    ) -> None:
        for name, function in (("handler", handler), ("dead_letter", dead_letter)):
            if inspect.iscoroutinefunction(function):
                raise TypeError(f"run_in_transactions() can't await an async {name}")
        self._handler = handler
        self._dead_letter = dead_letter
        self._deserializers = deserializers
        self._hooks = hooks
        self._settings = settings

    def transform(self, backlog: Backlog, is_interrupted: Callable[[], bool]) -> Batch:
        """Handle records until there are enough for a transaction, the time is up, or a record has to be retried.

        ``is_interrupted`` returns whether to stop early. Exceptions such as KeyboardInterrupt are raised.
        """
        batch, deadline = Batch(), clocks.monotonic() + self._settings.max_time_s
        while (record := backlog.first) is not None and batch.records < self._settings.max_records:
            if batch.records and (clocks.monotonic() >= deadline or is_interrupted()):
                break
            if not self._handle(record, backlog, batch):
                break
            backlog.note_handled()
            batch.records += 1
        return batch

    def _handle(self, record: Record[bytes, bytes], backlog: Backlog, batch: Batch) -> bool:
        """Return whether the record is handled."""
        try:
            outputs = self._call_handler(record)
        except Exception as error:
            failures, now = backlog.note_failure(), clocks.monotonic()
            batch.retry_at = self._settings.retries.next_attempt(failures, error, now)
            self._log(record, error, batch.retry_at)
            if batch.retry_at is not None:
                return False
            if self._dead_letter is None:
                batch.error = error
                return False
            try:
                outputs = outputs_of(self._dead_letter(record, error))
            except Exception as refused:
                batch.error = refused
                return False
        batch.outputs += [(record, output) for output in outputs]
        return True

    def _call_handler(self, record: Record[bytes, bytes]) -> list[OutputRecord]:
        deserialized = self._deserializers.apply(record)
        if deserialized is None:
            return []
        if not self._hooks:
            return outputs_of(self._handler(deserialized))
        with self._hooks.processing(deserialized):
            return outputs_of(self._handler(deserialized))

    def _log(self, record: Record, error: Exception, retry_at: float | None) -> None:
        if retry_at is not None:
            outcome = "trying again"
        elif self._dead_letter is not None:
            outcome = "giving up, calling dead_letter"
        else:
            outcome = "giving up without a dead_letter callable: the run ends"
        logger.warning("%s offset %d: %s; %s", record.topic_partition, record.offset, describe_error(error), outcome)
