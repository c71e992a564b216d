"""How commands of the tests end when they are told to."""

from __future__ import annotations

import signal


def end_at_sigterm() -> None:
    """Have SIGTERM raise what SIGINT raises. Otherwise the processes that a command has started outlive it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
