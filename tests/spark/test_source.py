"""Which options are refused when a query is loaded, before it is known to be a batch or a stream."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from kafka_nextgen.spark.errors import StartBeyondEndError
from kafka_nextgen.spark.source import schema_of

OPTIONS = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t"}


def test_a_start_that_only_a_stream_can_have_is_taken() -> None:
    assert "headers" not in schema_of({**OPTIONS, "startingOffsets": "latest"}).names


def test_headers_are_a_column_if_they_are_asked_for() -> None:
    assert "headers" in schema_of({**OPTIONS, "includeHeaders": "true"}).names


def test_what_is_wrong_with_a_batch_is_said_of_a_query_with_an_end() -> None:
    beyond = {"startingOffsets": '{"t":{"0":5}}', "endingOffsets": '{"t":{"0":2}}'}
    with pytest.raises(StartBeyondEndError, match=r"5 > 2"):
        schema_of({**OPTIONS, **beyond})
