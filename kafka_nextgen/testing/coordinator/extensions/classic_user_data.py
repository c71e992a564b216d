"""A client-side assignor's user data to and from members of the classic protocol (KIP-848, "Compatibility, Deprecation,
and Migration Plan").

Members of a classic group exchange user data with the assignor in their subscriptions and assignments. Kafka's
coordinator would lose it, and does not upgrade such a group. With extensions the group is upgraded if the joining
member of the consumer protocol has the assignor in use and is compatible with the group's members
(``assignor_selection``). From then on a member of the consumer protocol computes:

* a classic member's user data is its metadata for the assignor, in version -1 if only its own assignor can read it,
* the assignor's metadata for a classic member is sent as user data, with the protocol of that name.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.assignors.spec import Metadata
from kafka_nextgen.assignors.user_data import AssignorWord, read_assignor_word, write_assignor_word
from kafka_nextgen.groups.consumer_protocol import user_data_of
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.groups.records import MemberMetadata
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup
from kafka_nextgen.testing.coordinator.extensions.assignor_selection import (
    are_compatible,
    metadata_for,
    offer_in,
    offer_of,
)
from kafka_nextgen.testing.coordinator.extensions.state import PREFERENCES
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings

__all__ = [
    "asks_by_user_data",
    "carried_assignor",
    "carried_metadata",
    "protocol_for",
    "protocols_told",
    "user_data_for",
]


def carried_assignor(
    classic: ClassicGroup, request: ConsumerGroupHeartbeat, settings: CoordinatorSettings
) -> str | None:
    """The assignor whose user data is kept in an upgrade by this member, or None."""
    if not settings.extensions:
        return None
    mine = next((each for each in request.client_assignors or () if each.name == classic.protocol), None)
    offered = (each for member in classic.in_order() for each in member.protocols if each.name == classic.protocol)
    if mine is None or not are_compatible([offer_of(mine), *map(offer_in, offered)]):
        return None
    return mine.name


def carried_metadata(assignment: bytes) -> Metadata | None:
    """The user data in a classic group's assignment. Raises ``DecodeError``."""
    return read_assignor_word(user_data_of(assignment)).metadata


def asks_by_user_data(group: Group, known: MemberMetadata, member: MemberMetadata) -> bool:
    """Whether a classic member of a consumer group has new user data for the assignor that made its target."""
    if group.client_assignor is None or known.classic is None:
        return False
    return metadata_for(known, group.client_assignor) != metadata_for(member, group.client_assignor)


def protocol_for(group: Group, supported: Sequence[OfferedProtocol]) -> str:
    """The protocol by which a classic member of a consumer group reads its assignment."""
    names = [offered.name for offered in supported]
    return group.client_assignor if group.client_assignor in names else names[0]


def protocols_told(group: Group, names: Sequence[str]) -> Sequence[str]:
    """In a group with client-side assignors any protocol name is possible, because the target may have changed."""
    return names if PREFERENCES.of(group) else names[:1]


def user_data_for(
    group: Group, member_id: str, protocol: str | None, supported: Sequence[OfferedProtocol]
) -> bytes | None:
    """The assignor's user data for a classic member that reads its assignment by this protocol."""
    offered = next((each for each in supported if each.name == protocol), None)
    if offered is None or protocol != group.client_assignor:
        return None
    metadata = group.target_metadata.get(member_id)
    if offer_in(offered).is_foreign:
        return None if metadata is None else metadata.payload
    return write_assignor_word(AssignorWord(group.assignment_error, metadata))
