"""What a coordinator does first, having read its log and being told of the topics (KIP-848, "Fail Over").

| what | why |
|---|---|
| every member has its full session again, and its full time to revoke | nobody can tell how much was left |
| a classic group that has more members than it may have now rebalances | they can commit before some find no room |
| places kept for instances that are to come are looked at | their time went on meanwhile |
| offsets of topics that are no more are forgotten | nobody was told of the deletion |

The rest comes with the next heartbeat of each group, which finds that this coordinator has not looked at its topics
yet: it has the patterns matched again, by the rights of its member, and finds whether the assignment is behind the
group epoch.
"""

from __future__ import annotations

from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.classic.expiry import restart_sessions
from kafka_nextgen.coordinator.classic.rebalance import prepare_rebalance
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.offsets import forget_offsets_of_missing
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["restart"]


def restart(draft: Draft) -> None:
    """Let a group go on from what the log says of it."""
    if draft.group.classic is not None:
        restart_sessions(draft)
        _make_room(draft)
    for member_id, member in sorted(draft.group.members.items()):
        draft.arm(TimerKind.SESSION, member_id, draft.settings.session_timeout_s)
        current = draft.group.current(member_id)
        if current.pending_revocation:
            draft.arm(TimerKind.REBALANCE, member_id, member.rebalance_timeout_ms / 1000, current.member_epoch)
    draft.hooks.settle(draft)
    forget_offsets_of_missing(draft)


def _make_room(draft: Draft) -> None:
    size, most = len(draft.classic.members), draft.settings.group_max_size
    if size > most:
        text = f"it has {size} members, and group.max.size={most}"
        prepare_rebalance(draft, Cause(RebalanceReason.ADMIN, text=text))
