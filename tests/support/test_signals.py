"""Interrupting a run of the tests."""

from __future__ import annotations

import signal

from tests.support.signals import handled_by, heed_interrupts


def test_a_run_in_the_background_of_a_shell_can_be_interrupted() -> None:
    with handled_by(signal.SIG_IGN, signal.SIGINT):
        heed_interrupts()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
