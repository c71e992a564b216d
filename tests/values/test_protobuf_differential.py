"""Random messages and bytes: in C and by protobuf's classes the same, also of bytes that are damaged."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.values import Protobuf
from tests.support.examples import examples
from tests.values.protobuf_messages import alike, check, decoded, rows_of
from tests.values.random_messages import damaged, kinds, values_of

pytestmark = pytest.mark.random
_SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@settings(max_examples=examples(400), suppress_health_check=_SLOW)
@given(st.data())
def test_values_are_what_protobuf_reads(data: st.DataObject) -> None:
    kind = data.draw(kinds())
    check(kind, data.draw(st.lists(values_of(kind.DESCRIPTOR), min_size=1, max_size=4)))


@settings(max_examples=examples(400), suppress_health_check=_SLOW)
@given(st.data())
def test_damaged_bytes_are_refused_or_are_what_protobuf_reads(data: st.DataObject) -> None:
    kind = data.draw(kinds())
    values = [damaged(data, data.draw(values_of(kind.DESCRIPTOR))) for _ in range(3)]
    check(kind, [b"", *values, b""])


@settings(max_examples=examples(200), suppress_health_check=_SLOW)
@given(st.data())
def test_what_protobuf_writes_is_what_was_read(data: st.DataObject) -> None:
    """A value, and the same after protobuf has put it in order, make the same columns."""
    kind = data.draw(kinds())
    value = data.draw(values_of(kind.DESCRIPTOR))
    batch, bad = decoded(Protobuf(kind), [value])
    if not bad:
        again, bad = decoded(Protobuf(kind), [kind.FromString(value).SerializePartialToString()])
        assert bad == []
        assert alike(rows_of(again), rows_of(batch))
