"""Converts the argument of ``Protobuf(message=...)`` to a descriptor of the ``protobuf`` package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafka_nextgen.errors import ProtobufSchemaError

__all__ = ["MessageType", "add_file", "descriptor_of", "new_pool", "path_of"]


class MessageType:
    """A message type, which can be pickled, unlike its descriptor.

    The pickle contains the descriptors of its files, so the other process does not need the generated class.
    """

    def __init__(self, descriptor: Any) -> None:
        self.descriptor = descriptor
        self._parse: Callable[[bytes], Any] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return _message_in, (_files_of(self.descriptor.file), self.descriptor.full_name)

    @property
    def parse(self) -> Callable[[bytes], Any]:
        """The function that parses bytes into a message, or returns None if protobuf refuses them.

        This is not a ``cached_property``: before Python 3.12, that has a lock, which another thread may hold at a fork.
        """
        if self._parse is None:
            self._parse = _parser_of(self.descriptor)
        return self._parse


def _parser_of(descriptor: Any) -> Callable[[bytes], Any]:
    from google.protobuf.message import DecodeError
    from google.protobuf.message_factory import GetMessageClass

    kind = GetMessageClass(descriptor)

    def parse(data: bytes) -> Any:
        try:
            return kind.FromString(data)
        except DecodeError:
            return None

    return parse


def descriptor_of(message: Any, name: str | None) -> Any:
    """Return the descriptor of a generated class, a descriptor itself, or the descriptor with this name in a set."""
    files = getattr(message, "file", None)
    if isinstance(message, bytes | bytearray | memoryview) or (
        files is not None and hasattr(message, "SerializeToString")
    ):
        return _in_set(bytes(message) if files is None else message.SerializeToString(), name)
    descriptor = getattr(message, "DESCRIPTOR", message)
    if not hasattr(descriptor, "fields_by_number") or not hasattr(descriptor, "full_name"):
        raise TypeError(f"message must be a generated class, a descriptor, or a FileDescriptorSet, not {message!r}")
    if name is not None and name != descriptor.full_name:
        raise ProtobufSchemaError(f"the message is {descriptor.full_name}, not {name}")
    return descriptor


def path_of(descriptor: Any) -> tuple[int, ...]:
    """Return the indexes of a message in Confluent's frame: in its file, then in each enclosing message."""
    outer = descriptor.containing_type
    siblings = descriptor.file.message_types_by_name.values() if outer is None else outer.nested_types
    index = [each.full_name for each in siblings].index(descriptor.full_name)
    return (index,) if outer is None else (*path_of(outer), index)


def _message_in(files: bytes, name: str) -> MessageType:
    return MessageType(_in_set(files, name))


def _files_of(file: Any) -> bytes:
    """Return a FileDescriptorSet of a file and all files that it imports, directly or not."""
    from google.protobuf import descriptor_pb2

    found, names, waiting = descriptor_pb2.FileDescriptorSet(), {file.name}, [file]
    while waiting:
        each = waiting.pop()
        each.CopyToProto(found.file.add())
        waiting += [other for other in each.dependencies if other.name not in names]
        names.update(other.name for other in each.dependencies)
    data: bytes = found.SerializeToString()
    return data


def _in_set(data: bytes, name: str | None) -> Any:
    pool = new_pool()
    from google.protobuf import descriptor_pb2
    from google.protobuf.message import DecodeError

    if name is None:
        raise TypeError("a FileDescriptorSet needs the full name of the message: Protobuf(data, 'package.Message')")
    try:
        files = {file.name: file for file in descriptor_pb2.FileDescriptorSet.FromString(data).file}
    except DecodeError as error:
        raise ProtobufSchemaError(f"the bytes are not a FileDescriptorSet: {error}") from None
    known: set[str] = set()
    try:
        for file in files:
            add_file(pool, files, file, known)
        return pool.FindMessageTypeByName(name)
    except KeyError:
        raise ProtobufSchemaError(f"the FileDescriptorSet has no message {name}") from None
    except TypeError as error:  # raised by the pool: the files contradict each other
        raise ProtobufSchemaError(f"the FileDescriptorSet can't be used: {error}") from None


def new_pool() -> Any:
    """Return an empty pool of descriptors.

    Raises ImportError, which names the extra, if the protobuf package is not installed.
    """
    try:
        from google.protobuf import descriptor_pool
    except ImportError as error:
        raise ImportError("Protobuf needs the protobuf package: pip install 'kafka-nextgen[protobuf]'") from error
    return descriptor_pool.DescriptorPool()


def add_file(pool: Any, files: dict[str, Any], name: str, known: set[str]) -> None:
    """Add a file after the files that it imports. This is not recursive, because imports can be nested very deeply."""
    waiting = [name]
    while waiting:
        file = files.get(waiting[-1]) or _well_known(waiting[-1])
        missing = [each for each in file.dependency if each not in known]
        if waiting[-1] in known or not missing:
            if waiting[-1] not in known:
                pool.AddSerializedFile(file.SerializeToString())
            known.add(waiting.pop())
        elif missing[0] in waiting:
            raise ProtobufSchemaError(f"a file imports itself: {missing[0]}")
        else:
            waiting.append(missing[0])


def _well_known(name: str) -> Any:
    """Return a file that is part of protobuf."""
    from importlib import import_module

    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto()
    if name.startswith("google/protobuf/"):
        try:
            module = import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
            module.DESCRIPTOR.CopyToProto(file)
            return file
        except ImportError:
            pass
    raise ProtobufSchemaError(
        f"the schema imports {name}, which is missing: protoc --include_imports adds it to a FileDescriptorSet, "
        "and a reference adds it to a schema in a registry"
    )
