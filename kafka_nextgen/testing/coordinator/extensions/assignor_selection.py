"""Which client-side assignor a group uses, and which metadata versions are compatible.

KIP-848, "Assignor Selection": if any member has client-side assignors, the group uses one that *all* members have, or
else a server-side one. All members must also have compatible versions of it (as in KIP-268): any of them may be chosen
to compute, so each must be able to read the metadata of all.

* Each member reads a range of versions, and these ranges overlap.
* The version that each member wrote is in every member's range.
* A member of the classic protocol has an assignor if it offers it as a protocol. This library's subscriptions hold the
  same fields as its heartbeats. Any other user data counts as version -1, and such a member need not read anything,
  because it never computes (KIP-848, "Compatibility, Deprecation, and Migration Plan").

If several qualify, each member votes for the one it prefers; on a tie the first by name is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.assignors.spec import AssignorMetadata, ClientAssignor
from kafka_nextgen.assignors.user_data import FOREIGN_VERSION, MemberWord, read_member_word
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import decode_subscription
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.groups.records import MemberMetadata
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.applying import add_to_count
from kafka_nextgen.testing.coordinator.extensions.state import OFFERS, PREFERENCES
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings

__all__ = [
    "NO_METADATA",
    "Offer",
    "Offers",
    "are_compatible",
    "common_assignor",
    "count_assignors",
    "metadata_for",
    "offer_in",
    "offer_of",
    "offers_of",
    "overlap",
]

NO_METADATA = AssignorMetadata()

#: The highest possible version.
_HIGHEST = 32_767


@frozen
class Offer:
    """A member's versions of an assignor: the one it wrote, and the range it reads (None if it need not read any)."""

    version: int
    reads: tuple[int, int] | None

    @property
    def is_foreign(self) -> bool:
        """Whether it is user data that only the member's own assignor can read."""
        return self.reads is None


#: By the assignor's name: how many members have each offer.
Offers = Mapping[str, Counter[Offer]]


def common_assignor(group: Group, settings: CoordinatorSettings) -> str | None:
    """The client-side assignor of the group's next target assignment; None if a server-side one makes it."""
    if not settings.extensions or not PREFERENCES.of(group):
        return None
    left_out = group.hooks.members_waiting(group)
    usable = {
        name
        for name, offers in offers_of(group, left_out).items()
        if sum(offers.values()) == len(group.members) - len(left_out)
        and are_compatible(offers)
        and _can_be_run(group, name)
    }
    votes: Counter[str] = Counter()
    for names, members in PREFERENCES.of(group).items():
        votes[next((name for name in names if name in usable), "")] += members
    return max(sorted(usable), key=lambda name: votes[name], default=None)


def _can_be_run(group: Group, name: str) -> bool:
    """Whether a counted member of the consumer protocol has the assignor: only such members compute."""
    return any(name == each.name for member in group.counted() for each in member.client_assignors)


def count_assignors(group: Group, member: MemberMetadata, by: int) -> None:
    """Count the members' assignors. Members rarely differ in these, so the copy is small."""
    if not member.client_assignors:
        return
    offers, preferences = dict(OFFERS.of(group)), dict(PREFERENCES.of(group))
    for each in member.client_assignors:
        add_to_count(offers, (each.name, each.minimum_version, each.maximum_version, each.metadata.version), by)
    add_to_count(preferences, tuple(each.name for each in member.client_assignors), by)
    OFFERS.put(group, offers)
    PREFERENCES.put(group, preferences)


def are_compatible(offers: Iterable[Offer]) -> bool:
    """Whether every member can read what every other wrote."""
    offers = tuple(offers)
    low, high = overlap(offers)
    return low <= high and all(low <= offer.version <= high for offer in offers)


def overlap(offers: Iterable[Offer]) -> tuple[int, int]:
    """The first and last version that all members read; the first may be above the last."""
    ranges = [offer.reads for offer in offers if offer.reads is not None]
    return max((low for low, _ in ranges), default=FOREIGN_VERSION), min((high for _, high in ranges), default=_HIGHEST)


def offers_of(group: Group, leaving_out: Collection[str] = ()) -> Offers:
    """The offers of the group's members, except some of them."""
    found: dict[str, Counter[Offer]] = {}
    for (name, low, high, version), count in OFFERS.of(group).items():
        found.setdefault(name, Counter())[Offer(version, (low, high))] += count
    for member_id in leaving_out:
        for assignor in group.members[member_id].client_assignors:
            found[assignor.name][offer_of(assignor)] -= 1
    for member_id, member in group.members.items() if group.num_classic else ():
        if member.classic is not None and member_id not in leaving_out:
            _add_protocols(found, member.classic.supported)
    for classic in group.classic.in_order() if group.classic is not None else ():
        _add_protocols(found, classic.protocols)
    counted = ((name, Counter({offer: n for offer, n in offers.items() if n})) for name, offers in found.items())
    return {name: offers for name, offers in counted if offers}


def _add_protocols(found: dict[str, Counter[Offer]], protocols: Iterable[OfferedProtocol]) -> None:
    for name, offered in {offered.name: offered for offered in protocols}.items():
        found.setdefault(name, Counter())[offer_in(offered)] += 1


def offer_of(assignor: ClientAssignor) -> Offer:
    """The offer of a consumer protocol member that has this assignor."""
    return Offer(assignor.metadata.version, (assignor.minimum_version, assignor.maximum_version))


def offer_in(protocol: OfferedProtocol) -> Offer:
    """The offer of a classic member that has the assignor with that name."""
    word = _word_in(protocol)
    if word.is_foreign:
        return Offer(FOREIGN_VERSION, None)
    return Offer(word.said.metadata.version, (word.minimum_version, word.maximum_version))


def metadata_for(member: MemberMetadata, assignor: str) -> AssignorMetadata:
    """A member's metadata for an assignor, by either protocol."""
    if member.classic is not None:
        offered = (offered for offered in member.classic.supported if offered.name == assignor)
        return next((_word_in(each).said for each in offered), NO_METADATA)
    told = (AssignorMetadata(each.reason, each.metadata) for each in member.client_assignors if each.name == assignor)
    return next(told, NO_METADATA)


def _word_in(protocol: OfferedProtocol) -> MemberWord:
    try:
        return read_member_word(decode_subscription(protocol.metadata).user_data)
    except DecodeError:  # user data of a protocol not in use may have any format
        return read_member_word(None)
