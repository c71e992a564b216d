"""The test that looks at which arrows were walked comes last."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.name == "test_every_arrow_of_the_classic_table_is_walked")
