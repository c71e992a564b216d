from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.support.signals import Signals


@pytest.fixture
def signals() -> Iterator[Signals]:
    """What handles SIGUSR1."""
    signals = Signals()
    before = signal.signal(signal.SIGUSR1, signals)
    yield signals
    signal.signal(signal.SIGUSR1, before)
