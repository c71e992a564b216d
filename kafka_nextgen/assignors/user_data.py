"""Metadata of assignors in members, as user data of the classic protocol.

Subscriptions and assignments of a classic group have a user data field for assignors (``consumer_protocol``). A member
with ``group.local.assignors`` writes its metadata there, and the leader writes the assignor's response there:

======== =======================================================================================================
to       ``KNGm``, int16 lowest and highest version that the member reads, int8 reason, int16 version, payload
from     ``KNGa``, int8 error, int16 version and payload (null: none), int16 failure code, failure message
======== =======================================================================================================

A payload is an int32 length (-1 for null) and that many bytes; a message is the same in UTF-8. Later releases append
fields, which are ignored. User data that begins differently or ends early is foreign: all of it is the payload, in
version -1, as in an online migration (KIP-848, "Compatibility, Deprecation, and Migration Plan"). Metadata of version
-1 is therefore written as the bare payload, so that members that do not use this library receive what a leader
without it would send. Without metadata the field is null, and a coordinator sees a group without user data.
"""

from __future__ import annotations

from struct import Struct, error

from kafka_nextgen.assignors.spec import AssignorMetadata, ClientAssignor, Metadata
from kafka_nextgen.lazy_attrs import frozen

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

#: The metadata version of foreign user data.
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
    """A member's metadata for an assignor, and the metadata versions it reads."""

    said: AssignorMetadata = _NOTHING_SAID
    minimum_version: int = FOREIGN_VERSION
    maximum_version: int = FOREIGN_VERSION

    @property
    def version(self) -> int:
        """The version of the metadata."""
        return self.said.metadata.version

    @property
    def is_foreign(self) -> bool:
        """Whether the member's user data is in a foreign format."""
        return self.maximum_version == FOREIGN_VERSION

    def reads(self, version: int) -> bool:
        """Whether the member understands metadata of this version."""
        return self.minimum_version <= version <= self.maximum_version


@frozen
class Failure:
    """Why the assignor's assignment was rejected: an error code and a message."""

    code: int
    message: str


@frozen
class AssignorWord:
    """The assignor's answer to a member besides its partitions; with ``failure`` there is no assignment."""

    error: int = 0
    metadata: Metadata | None = None
    failure: Failure | None = None


def word_of(offer: ClientAssignor) -> MemberWord:
    """Return the user data of a member for one of its assignors."""
    said = AssignorMetadata(offer.reason, offer.metadata)
    return MemberWord(said, offer.minimum_version, offer.maximum_version)


def write_member_word(word: MemberWord) -> bytes | None:
    """Encode the user data of a subscription; foreign user data is unchanged."""
    metadata = word.said.metadata
    if word.is_foreign:
        return metadata.payload or None
    fields = _TO, word.minimum_version, word.maximum_version, word.said.reason, metadata.version
    return _TO_FIELDS.pack(*fields) + _nullable(metadata.payload)


def read_member_word(user_data: bytes | None) -> MemberWord:
    """Decode the user data of a subscription, in our or a foreign format."""
    try:
        return _member_word(user_data or b"")
    except (error, _ForeignError):
        return MemberWord(AssignorMetadata(metadata=Metadata(FOREIGN_VERSION, user_data or b"")))


def _member_word(data: bytes) -> MemberWord:
    magic, minimum_version, maximum_version, reason, version = _TO_FIELDS.unpack_from(data)
    _expect(_TO, magic)
    payload, _ = _read_nullable(data, _TO_FIELDS.size)
    return MemberWord(AssignorMetadata(reason, Metadata(version, payload or b"")), minimum_version, maximum_version)


def write_assignor_word(word: AssignorWord) -> bytes | None:
    """Encode the user data of an assignment."""
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
    """Decode the user data of an assignment, in our or a foreign format."""
    if not user_data:
        return AssignorWord()
    try:
        return _assignor_word(user_data)
    except (error, _ForeignError):
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


class _ForeignError(Exception):
    """The data begins differently, or ends early."""


def _expect(expected: bytes, magic: bytes) -> None:
    if magic != expected:
        raise _ForeignError


def _nullable(data: bytes | None) -> bytes:
    return _LENGTH.pack(_NULL) if data is None else _LENGTH.pack(len(data)) + data


def _read_nullable(data: bytes, at: int) -> tuple[bytes | None, int]:
    (length,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    if length == _NULL:
        return None, at
    if not 0 <= length <= len(data) - at:
        raise _ForeignError
    return data[at : at + length], at + length
