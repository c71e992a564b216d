"""The end of a transaction: its marker in ``__consumer_offsets`` informs groups about it."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["EndTransaction"]


@frozen
class EndTransaction:
    """The producer's transaction was committed or aborted, in all groups."""

    producer_id: int
    is_commit: bool
