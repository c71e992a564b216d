"""``run`` commits once in each interval, and one commit at a time."""

from __future__ import annotations

from concurrent.futures import Future

from kafka_nextgen.processing.committing import Committer
from kafka_nextgen.processing.progress import Progress
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

IDLE = TopicPartition("orders", 0)


class Commits:
    """The commits that were begun; each ends when its future is told so."""

    def __init__(self) -> None:
        self.begun: list[Future[None]] = []
        self.committer = Committer(self._begin, lambda: {IDLE: OffsetAndMetadata(4)}, interval_s=5.0)

    def _begin(self, offsets: dict[TopicPartition, OffsetAndMetadata]) -> Future[None]:
        assert offsets == {IDLE: OffsetAndMetadata(4)}
        self.begun.append(Future())
        return self.begun[-1]

    def begun_by(self, *times: float) -> int:
        for now in times:
            self.committer.commit_if_due(Progress(), now)
        return len(self.begun)


def test_each_interval_has_one_commit_even_if_the_last_one_ended_soon() -> None:
    commits = Commits()
    assert commits.begun_by(0.0, 4.9) == 0
    assert commits.begun_by(5.0) == 1
    commits.begun[0].set_result(None)
    assert commits.begun_by(5.1, 9.9) == 1
    assert commits.begun_by(10.0) == 2


def test_the_next_one_waits_for_the_end_of_the_last() -> None:
    commits = Commits()
    assert commits.begun_by(0.0, 5.0, 10.0, 15.0) == 1
    commits.begun[0].set_result(None)
    assert commits.begun_by(15.1) == 2
