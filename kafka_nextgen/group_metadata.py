"""The metadata of a group member, for producers that send offsets to a transaction (KIP-447).

Each client accepts only its own type: confluent-kafka accepts the bytes of librdkafka
(``rd_kafka_consumer_group_metadata_write``), kafka-python its named tuple ``kafka.structs.ConsumerGroupMetadata``. No
class can inherit from both. So ours inherits from bytes, and pretends to be that named tuple if it has been imported.
"""

from __future__ import annotations

import struct
import sys
from typing import NoReturn

__all__ = ["ConsumerGroupMetadata"]

_MAGIC = b"CGMDv2:"


class ConsumerGroupMetadata(bytes):
    """A member of a group, for ``send_offsets_to_transaction`` in producers of confluent-kafka and kafka-python.

    In classic groups the epoch is the generation. A consumer that has not joined has epoch -1 and an empty id; the
    coordinator does not fence its transactions (KIP-447).
    """

    group_id: str
    member_epoch: int
    member_id: str
    instance_id: str | None
    #: kafka-python's names for the epoch and the instance id.
    generation_id: int
    group_instance_id: str | None

    def __new__(
        cls, group_id: str, member_epoch: int, member_id: str, instance_id: str | None = None
    ) -> ConsumerGroupMetadata:
        """``instance_id`` is a static member's ``group.instance.id``."""
        made = super().__new__(cls, _as_librdkafka_writes(group_id, member_epoch, member_id, instance_id))
        vars(made).update(
            group_id=group_id,
            member_epoch=member_epoch,
            member_id=member_id,
            instance_id=instance_id,
            generation_id=member_epoch,
            group_instance_id=instance_id,
        )
        return made

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """For ``isinstance`` in kafka-python's producer."""
        structs = sys.modules.get("kafka.structs")
        return getattr(structs, "ConsumerGroupMetadata", ConsumerGroupMetadata)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name}: a ConsumerGroupMetadata can't be changed")

    def __reduce__(self) -> tuple[type[ConsumerGroupMetadata], tuple[str, int, str, str | None]]:
        return ConsumerGroupMetadata, (self.group_id, self.member_epoch, self.member_id, self.instance_id)

    def __repr__(self) -> str:
        return (
            f"ConsumerGroupMetadata(group_id={self.group_id!r}, member_epoch={self.member_epoch}, "
            f"member_id={self.member_id!r}, instance_id={self.instance_id!r})"
        )

    __str__ = __repr__


def _as_librdkafka_writes(group_id: str, member_epoch: int, member_id: str, instance_id: str | None) -> bytes:
    """librdkafka's format, version 2: the epoch in native byte order, and null-terminated strings."""
    instance = b"\1" if instance_id is None else b"\0" + instance_id.encode() + b"\0"
    return b"%b%b%b\0%b\0%b" % (
        _MAGIC,
        struct.pack("=i", member_epoch),
        group_id.encode(),
        member_id.encode(),
        instance,
    )
