"""Errors of transactions for API versions that do not know them.

Older versions use INVALID_PRODUCER_EPOCH for PRODUCER_FENCED (KIP-588), and INVALID_TXN_STATE for
TRANSACTION_ABORTABLE (KIP-890). Produce and TxnOffsetCommit never use PRODUCER_FENCED.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "ADD_OFFSETS_TO_TXN",
    "ADD_PARTITIONS_TO_TXN",
    "END_TXN",
    "INIT_PRODUCER_ID",
    "PRODUCE",
    "TXN_OFFSET_COMMIT",
    "ErrorNames",
]


@frozen
class ErrorNames:
    """The first versions of an API that have these errors."""

    fenced_since: int
    abortable_since: int = 0

    def in_version(self, error: ErrorCode, version: int) -> ErrorCode:
        """The error code for ``error`` in this version."""
        if error is ErrorCode.PRODUCER_FENCED and version < self.fenced_since:
            return ErrorCode.INVALID_PRODUCER_EPOCH
        if error is ErrorCode.TRANSACTION_ABORTABLE and version < self.abortable_since:
            return ErrorCode.INVALID_TXN_STATE
        return error


_NO_VERSION_YET = 2**15  # versions are signed 16-bit integers

ADD_OFFSETS_TO_TXN = ErrorNames(fenced_since=2)
ADD_PARTITIONS_TO_TXN = ErrorNames(fenced_since=2, abortable_since=5)
END_TXN = ErrorNames(fenced_since=2)
INIT_PRODUCER_ID = ErrorNames(fenced_since=4)
PRODUCE = ErrorNames(fenced_since=_NO_VERSION_YET, abortable_since=11)
TXN_OFFSET_COMMIT = ErrorNames(fenced_since=_NO_VERSION_YET, abortable_since=4)
