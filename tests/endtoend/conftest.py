"""What the end-to-end tests have in common: the protocol that members join by."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["consumer", "classic"])
def protocol(request: pytest.FixtureRequest) -> str:
    """Return the group protocol; what asks for it runs by both."""
    return str(request.param)
