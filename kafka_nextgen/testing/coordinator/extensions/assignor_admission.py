"""Which client-side assignors a heartbeat may name (KIP-848, "ConsumerGroupHeartbeat API", request validation).

For any group, a heartbeat that breaks a rule of the table below gets INVALID_REQUEST; the table is read from the top.
A member that joins with assignors, or changes them, must also be compatible with the others for at least one of its
assignors:

| the others | answer |
|---|---|
| there are none, or an assignor is compatible with theirs (``assignor_selection``) | accepted |
| one has user data that only its own assignor can read, which this member does not accept (-1) | INVALID_REQUEST |
| they have an assignor with that name, but in incompatible versions | UNSUPPORTED_ASSIGNOR |
| none has any of these assignors | UNSUPPORTED_ASSIGNOR |

A member *without* client-side assignors is admitted, and the group uses a server-side one while that member stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.assignors.user_data import FOREIGN_VERSION
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.draft import Refusal
from kafka_nextgen.testing.coordinator.extensions.assignor_selection import (
    Offer,
    Offers,
    are_compatible,
    offer_of,
    offers_of,
    overlap,
)
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings

__all__ = ["refuse_malformed_assignors", "refuse_unsupported_assignors"]

_RULES: tuple[tuple[Callable[[ClientAssignor], bool], str], ...] = (
    (lambda assignor: not assignor.name, "has an empty name"),
    (lambda assignor: assignor.minimum_version < FOREIGN_VERSION, "has a MinimumVersion below -1"),
    (lambda assignor: assignor.maximum_version < 0, "has a MaximumVersion below 0"),
    (
        lambda assignor: assignor.maximum_version < assignor.minimum_version,
        "has a MaximumVersion below its MinimumVersion",
    ),
    (
        lambda assignor: not assignor.minimum_version <= assignor.metadata.version <= assignor.maximum_version,
        "has metadata of a version that is not between its MinimumVersion and its MaximumVersion",
    ),
)


def refuse_malformed_assignors(request: ConsumerGroupHeartbeat) -> Refusal | None:
    """Why these assignors are invalid, or None."""
    assignors = request.client_assignors
    if not assignors:
        return None
    if request.server_assignor is not None:
        return _malformed("ServerAssignor and ClientAssignors are both given; set only one of them")
    for is_broken, rule in _RULES:
        if wrong := next(filter(is_broken, assignors), None):
            return _malformed(f"assignor {wrong.name!r} {rule}")
    names = [assignor.name for assignor in assignors]
    if twice := next((name for name in names if names.count(name) > 1), None):
        return _malformed(f"assignor {twice!r} is given twice")
    return None


def _malformed(message: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_REQUEST, message)


def refuse_unsupported_assignors(
    request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings
) -> Refusal | None:
    """Why the group, which may still be classic, can't accept these assignors, or None."""
    offered = request.client_assignors
    if not settings.extensions or not offered:
        return None
    known = group.members.get(request.member_id)
    if known is not None and _offers_by_name(known.client_assignors) == _offers_by_name(offered):
        return None
    names = {request.member_id, group.instances.get(request.instance_id or "", request.member_id)}
    itself = [name for name in names if name in group.members]
    if len(itself) == len(group.members) and group.classic is None:
        return None
    return _verdict(request, offered, offers_of(group, leaving_out=itself))


def _offers_by_name(assignors: tuple[ClientAssignor, ...]) -> dict[str, Offer]:
    """A member's offers, by assignor name."""
    return {assignor.name: offer_of(assignor) for assignor in assignors}


def _verdict(request: ConsumerGroupHeartbeat, offered: tuple[ClientAssignor, ...], theirs: Offers) -> Refusal | None:
    known = [assignor for assignor in offered if assignor.name in theirs]
    if not known:
        return _unknown(request.group_id, offered, theirs)
    if any(are_compatible([*theirs[assignor.name], offer_of(assignor)]) for assignor in known):
        return None
    closed = [assignor for assignor in known if _refuses_foreign(assignor, theirs[assignor.name])]
    if len(closed) == len(known):
        return _malformed(
            f"assignor {closed[0].name!r} does not accept metadata of version -1, which members that use the classic "
            f"protocol send in group {request.group_id!r}: set its MinimumVersion to -1"
        )
    wrong = next(assignor for assignor in known if assignor not in closed)
    return _excluded(request.group_id, wrong, theirs[wrong.name])


def _refuses_foreign(assignor: ClientAssignor, theirs: Counter[Offer]) -> bool:
    return assignor.minimum_version > FOREIGN_VERSION and any(offer.is_foreign for offer in theirs)


def _unknown(group_id: str, offered: tuple[ClientAssignor, ...], theirs: Offers) -> Refusal:
    names = ", ".join(sorted(repr(assignor.name) for assignor in offered))
    have = ", ".join(sorted(map(repr, theirs))) or "none of their own"
    return Refusal(
        ErrorCode.UNSUPPORTED_ASSIGNOR,
        f"no member of group {group_id!r} has assignor {names}: they have {have}. Join with an assignor that "
        "they have, without any assignor, or after they have left",
    )


def _excluded(group_id: str, assignor: ClientAssignor, theirs: Counter[Offer]) -> Refusal:
    low, high = overlap(theirs)
    read = f"all read {low} to {high}" if low <= high else "read no version in common"
    written = ", ".join(map(str, sorted({offer.version for offer in theirs})))
    return Refusal(
        ErrorCode.UNSUPPORTED_ASSIGNOR,
        f"assignor {assignor.name!r} reads versions {assignor.minimum_version} to {assignor.maximum_version} and wrote "
        f"version {assignor.metadata.version}, but the members of group {group_id!r} {read} and wrote {written}. The "
        "assignor must read the versions that they write, and write a version that they all read",
    )
