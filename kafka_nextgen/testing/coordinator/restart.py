"""What a coordinator does after it has read its log and knows the topics (KIP-848, "Fail Over").

| action | reason |
|---|---|
| restart every member's session timer and rebalance timer | the remaining time is not recorded |
| rebalance a classic group that exceeds its size limit | members can commit before some of them are refused |
| check the slots kept for expected instances | they may have expired in the meantime |
| delete offsets of topics that no longer exist | this coordinator missed the deletion |

The next heartbeat of each group does the rest, since this coordinator has not compared its topics yet: it makes the
coordinator match the patterns again, with the rights of the member that sent the heartbeat, and check whether the
assignment is behind the group epoch.
"""

from __future__ import annotations

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.classic.rebalance import prepare_rebalance
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.offset_deletion import delete_offsets_of_missing_topics
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["restart"]


def restart(draft: Draft) -> None:
    """Restart the timers and checks of a group that the log has restored."""
    if draft.group.classic is not None:
        _restart_classic_sessions(draft)
        _make_room(draft)
    for member_id, member in sorted(draft.group.members.items()):
        draft.arm(TimerKind.SESSION, member_id, draft.settings.session_timeout_s)
        current = draft.group.current(member_id)
        if current.pending_revocation:
            draft.arm(TimerKind.REBALANCE, member_id, member.rebalance_timeout_ms / 1000, current.member_epoch)
    draft.hooks.settle(draft)
    delete_offsets_of_missing_topics(draft)


def _restart_classic_sessions(draft: Draft) -> None:
    for member in draft.classic.in_order():
        draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)


def _make_room(draft: Draft) -> None:
    size, most = len(draft.classic.members), draft.settings.group_max_size
    if size > most:
        text = f"it has {size} members, and group.max.size={most}"
        prepare_rebalance(draft, Cause(RebalanceReason.ADMIN, text=text))
