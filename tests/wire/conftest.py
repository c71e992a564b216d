from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.signals import Signals, handled_by


@pytest.fixture
def signals() -> Iterator[Signals]:
    """What handles SIGUSR1."""
    signals = Signals()
    with handled_by(signals):
        yield signals
