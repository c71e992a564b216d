"""Everything this library raises.

Two kinds of wrong are kept apart: the caller misused us (``MisuseError``, ``ConfigError``), or the peer or the
way to it failed (``TransportError``, ``DecodeError``, ``BrokerError``)::

    KafkaNextgenError
    ├── ConfigError                     a key is unknown, contradicts another, or is the broker's business
    ├── ArrowSchemaError                records have no such column, or not of this type
    ├── MisuseError                     the caller asked for what cannot be
    │   └── ConcurrentUseError          two threads (or tasks) in one consumer
    ├── DecodeError                     what arrived is not Kafka's protocol
    │   ├── CorruptRecordError          a record batch whose checksum or shape is wrong
    │   │   └── OldFormatError          records of a format from before Kafka 0.11
    │   └── FrameTooLargeError          a frame longer than the configuration allows
    ├── StorageError                    a broker's data directory can't be used, read or written
    ├── TransportError                  no way to the broker
    │   ├── OutageError                 just now: the same may succeed later
    │   │   ├── RequestTimeoutError     nothing came back in time
    │   │   ├── DisconnectedError       the connection ended under a request
    │   │   └── NoBrokersError          no bootstrap server could be reached
    │   └── AuthenticationError         SASL was refused, by either side: for good
    │       └── TlsError                TLS was: a certificate, a host name, or no TLS spoken there
    ├── BrokerError                     the broker answered with an error code
    │   ├── GroupAuthorizationError, TopicAuthorizationError
    │   ├── UnknownTopicError           there is no such topic, or no such partition of it
    │   ├── UnsupportedProtocolError, UnsupportedAssignorError
    │   ├── FencedInstanceError, InstanceIdInUseError, GroupFullError
    │   ├── GroupNotFoundError, GroupNotEmptyError
    │   ├── CommitFailedError           names the partitions that could not be committed
    │   └── OffsetOutOfRangeError       no offset to start from, and no leave to choose one
    │       └── LogTruncationError      what was read is not in the log any more
    ├── AssignorError                   an assignor of the application's own can't assign its group
    └── DeserializationError            a deserializer raised; carries the record's coordinates
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.text import printable
from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition

__all__ = [
    "ArrowSchemaError",
    "AssignorError",
    "AuthenticationError",
    "BrokerError",
    "CommitFailedError",
    "ConcurrentUseError",
    "ConfigError",
    "CorruptRecordError",
    "DecodeError",
    "DeserializationError",
    "DisconnectedError",
    "FencedInstanceError",
    "FrameTooLargeError",
    "GroupAuthorizationError",
    "GroupFullError",
    "GroupNotEmptyError",
    "GroupNotFoundError",
    "InstanceIdInUseError",
    "KafkaNextgenError",
    "LogTruncationError",
    "MisuseError",
    "NoBrokersError",
    "OffsetOutOfRangeError",
    "OldFormatError",
    "OutageError",
    "RequestTimeoutError",
    "StorageError",
    "TlsError",
    "TopicAuthorizationError",
    "TransportError",
    "UnknownTopicError",
    "UnsupportedAssignorError",
    "UnsupportedProtocolError",
]


class KafkaNextgenError(Exception):
    """The root of everything this library raises on purpose; its message is one line of a bounded length."""

    def __str__(self) -> str:
        return printable(super().__str__())

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process boundaries with all they carry; not all of it is among the positional arguments."""
        return _remade, (type(self), self.args, self.__dict__)


def _remade(kind: type[KafkaNextgenError], args: tuple[object, ...], attributes: dict[str, object]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class ConfigError(KafkaNextgenError, ValueError):
    """The configuration can't be used; the message names the key and the nearest valid one.

    ``key`` is the offending key as the caller wrote it.
    """

    def __init__(self, message: str, key: str | None = None) -> None:
        super().__init__(message)
        self.key = key


class ArrowSchemaError(KafkaNextgenError, ValueError):
    """Records can't be had in the columns of this schema; the message tells which types ``column`` can have."""

    def __init__(self, message: str, column: str | None = None) -> None:
        super().__init__(message)
        self.column = column


class MisuseError(KafkaNextgenError, RuntimeError):
    """The caller asked for something that can't be done in this state (closed, forked, not assigned)."""


class ConcurrentUseError(MisuseError):
    """A consumer was used by one thread or task while another was still inside a call."""


class DecodeError(KafkaNextgenError):
    """The bytes of a message or a record batch are not what Kafka's protocol allows there."""


class CorruptRecordError(DecodeError):
    """A record batch has a wrong checksum or shape; ``partition`` and ``offset`` say where, if known."""

    def __init__(self, message: str, partition: TopicPartition | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.partition = partition
        self.offset = offset


class OldFormatError(CorruptRecordError):
    """Records are of message format 0 or 1, which only brokers before Kafka 0.11 wrote by default (KIP-724)."""


class FrameTooLargeError(DecodeError):
    """A frame announces more bytes than ``receive.message.max.bytes``; nothing was allocated for it."""


class StorageError(KafkaNextgenError):
    """A broker's data directory can't be used, read or written; the message names the file."""


class TransportError(KafkaNextgenError):
    """There is no way to the broker: just now (``OutageError``), or for good (``AuthenticationError``)."""


class OutageError(TransportError):
    """There is no way to the broker just now; the same may succeed later."""


class RequestTimeoutError(OutageError, TimeoutError):
    """A request, or a call made of several, got no answer in its time."""


class DisconnectedError(OutageError):
    """The connection ended before the answer came."""


class NoBrokersError(OutageError):
    """None of the bootstrap servers could be reached; the message tells what happened to each."""


class AuthenticationError(TransportError):
    """A broker refused who we say we are, or could not show who it is; the message has the broker's own words.

    This does not pass: nothing is tried again with the same credentials. A refused client stays refused, and every
    later poll says so; with better credentials, make another consumer. ``code`` is Kafka's number for it.
    """

    code = ErrorCode.SASL_AUTHENTICATION_FAILED


class TlsError(AuthenticationError):
    """TLS failed for good: a certificate not trusted, expired or of another host, or a port where it is not spoken."""


class BrokerError(KafkaNextgenError):
    """A broker answered with an error code.

    ``code`` is Kafka's number, ``retriable`` whether the same request may succeed later; ``group``, ``member``
    and ``partition`` say what it was about, where that is known.
    """

    def __init__(
        self,
        message: str,
        *,
        code: int,
        retriable: bool = False,
        group: str | None = None,
        member: str | None = None,
        partition: TopicPartition | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retriable = retriable
        self.group = group
        self.member = member
        self.partition = partition


class GroupAuthorizationError(BrokerError):
    """The principal may not read this group."""


class TopicAuthorizationError(BrokerError):
    """The principal may not read or describe a topic."""


class UnknownTopicError(BrokerError):
    """There is no such topic, or no such partition of it (any more), where waiting for it would make no sense."""


class UnsupportedProtocolError(BrokerError):
    """The broker lacks what the configuration asks for: the consumer group protocol, or a version of it."""


class UnsupportedAssignorError(BrokerError):
    """The coordinator has no assignor of the name this member votes for."""


class FencedInstanceError(BrokerError):
    """Another member took over this ``group.instance.id``."""


class InstanceIdInUseError(BrokerError):
    """This ``group.instance.id`` belongs to a member that has not left and whose session has not ended."""


class GroupFullError(BrokerError):
    """The group has as many members as ``group.consumer.max.size`` allows."""


class GroupNotFoundError(BrokerError):
    """There is no group of this id, or none of the kind that was asked about."""


class GroupNotEmptyError(BrokerError):
    """The group has members, and what was asked for takes one without."""


class CommitFailedError(BrokerError):
    """Offsets were not committed; ``failed`` maps each such partition to the reason."""

    def __init__(
        self,
        message: str,
        *,
        code: int,
        retriable: bool = False,
        group: str | None = None,
        member: str | None = None,
        failed: Mapping[TopicPartition, str] | None = None,
    ) -> None:
        super().__init__(message, code=code, retriable=retriable, group=group, member=member)
        self.failed = dict(failed or {})


class OffsetOutOfRangeError(BrokerError):
    """A partition has no usable position and ``auto.offset.reset`` forbids choosing one."""


class LogTruncationError(OffsetOutOfRangeError):
    """A partition's log lost records that were read, and the configuration forbids to go on where it parts from them.

    ``position`` is the one that was read up to; ``diverging`` is where the leader's log parts from what was read, with
    the leader epoch in front of it, None if the leader can't tell. (KIP-320)
    """

    def __init__(
        self,
        message: str,
        *,
        code: int,
        partition: TopicPartition,
        position: OffsetAndMetadata,
        diverging: OffsetAndMetadata | None,
    ) -> None:
        super().__init__(message, code=code, partition=partition)
        self.position = position
        self.diverging = diverging


class AssignorError(KafkaNextgenError):
    """One of ``group.local.assignors`` failed, here or in another member; the group keeps the target assignment it has.

    The consumer goes on: this is raised once by the next poll, which may simply be repeated. The coordinator asks
    another member, and every member again once members, topics or metadata change. ``assignor`` is its name, empty if
    it is another member's; ``group`` is the group's id. What it raised here, if it did, is the ``__cause__``.
    """

    def __init__(self, message: str, *, assignor: str = "", group: str | None = None) -> None:
        super().__init__(message)
        self.assignor = assignor
        self.group = group


class DeserializationError(KafkaNextgenError):
    """A deserializer raised; what it raised is ``__cause__``. Reading stops at the record until you seek past it.

    ``record`` is the record as it was read, with bytes for key and value, and ``field`` is ``"key"`` or ``"value"``.
    ``on.deserialization.error`` says what is done instead of raising.
    """

    def __init__(self, message: str, record: Record, field: str) -> None:
        super().__init__(message)
        self.partition = TopicPartition(record.topic, record.partition)
        self.offset = record.offset
        self.record = record
        self.field = field
