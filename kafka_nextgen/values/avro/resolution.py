"""Which types of a writer's schema a reader's schema accepts (Avro 1.12, "Schema Resolution")."""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.values.avro.types import Array, Field, Map, Named, Record, Type, Union

__all__ = ["branch_for", "conflict", "described", "fields_of_writer"]

_PROMOTIONS = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}


def conflict(writer: Type, reader: Type) -> str | None:
    """Return why a value of one type can't be read as another. The types are not unions; nested types are not
    compared."""
    if writer.kind != reader.kind and reader.kind not in _PROMOTIONS.get(writer.kind, ()):
        return f"{described(writer)} can't be read as {described(reader)}"
    if isinstance(writer, Named) and isinstance(reader, Named) and not _has_name(writer, reader):
        return f"the names of {described(writer)} and {described(reader)} differ"
    if getattr(writer, "size", None) != getattr(reader, "size", None):
        return f"the sizes of {described(writer)} and {described(reader)} differ"
    return _logical_conflict(writer, reader)


def _logical_conflict(writer: Type, reader: Type) -> str | None:
    """Bytes of one logical type, read as another, would silently become a different value."""
    written, wanted = getattr(writer, "logical", None), getattr(reader, "logical", None)
    if written is None or wanted is None or written == wanted:
        return None
    return f"{described(writer)} can't be read as {described(reader)}: the value would change"


def _has_name(writer: Named, reader: Named) -> bool:
    """Whether the names match without their namespaces, or the reader has an alias for the writer's name."""
    own, full = _last(writer.name), writer.name
    return own == _last(reader.name) or full in reader.aliases or own in reader.aliases


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def branch_for(writer: Type, union: Union) -> Type | None:
    """Return the branch of a reader's union for a value of this type, which is not a union: the first that accepts it.

    Branches of the same type and full name come first. Otherwise, reading a union as itself would turn ints into longs
    if a long precedes the int, and would match records by names without their namespaces.
    """
    same = [branch for branch in union.branches if _is_same(writer, branch)]
    return next((branch for branch in (*same, *union.branches) if _takes(writer, branch)), None)


def _is_same(writer: Type, reader: Type) -> bool:
    return writer.kind == reader.kind and getattr(writer, "name", None) == getattr(reader, "name", None)


def _takes(writer: Type, reader: Type) -> bool:
    """Whether there is no ``conflict``, including in the items of lists and maps."""
    if isinstance(writer, Union) or isinstance(reader, Union):
        return True
    if conflict(writer, reader) is not None:
        return False
    if isinstance(writer, Array) and isinstance(reader, Array):
        return _takes(writer.items, reader.items)
    return not isinstance(writer, Map) or not isinstance(reader, Map) or _takes(writer.values, reader.values)


def fields_of_writer(written: Collection[Field], reader: Record) -> dict[str, str]:
    """Map names of the writer's fields to names of the reader's, by name or else by alias; each is used once."""
    found = {field.name: field.name for field in written if field.name in reader.numbers}
    taken = set(found)
    for field in written:
        other = reader.names.get(field.name)
        if field.name not in found and other is not None and other not in taken:
            found[field.name] = other
            taken.add(other)
    return found


def described(kind: Type) -> str:
    """Describe a type in an error."""
    logical = getattr(kind, "logical", None)
    text = f"{kind.kind} {kind.name}" if isinstance(kind, Named) else kind.kind
    if logical is None:
        return text
    return f"{text} ({logical.name}{f' {logical.precision}, {logical.scale}' if logical.precision else ''})"
