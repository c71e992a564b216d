"""Memory that runs out anywhere is a MemoryError, and what was taken is given back."""

from __future__ import annotations

import pytest

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.values import Json
from tests.support.failing_memory import fails_at_each_allocation
from tests.values.decoding import buffers_of
from tests.values.json_samples import GOOD, WIDE

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")

#: With what only Python's reading of numbers decides: just above the middle of two doubles.
HARD = b'{"s":"","f":1.00000000000000011102230246251565404236316680908203125000000000001,"end":""}'
VALUES = buffers_of([*GOOD, GOOD[1][:9], None, b"", HARD, *GOOD] * 8)


@pytest.mark.parametrize("is_for_good", [False, True])
def test_where_memory_runs_out_it_is_a_memory_error(is_for_good: bool) -> None:
    from kafka_nextgen.compiled import accelerator

    decoder = Json(WIDE).decoder("value", True)
    layout, program = decoder._layout, decoder._program.buffers()  # type: ignore[attr-defined]

    def decode() -> None:
        builder = accelerator.ColumnBuilder(layout)
        accelerator.json_decode(builder, program, 0, 0, VALUES, 0, len(VALUES[1]) - 1)
        builder.__arrow_c_array__()

    fails_at_each_allocation(decode, 800, is_for_good)
