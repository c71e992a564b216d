"""A batch with a wrong bit, as if from a broken disk or network card."""

from __future__ import annotations

from typing import Any, ClassVar

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.faults.apis import Api
from kafka_nextgen.testing.faults.changes import Change
from kafka_nextgen.testing.faults.kind import Active, Course, Next, Taken
from kafka_nextgen.testing.faults.question import Question
from kafka_nextgen.testing.faults.selection import Selection
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import split_batches
from kafka_nextgen.wire.schema import Message

__all__ = ["CorruptBatch"]


@frozen
class CorruptBatch(Change):
    """A batch has a wrong bit in each Fetch answer that contains it; the log does not change.

    The bit is in the second-last byte. In a record without headers this is the end of its value, so a client that does
    not check the checksum gets a wrong value.
    """

    usual_times: ClassVar[int | None] = None
    has_target: ClassVar[bool] = False

    offset: int

    def complaint(self, selection: Selection) -> str | None:
        """Only Fetch answers contain batches."""
        if selection.api not in (None, Api.FETCH):
            return f"a corrupt batch needs Api.FETCH, not Api.{selection.api.name}"
        return super().complaint(selection)

    def take(self, question: Question, active: Active) -> Taken:
        """Change the answer, and count it if it contains the batch."""

        async def serve(handle_rest: Next, _course: Course) -> Message | None:
            answer = await handle_rest()
            return self._corrupted(answer, question, active) if isinstance(answer, FetchResponse) else answer

        return Taken(serve, question, counts_itself=True)

    def _corrupted(self, answer: FetchResponse, question: Question, active: Active) -> FetchResponse:
        topics = []
        for topic in answer.responses:
            name = topic.topic
            if topic.topic_id is not None:
                found = question.context.cluster.topics.with_id(topic.topic_id)
                name = topic.topic if found is None else found.name
            if name == active.selection.topic:
                topic = topic.replaced(partitions=[self._broken(part, active) for part in topic.partitions])
            topics.append(topic)
        return answer.replaced(responses=topics)

    def _broken(self, part: Any, active: Active) -> Any:
        at = self._end_of_batch(bytes(part.records or b""))
        if part.partition_index != active.selection.partition or at is None or active.is_used_up:
            return part
        active.count()
        records = bytearray(part.records)
        records[at - 2] ^= 1
        return part.replaced(records=bytes(records))

    def _end_of_batch(self, records: bytes) -> int | None:
        """The end of the batch with the offset; None if the batch is not in the answer."""
        end: int = 0
        for batch in split_batches(records):
            end += batch.header.size
            if batch.header.base_offset <= self.offset < batch.header.next_offset:
                return end
        return None

    def __str__(self) -> str:
        return f"corrupt batch at offset {self.offset}"
