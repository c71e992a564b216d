"""What a member says to an assignor of its own, and the assignor to it, as user data of the classic protocol.

Subscriptions and assignments of a classic group have a field that only assignors read (``consumer_protocol``). A
member with ``group.local.assignors`` puts its word there, and the leader its answer:

======== =======================================================================================================
to       ``KNGm``, int16 lowest and highest version that the member reads, int8 reason, int16 version, payload
from     ``KNGa``, int8 error, int16 version and payload (null: none), int16 failure code, failure message
======== =======================================================================================================

A payload is an int32 length (-1 for null) and that many bytes, a message the same in UTF-8; fields that a later
release adds come last, and are not read. What begins otherwise, or ends early, is somebody else's: the whole of it is
the payload, in version -1, as during online migration (KIP-848, "Compatibility, Deprecation, and Migration Plan").
Metadata of version -1 is written as just its payload for the same reason, so that members without this library read
what they would from a leader of theirs. Where there is nothing to say the field is null, and a coordinator sees a
group without user data.
"""

from __future__ import annotations

from struct import Struct, error

from attrs import frozen

from kafka_nextgen.assignors.spec import AssignorMetadata, ClientAssignor, Metadata

__all__ = [
    "FOREIGN_VERSION",
    "AssignorWord",
    "Failure",
    "MemberWord",
    "read_assignor_word",
    "read_member_word",
    "word_of",
    "write_assignor_word",
    "write_member_word",
]

#: The version of user data that no metadata of ours is in.
FOREIGN_VERSION = -1

_TO = b"KNGm"
_FROM = b"KNGa"
_TO_FIELDS = Struct(">4shhbh")
_FROM_FIELDS = Struct(">4sbh")
_INT16 = Struct(">h")
_LENGTH = Struct(">i")
_NULL = -1


_NOTHING_SAID = AssignorMetadata(metadata=Metadata(FOREIGN_VERSION))


@frozen
class MemberWord:
    """What a member says to an assignor, and the versions it reads itself."""

    said: AssignorMetadata = _NOTHING_SAID
    minimum_version: int = FOREIGN_VERSION
    maximum_version: int = FOREIGN_VERSION

    @property
    def version(self) -> int:
        """The version that the metadata is in."""
        return self.said.metadata.version

    @property
    def is_foreign(self) -> bool:
        """Whether the member's user data is of no format of ours."""
        return self.maximum_version == FOREIGN_VERSION

    def reads(self, version: int) -> bool:
        """Whether the member understands metadata of this version."""
        return self.minimum_version <= version <= self.maximum_version


@frozen
class Failure:
    """Why the assignor's result is not in force: an error code, and what happened."""

    code: int
    message: str


@frozen
class AssignorWord:
    """What the assignor says to a member beside its partitions; with ``failure`` it has not said anything."""

    error: int = 0
    metadata: Metadata | None = None
    failure: Failure | None = None


def word_of(offer: ClientAssignor) -> MemberWord:
    """The member's word to one of its assignors."""
    said = AssignorMetadata(offer.reason, offer.metadata)
    return MemberWord(said, offer.minimum_version, offer.maximum_version)


def write_member_word(word: MemberWord) -> bytes | None:
    """The user data of a subscription; foreign user data as it came."""
    metadata = word.said.metadata
    if word.is_foreign:
        return metadata.payload or None
    fields = _TO, word.minimum_version, word.maximum_version, word.said.reason, metadata.version
    return _TO_FIELDS.pack(*fields) + _nullable(metadata.payload)


def read_member_word(user_data: bytes | None) -> MemberWord:
    """Read the user data of a subscription, whoever wrote it."""
    try:
        return _member_word(user_data or b"")
    except (error, _NotOursError):
        return MemberWord(AssignorMetadata(metadata=Metadata(FOREIGN_VERSION, user_data or b"")))


def _member_word(data: bytes) -> MemberWord:
    magic, minimum_version, maximum_version, reason, version = _TO_FIELDS.unpack_from(data)
    _expect(_TO, magic)
    payload, _ = _read_nullable(data, _TO_FIELDS.size)
    return MemberWord(AssignorMetadata(reason, Metadata(version, payload or b"")), minimum_version, maximum_version)


def write_assignor_word(word: AssignorWord) -> bytes | None:
    """The user data of an assignment."""
    if word == AssignorWord():
        return None
    metadata, failure = word.metadata, word.failure
    if metadata is not None and metadata.version == FOREIGN_VERSION:
        return metadata.payload
    version, payload = (metadata.version, metadata.payload) if metadata else (0, None)
    code, message = (failure.code, failure.message.encode()) if failure else (0, None)
    head = _FROM_FIELDS.pack(_FROM, word.error, version)
    return head + _nullable(payload) + _INT16.pack(code) + _nullable(message)


def read_assignor_word(user_data: bytes | None) -> AssignorWord:
    """Read the user data of an assignment, whoever wrote it."""
    if not user_data:
        return AssignorWord()
    try:
        return _assignor_word(user_data)
    except (error, _NotOursError):
        return AssignorWord(metadata=Metadata(FOREIGN_VERSION, user_data))


def _assignor_word(data: bytes) -> AssignorWord:
    magic, group_error, version = _FROM_FIELDS.unpack_from(data)
    _expect(_FROM, magic)
    payload, at = _read_nullable(data, _FROM_FIELDS.size)
    (code,) = _INT16.unpack_from(data, at)
    message, _ = _read_nullable(data, at + _INT16.size)
    metadata = None if payload is None else Metadata(version, payload)
    failure = None if message is None else Failure(code, message.decode(errors="replace"))
    return AssignorWord(group_error, metadata, failure)


class _NotOursError(Exception):
    """It begins otherwise, or ends early."""


def _expect(expected: bytes, magic: bytes) -> None:
    if magic != expected:
        raise _NotOursError


def _nullable(data: bytes | None) -> bytes:
    return _LENGTH.pack(_NULL) if data is None else _LENGTH.pack(len(data)) + data


def _read_nullable(data: bytes, at: int) -> tuple[bytes | None, int]:
    (length,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    if length == _NULL:
        return None, at
    if not 0 <= length <= len(data) - at:
        raise _NotOursError
    return data[at : at + length], at + length
