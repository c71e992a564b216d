"""The producer of a run: passed by the application, or created by its function, again when it becomes unusable."""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.logs import logger_of
from kafka_nextgen.processing.transactions.producers import (
    ProducerFailure,
    ProducerLostError,
    TransactionalProducer,
    adapter_of,
)

__all__ = ["ProducerSource"]

logger = logger_of("kafka_nextgen.processing")


class ProducerSource:
    """``producer`` is a producer, or a function without arguments that creates one. Only created ones are closed
    here."""

    def __init__(self, producer: object) -> None:
        self._make: Callable[[], object] | None = producer if callable(producer) else None
        self._given: TransactionalProducer | None = None
        self._producer: TransactionalProducer | None = None
        if self._make is None:
            self._given = adapter_of(producer)
            if not self._given.survives_abort:
                raise TypeError(
                    f"a {type(producer).__name__} is unusable after an abort, which any rebalance may cause: "
                    "pass a function that creates producers, such as producer=lambda: KafkaProducer(...)"
                )

    @property
    def can_renew(self) -> bool:
        """Whether an unusable producer can be replaced."""
        return self._make is not None

    def current(self) -> TransactionalProducer:
        """Return the initialized producer; creates it if necessary. Raises ProducerFailure."""
        if self._producer is None:
            made, self._given = self._given, None
            if self._make is not None:
                made = adapter_of(self._make())
            assert made is not None, "an unusable producer that can't be replaced ends the run"
            try:
                made.init()
            except BaseException:
                self._close(made)
                raise
            self._producer = made
        return self._producer

    def abort(self) -> ProducerLostError | None:
        """Abort the transaction; if that fails, discard the producer and return the error."""
        producer = self._producer
        if producer is None:
            return None
        try:
            producer.abort()
        except ProducerFailure as failure:
            self.discard()
            return ProducerLostError(failure.error)
        except BaseException:
            self.discard()
            raise
        if not producer.survives_abort:
            self.discard()
        return None

    def discard(self) -> None:
        """Discard the producer."""
        producer, self._producer = self._producer, None
        if producer is not None:
            self._close(producer)

    def close(self) -> None:
        """Close a producer that was created here."""
        self.discard()

    def _close(self, producer: TransactionalProducer) -> None:
        if self._make is None:
            return
        try:
            producer.close()
        except Exception:
            logger.warning("closing the producer", exc_info=True)
