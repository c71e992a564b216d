"""How a query fails, as the text that the user sees."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def failure_of(query: Callable[[], object]) -> str:
    """Run a query that has to fail, and return what its error says."""
    with pytest.raises(Exception) as failed:  # noqa: PT011  (pyspark has an exception for each way to fail)
        query()
    return str(failed.value)
