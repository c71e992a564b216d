"""Loggers that write each message on one line, even if a peer's name has line breaks."""

from __future__ import annotations

import logging

from kafka_nextgen.text import printable

__all__ = ["logger_of"]


class _OneLine(logging.Filter):
    """Escapes unprintable characters of messages, and shortens long ones."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        shown = printable(message)
        if shown != message:
            record.msg, record.args = shown, ()
        return True


_ONE_LINE = _OneLine()


def logger_of(name: str) -> logging.Logger:
    """The logger of this name."""
    logger = logging.getLogger(name)
    logger.addFilter(_ONE_LINE)
    return logger
