"""Following a relay: answers that were asked on behind before anybody took them in (``transport/relays``).

A relay does for one node what ``read_on`` would, but for taking in what came. That is done whenever somebody looks at
the state, by ``read_along`` for each answer, in the order they came. ``settle`` then makes of the fetch that the relay
began with the one that is on its way now. Nobody changes what is to be asked before all answers are taken in, so the
routine is the same from the relay's beginning to its end, and all of this comes to what ``read_on`` would.

Nobody is asked before a relay goes on, so there has to be room for what it may keep. Where there is less, it ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.fetching.answers import end_of
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.outcomes import Fetch
from kafka_nextgen.fetching.reading_on import ReadingOn
from kafka_nextgen.fetching.routine import Routine
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns

__all__ = ["LEAST_KEPT_BYTES", "Asked", "Call", "ReadingAlong"]

#: What to call, and with what.
Call = tuple[Any, ...]
#: Where a node has been asked to go on, by topic id and number: offset, and epoch in front of it.
Asked = Mapping[tuple[bytes, int], tuple[int, int]]

#: What a relay may keep at most, and what it has to be able to keep.
MOST_KEPT_BYTES, LEAST_KEPT_BYTES = 256 * 1024, 16 * 1024

#: How much more columns take than the answers they are made of, at most: records without anything in them take seven
#: bytes there and thirty here.
_GROWTH = 8


class ReadingAlong(ReadingOn):
    """What a relay's answers come to."""

    def find_routine_of(self, fetch: Fetch, image: ClusterImage) -> Routine | None:
        """What a relay may rely on that goes on from this fetch, which is on its way; None if there is none."""
        routine = self._find_routine(image)
        if routine is None or fetch.session.is_full or not routine.covers(fetch, self._assigned):
            return None
        return routine

    def is_in_force(self, routine: Routine) -> bool:
        """Whether nothing has changed since that was found."""
        return self._routine is routine

    def room_for_relay(self, fetch: Fetch, routine: Routine) -> int:
        """How many bytes of answers may be kept beside what is here already."""
        free_bytes = self._room.buffer_bytes - self._underway.total_bytes + fetch.set_aside_bytes
        here_bytes = self._buffers.total_bytes
        least_bytes = self._room.least_for(routine.num_nodes)
        left_bytes = min(routine.share_bytes - here_bytes, free_bytes - here_bytes - least_bytes)
        return min(MOST_KEPT_BYTES, left_bytes // _GROWTH)

    def read_along(self, node_id: int, results: Sequence[DecodedPartition], routine: Routine, now: float) -> list[Call]:
        """What to call in order to take in an answer that came ``now``, all of it in one go.

        Nothing has changed before that is called, and none of it is written in Python: whoever takes an answer in may
        be interrupted by a signal handler.
        """
        assert self._routine is routine, "nothing changes what is asked while a relay goes on"
        calls: list[Call] = [(routine.answered_at.__setitem__, node_id, now)]
        added: list[Columns] = []
        for result in results:
            state, columns = self.by_partition[result.partition], result.columns
            assert columns is not None, "a relay keeps records only"
            calls.append((setattr, state, "end_offset", end_of(result, self._settings)))
            calls.append((setattr, state, "log_start_offset", result.log_start_offset))
            calls.append((setattr, state, "fetch_offset", columns.next_offset))
            if columns.end_epoch >= 0:
                calls.append((setattr, state, "fetch_epoch", columns.end_epoch))
            added.append(columns)
        return calls + self._buffers.calls_to_add(added)

    def settle(self, fetch: Fetch, asked: Asked, answers: int, now: float) -> Fetch:
        """Have a fetch be on its way in place of ``fetch``, after so many answers: for what is ``asked``, ``now``."""
        wanted = dict(fetch.wanted)
        moved: list[FetchPosition] = []
        for tp, position in fetch.wanted.items():
            assert position.topic_id is not None, "a relay goes by topic ids"
            offset, epoch = asked[position.topic_id.bytes, tp.partition]
            if offset != position.offset:
                wanted[tp] = position._replace(offset=offset, last_epoch=epoch)
                moved.append(wanted[tp])
                self._ask_last(tp)
        session = self._underway.session_with(fetch.node_id).went_on(moved, answers)
        following = fetch._replace(wanted=wanted, session=session, asked_at=now)
        self._underway.replace(fetch, following)
        return following

    def _ask_last(self, partition: TopicPartition) -> None:
        """Have others asked for first, unless it was given up."""
        if partition in self.by_partition:
            self._assigned.ask_last(partition)
