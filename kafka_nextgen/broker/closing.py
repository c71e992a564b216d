"""What a handler raises where Kafka answers with nothing but the end of the connection."""

from __future__ import annotations

__all__ = ["CloseConnectionError"]


class CloseConnectionError(Exception):
    """The connection this came from is to be closed; the message says why, for the log."""
