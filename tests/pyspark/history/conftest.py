"""Tables of a history in Spark, without compiling a class for each query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.spark import INTERPRETED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(autouse=True, scope="module")
def interpreted(spark: SparkSession) -> Iterator[None]:
    compiled = {name: spark.conf.get(name) for name in INTERPRETED}
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    yield
    for name, before in compiled.items():
        spark.conf.set(name, before)
