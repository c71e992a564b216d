"""A member as others name it: assignors, and producers that send offsets to a transaction (KIP-447).

Each client has a type of its own for this and takes no other: confluent-kafka takes the bytes that librdkafka writes
(``rd_kafka_consumer_group_metadata_write``), kafka-python its named tuple ``kafka.structs.ConsumerGroupMetadata``. No
type can inherit from both, so ours is bytes, and says that it is that named tuple once the application has imported it.
"""

from __future__ import annotations

import struct
import sys
from typing import NoReturn

__all__ = ["ConsumerGroupMetadata"]

_MAGIC = b"CGMDv2:"


class ConsumerGroupMetadata(bytes):
    """A member of a group, for ``send_offsets_to_transaction`` of confluent-kafka's and kafka-python's producers.

    In classic groups the epoch is the generation. Epoch -1 and no id is a consumer that has not been a member: a
    transaction with these is not fenced (KIP-447). Two are equal if all their fields are.
    """

    group_id: str
    member_epoch: int
    member_id: str
    instance_id: str | None
    #: The names that kafka-python has for the epoch and the instance id.
    generation_id: int
    group_instance_id: str | None

    def __new__(
        cls, group_id: str, member_epoch: int, member_id: str, instance_id: str | None = None
    ) -> ConsumerGroupMetadata:
        """Name a member; ``instance_id`` is a static member's ``group.instance.id``."""
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
        """What ``isinstance`` in kafka-python's producer looks at."""
        structs = sys.modules.get("kafka.structs")
        return getattr(structs, "ConsumerGroupMetadata", ConsumerGroupMetadata)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name}: a ConsumerGroupMetadata never changes")

    def __reduce__(self) -> tuple[type[ConsumerGroupMetadata], tuple[str, int, str, str | None]]:
        return ConsumerGroupMetadata, (self.group_id, self.member_epoch, self.member_id, self.instance_id)

    def __repr__(self) -> str:
        return (
            f"ConsumerGroupMetadata(group_id={self.group_id!r}, member_epoch={self.member_epoch}, "
            f"member_id={self.member_id!r}, instance_id={self.instance_id!r})"
        )

    __str__ = __repr__


def _as_librdkafka_writes(group_id: str, member_epoch: int, member_id: str, instance_id: str | None) -> bytes:
    """librdkafka's format, version 2: the epoch in the machine's byte order, and strings that end with a zero."""
    instance = b"\1" if instance_id is None else b"\0" + instance_id.encode() + b"\0"
    return b"%b%b%b\0%b\0%b" % (
        _MAGIC,
        struct.pack("=i", member_epoch),
        group_id.encode(),
        member_id.encode(),
        instance,
    )
