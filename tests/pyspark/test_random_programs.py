"""Random programs over DataFrames that are used again, joined, cached and named have the built-in source's rows.

All 200 run with ``KAFKA_NEXTGEN_ALL_EXAMPLES=1`` and ``--all``, or ``python -m tests.pyspark.programs``.
"""

from __future__ import annotations

import pytest

from tests.pyspark.programs.drawing import draw_program
from tests.pyspark.programs.running import Records, run_program
from tests.pyspark.sources import Sources
from tests.support.examples import every

PROGRAMS = 200


@pytest.mark.timeout(3_600)
def test_programs_have_the_rows_of_the_built_in_source(sources: Sources) -> None:
    records = Records(sources.bootstrap_servers)
    for seed in range(0, PROGRAMS, every(50)):
        records.create()
        program = draw_program(seed)
        assert run_program(sources, records, program) == [], program


def test_a_program_is_drawn_from_its_seed_and_all_kinds_are() -> None:
    programs = [draw_program(seed) for seed in range(PROGRAMS)]
    assert programs == [draw_program(seed) for seed in range(PROGRAMS)]
    assert {(program.pushes, program.plans_anew) for program in programs} == {
        (False, False),
        (True, False),
        (True, True),
    }
    assert any(load.is_cached for program in programs for load in program.loads)
    assert any(step.deleted_from for program in programs for step in program.steps)
