"""Why a request was refused: as a value, or as an exception that closes the connection, as in Kafka."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["CloseConnectionError", "Refusal", "error_fields"]


@frozen
class Refusal:
    """Why a request was refused."""

    code: ErrorCode
    message: str
    records: tuple[tuple[int, str], ...] = ()  # of a batch: the numbers of the invalid records, and why
    log_start_offset: int = -1  # of the partition of a batch, if known


def error_fields(refusal: Refusal | None) -> dict[str, Any]:
    """The error fields of a result: those of the refusal, or of a success."""
    if refusal is None:
        return {"error_code": ErrorCode.NONE, "error_message": None}
    return {"error_code": refusal.code, "error_message": refusal.message}


class CloseConnectionError(Exception):
    """The connection has to be closed; the message is for the log."""
