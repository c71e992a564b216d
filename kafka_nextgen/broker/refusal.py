"""Why something was not done, as a value: the error code that the client gets, and words for whoever reads it."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.codes import ErrorCode

__all__ = ["Refusal"]


@frozen
class Refusal:
    """Why something was not done."""

    code: ErrorCode
    message: str
    records: tuple[tuple[int, str], ...] = ()  # of a batch: the numbers of those that are to blame, and why
