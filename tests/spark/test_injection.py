"""Whatever is raised inside a task or a planner, and wherever: what the same worker reads next is right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark")

from tests.engine.stage import Stage
from tests.spark.injection import ASKING, ERRORS, try_all, worker

pytestmark = [
    # A coroutine that was about to be handed to the I/O thread is dropped.
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    # So is a consumer, on its way from one task to the next: that ends its connections.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:a consumer was dropped:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:a GroupAdmin was dropped:ResourceWarning"),
]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with worker() as stage:
        yield stage


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(("kind", "stride"), [("batch", 27), ("stream", 83)])
def test_after_an_exception_anywhere_the_same_worker_reads_all_once(
    stage: Stage, kind: str, stride: int, error: str
) -> None:
    """``python -m tests.spark.injection`` tries each place of the whole data source."""
    assert try_all(stage, kind, error, stride, ASKING) > 50
