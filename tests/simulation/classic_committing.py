"""What drives the offsets' machine of a client of the classic protocol.

What is committed for a topic whose name another one has taken is refused here, for a classic member commits by names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from attrs import define, evolve, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.events import CommitRefused
from kafka_nextgen.membership.offsets import effects as fx
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.types import TopicPartition
from tests.simulation.committing import Committer

__all__ = ["ClassicCommitter"]


@define(eq=False)
class ClassicCommitter(Committer):
    """The offsets of one client."""

    _of_old_topics: dict[int, Mapping[TopicPartition, int]] = field(factory=dict)  # by the number of the commit

    def feed_offsets(self, event: ev.OffsetEvent) -> None:
        """Tell the machine what happened; what was committed for an old topic was refused."""
        if isinstance(event, ev.CommitAnswered):
            refused = self._of_old_topics.pop(event.number, None)
            event = event if refused is None else evolve(event, codes={**event.codes, **refused})
        super().feed_offsets(event)

    def _send_commit(self, effect: fx.SendCommit) -> None:
        client = self.client
        old = {tp for tp, at in effect.offsets.items() if tp in client.replaced and at.offset > client.positions[tp]}
        if not old:
            super()._send_commit(effect)
            return
        refused = dict.fromkeys(sorted(old), int(ErrorCode.UNKNOWN_TOPIC_ID))
        offsets = {tp: at for tp, at in effect.offsets.items() if tp not in old}
        if not offsets:
            self.feed_offsets(ev.CommitAnswered(effect.number, refused))
            return
        self._of_old_topics[effect.number] = refused
        super()._send_commit(evolve(effect, offsets=offsets))

    def _tell_member(self, effect: fx.TellMember) -> None:
        """Not from here: the member may tell the offsets' machine things before that is done."""
        client = self.client
        client.later(0.0, lambda: client.feed(CommitRefused(effect.code, effect.member_epoch)))

    CARRY_OUT: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        **Committer.CARRY_OUT,
        fx.SendCommit: _send_commit,
        fx.TellMember: _tell_member,
    }
