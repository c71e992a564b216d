"""All errors that this library raises.

They are of two kinds: the caller misused the library (``MisuseError``, ``ConfigError``), or a peer or the connection to
it failed (``TransportError``, ``DecodeError``, ``BrokerError``)::

    KafkaNextgenError
    ├── ConfigError
    ├── ArrowSchemaError
    ├── AvroSchemaError
    ├── BadValueError
    ├── JsonSchemaError
    ├── RegistryError
    ├── ProtobufSchemaError
    ├── MisuseError
    │   └── ConcurrentUseError
    ├── DecodeError
    │   ├── CorruptRecordError
    │   │   └── OldFormatError
    │   └── FrameTooLargeError
    ├── StorageError
    ├── TransportError
    │   ├── OutageError                 temporary: RequestTimeoutError, DisconnectedError, NoBrokersError
    │   └── AuthenticationError         refused: lasts until credentials or certificates change
    │       └── TlsError
    ├── BrokerError                     the broker answered with an error code
    │   ├── GroupAuthorizationError, TopicAuthorizationError, UnknownTopicError
    │   ├── UnsupportedProtocolError, UnsupportedAssignorError
    │   ├── FencedInstanceError, InstanceIdInUseError, GroupFullError
    │   ├── GroupNotFoundError, GroupNotEmptyError, CommitFailedError
    │   └── OffsetOutOfRangeError
    │       └── LogTruncationError
    ├── AssignorError
    ├── DeserializationError
    ├── TransactionError
    └── FaultNotMetError                only in tests: also an AssertionError
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
    "AvroSchemaError",
    "BadValueError",
    "BrokerError",
    "CommitFailedError",
    "ConcurrentUseError",
    "ConfigError",
    "CorruptRecordError",
    "DecodeError",
    "DeserializationError",
    "DisconnectedError",
    "FaultNotMetError",
    "FencedInstanceError",
    "FrameTooLargeError",
    "GroupAuthorizationError",
    "GroupFullError",
    "GroupNotEmptyError",
    "GroupNotFoundError",
    "InstanceIdInUseError",
    "JsonSchemaError",
    "KafkaNextgenError",
    "LogTruncationError",
    "MisuseError",
    "NoBrokersError",
    "OffsetOutOfRangeError",
    "OldFormatError",
    "OutageError",
    "ProtobufSchemaError",
    "RegistryError",
    "RequestTimeoutError",
    "StorageError",
    "TlsError",
    "TopicAuthorizationError",
    "TransactionError",
    "TransportError",
    "UnknownTopicError",
    "UnsupportedAssignorError",
    "UnsupportedProtocolError",
]


class KafkaNextgenError(Exception):
    """The base class of all errors of this library. The message is one line of bounded length."""

    def __str__(self) -> str:
        return printable(super().__str__())

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all attributes: the constructors take more than ``args`` holds."""
        return _unpickle, (type(self), self.args, self.__dict__)


def _unpickle(kind: type[KafkaNextgenError], args: tuple[object, ...], attributes: dict[str, object]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class ConfigError(KafkaNextgenError, ValueError):
    """The configuration is invalid. ``key`` is the invalid key, as the caller wrote it."""

    def __init__(self, message: str, key: str | None = None) -> None:
        super().__init__(message)
        self.key = key


class ArrowSchemaError(KafkaNextgenError, ValueError):
    """Records can't be converted to this schema. The message lists the types that ``column`` can have."""

    def __init__(self, message: str, column: str | None = None) -> None:
        super().__init__(message)
        self.column = column


class AvroSchemaError(KafkaNextgenError, ValueError):
    """An Avro schema is invalid, can't be converted to columns, or can't be resolved with another one."""


class ProtobufSchemaError(KafkaNextgenError, ValueError):
    """A Protobuf message can't be converted to columns, or is missing from the given descriptors."""


class BadValueError(KafkaNextgenError, ValueError):
    """The bytes of a key or value do not have the expected format."""


class JsonSchemaError(KafkaNextgenError, ValueError):
    """A JSON Schema is invalid, or part of a schema can't be converted to columns. The message says where."""


class RegistryError(KafkaNextgenError):
    """A schema registry did not answer, or did not return a schema. The values may be valid; try again later.

    ``http_status_code`` is the HTTP status of the registry's response, None if there was none. 404 means that the
    schema does not exist.
    """

    def __init__(self, message: str, http_status_code: int | None = None) -> None:
        super().__init__(message)
        self.http_status_code = http_status_code


class MisuseError(KafkaNextgenError, RuntimeError):
    """The call is not possible in this state, such as closed, forked or not assigned."""


class ConcurrentUseError(MisuseError):
    """A thread or task used a consumer while another one was inside a call."""


class DecodeError(KafkaNextgenError):
    """A message or a record batch violates Kafka's protocol."""


class CorruptRecordError(DecodeError):
    """A record batch has a wrong checksum or is malformed, at ``partition`` and ``offset`` if known."""

    def __init__(self, message: str, partition: TopicPartition | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.partition = partition
        self.offset = offset


class OldFormatError(CorruptRecordError):
    """Records have message format 0 or 1, the default of brokers before Kafka 0.11 (KIP-724)."""


class FrameTooLargeError(DecodeError):
    """A frame is larger than ``receive.message.max.bytes``. No memory was allocated for it."""


class StorageError(KafkaNextgenError):
    """A broker's data directory can't be used, read or written. The message names the file."""


class TransportError(KafkaNextgenError):
    """The broker can't be reached at the moment (``OutageError``), or login or TLS failed (``AuthenticationError``)."""


class OutageError(TransportError):
    """The broker can't be reached at the moment. The same call may succeed later."""


class RequestTimeoutError(OutageError, TimeoutError):
    """A request, or a call that sends several, was not answered in time."""


class DisconnectedError(OutageError):
    """The connection was closed before the answer arrived."""


class NoBrokersError(OutageError):
    """No bootstrap server could be reached. The message includes the error for each server."""


class AuthenticationError(TransportError):
    """A broker rejected our credentials, or failed to authenticate itself. The message includes the broker's message.

    The current call raises this error, and the next poll raises it once more. The client tries again after a backoff,
    which is one to ten times ``reconnect.backoff.max.ms``, with the current results of ``sasl.password`` or
    ``oauth_cb`` and with renewed certificates. ``code`` is Kafka's error code.
    """

    code = ErrorCode.SASL_AUTHENTICATION_FAILED


class TlsError(AuthenticationError):
    """TLS fails on every attempt: a certificate is untrusted, expired or for another host, or the port has no TLS."""


class BrokerError(KafkaNextgenError):
    """A broker answered with an error code.

    ``code`` is Kafka's error code. ``retriable`` is True if the same request may succeed later. ``group``, ``member``
    and ``partition`` identify what the request concerned, if known.
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
    """The topic or the partition does not exist, and the call can't wait for it."""


class UnsupportedProtocolError(BrokerError):
    """The broker does not support the consumer group protocol, or the version of it that the configuration needs."""


class UnsupportedAssignorError(BrokerError):
    """The coordinator does not have the assignor that this member requests."""


class FencedInstanceError(BrokerError):
    """Another member has taken over this ``group.instance.id``."""


class InstanceIdInUseError(BrokerError):
    """This ``group.instance.id`` is in use by a member that has not left and whose session has not expired."""


class GroupFullError(BrokerError):
    """The group has as many members as ``group.consumer.max.size`` allows."""


class GroupNotFoundError(BrokerError):
    """There is no group with this id, or it has another type."""


class GroupNotEmptyError(BrokerError):
    """The request needs an empty group, and this one has members."""


class CommitFailedError(BrokerError):
    """Offsets were not committed. ``failed`` maps each such partition to the reason."""

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
    """A partition has no valid position, and ``auto.offset.reset`` forbids a reset."""


class LogTruncationError(OffsetOutOfRangeError):
    """A partition's log was truncated below the position, and the configuration forbids a reset (KIP-320).

    ``position`` is the consumer's position. ``diverging`` is the offset at which the leader's log diverges from the
    records read, with the leader epoch before it; None if the leader does not know it.
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
    """One of ``group.local.assignors`` failed, here or in another member. The group keeps its target assignment.

    The next poll raises this once; poll again to continue. The coordinator then chooses another member to compute the
    assignment. When members, topics or metadata change, it can choose any member again. ``assignor`` is the assignor's
    name, empty if it is another member's. ``group`` is the group id. If the assignor raised an exception here, that is
    the ``__cause__``.
    """

    def __init__(self, message: str, *, assignor: str = "", group: str | None = None) -> None:
        super().__init__(message)
        self.assignor = assignor
        self.group = group


class DeserializationError(KafkaNextgenError):
    """A deserializer raised an exception, the ``__cause__``. Reading stops at the record until you seek past it.

    ``record`` is the record with bytes for key and value. ``field`` is ``"key"`` or ``"value"``. Set
    ``on.deserialization.error`` to skip such records or to handle them.
    """

    def __init__(self, message: str, record: Record, field: str) -> None:
        super().__init__(message)
        self.partition = TopicPartition(record.topic, record.partition)
        self.offset = record.offset
        self.record = record
        self.field = field


class TransactionError(KafkaNextgenError):
    """``run_in_transactions`` stopped: its producer is unusable, or its transactions fail repeatedly.

    The ``__cause__`` is the producer's own error. No record is lost: call it again to continue from the committed
    offsets.
    """


class FaultNotMetError(KafkaNextgenError, AssertionError):
    """A fault in a test ended, or its wait timed out, before it affected any request.

    See ``kafka_nextgen.testing.Cluster.fault``. The message lists the requests that arrived instead.
    """
