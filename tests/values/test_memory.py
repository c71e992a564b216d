"""Memory that runs out anywhere is a MemoryError, and what was taken is given back."""

from __future__ import annotations

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.values.avro.compiling import compiled
from kafka_nextgen.values.avro.layout import layout_of
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.columns import flattened
from tests.support.failing_memory import fails_at_each_allocation
from tests.values.decoding import buffers_of, encoded
from tests.values.samples import GOOD, WIDE

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the extension is not there")

GOODS = [encoded(WIDE, value) for value in GOOD]
VALUES = buffers_of([*GOODS, GOODS[1][:9], None, b"", *GOODS] * 8)


@pytest.mark.parametrize("is_for_good", [False, True])
def test_where_memory_runs_out_it_is_a_memory_error(is_for_good: bool) -> None:
    kind = parse(WIDE)
    root = layout_of(kind, "value", True)
    layout, program = flattened(root), compiled(kind, kind, root, True).buffers(0)

    def decode() -> None:
        builder = accelerator.ColumnBuilder(layout)
        accelerator.avro_decode(builder, (program,), 0, VALUES, 0, len(VALUES[1]) - 1)
        builder.__arrow_c_array__()

    fails_at_each_allocation(decode, 600, is_for_good)
