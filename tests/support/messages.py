"""A message of Protobuf, made without a compiler; its file refers to another one."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

__all__ = ["order_class"]

_INT64, _MESSAGE = 3, 11


def order_class() -> Any:
    """The class of ``message Order { int64 id = 1; google.protobuf.Timestamp at = 2; }``."""
    pool = descriptor_pool.Default()
    try:
        descriptor = pool.FindMessageTypeByName("shop.Order")
    except KeyError:
        file = descriptor_pb2.FileDescriptorProto(
            name="shop/order.proto", package="shop", syntax="proto3", dependency=[timestamp_pb2.DESCRIPTOR.name]
        )
        order = file.message_type.add(name="Order")
        order.field.add(name="id", number=1, type=_INT64, label=1)
        order.field.add(name="at", number=2, type=_MESSAGE, label=1, type_name=".google.protobuf.Timestamp")
        pool.Add(file)
        descriptor = pool.FindMessageTypeByName("shop.Order")
    return message_factory.GetMessageClass(descriptor)
