"""Why something was not done: as a value, or as an exception where Kafka answers with the end of the connection."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.codes import ErrorCode

__all__ = ["CloseConnectionError", "Refusal"]


@frozen
class Refusal:
    """Why something was not done."""

    code: ErrorCode
    message: str
    records: tuple[tuple[int, str], ...] = ()  # of a batch: the numbers of those that are to blame, and why
    log_start_offset: int = -1  # of the partition that a batch was refused for, if that was looked at


class CloseConnectionError(Exception):
    """The connection this came from is to be closed; the message says why, for the log."""
