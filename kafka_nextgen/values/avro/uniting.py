"""The union of two schemas: a schema that can read the values of both.

A record has the fields of both, those of the known schema first. If one schema lacks a field, the field gets its
default, or becomes nullable. Two different number types become long or double. A union has the branches of both, and is
nullable if either schema is. An enum has the symbols of both. All other types must be equal.

A schema that is already part of the union does not change it. Parts that do not change stay the same objects, so
comparisons are fast, and uniting many schemas takes about as long as reading them.
"""

from __future__ import annotations

import itertools

from attrs import evolve

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.encoding import encoded
from kafka_nextgen.values.avro.resolution import conflict, described, fields_of_writer
from kafka_nextgen.values.avro.types import (
    NO_DEFAULT,
    Array,
    Enum,
    Field,
    Fixed,
    Map,
    Named,
    Primitive,
    Record,
    Type,
    Union,
)

__all__ = ["united"]

_NUMBERS = ("int", "long", "float", "double")
_NULL = Primitive("null")


def united(known: Type, new: Type) -> Type:
    """Return the type that can read the values of both types. Raises AvroSchemaError if there is none."""
    if known == new:
        return known
    both = _united(known, new)
    return known if both == known else both


def _united(known: Type, new: Type) -> Type:
    if any(isinstance(kind, Union) or kind.kind == "null" for kind in (known, new)):
        return _of_unions(_branches(known), _branches(new))
    if known.kind != new.kind:
        return _number(known, new)
    _check(known, new)
    if isinstance(known, Record) and isinstance(new, Record):
        return _record(known, new)
    if isinstance(known, Array) and isinstance(new, Array):
        return Array(united(known.items, new.items))
    if isinstance(known, Map) and isinstance(new, Map):
        return Map(united(known.values, new.values))
    if isinstance(known, Enum) and isinstance(new, Enum):
        return _enum(known, new)
    return _same(known, new)


def _check(known: Type, new: Type) -> None:
    """Check that names (directly or through an alias), the sizes of fixed types, and logical types match."""
    why = conflict(new, known)
    if why is not None and conflict(known, new) is not None:
        raise AvroSchemaError(why)


def _enum(known: Enum, new: Enum) -> Enum:
    symbols = tuple(dict.fromkeys((*known.symbols, *new.symbols)))
    default = new.default if known.default is None else known.default
    return evolve(known, aliases=_aliases(known, new), symbols=symbols, default=default)


def _same(known: Type, new: Type) -> Type:
    """Unite types that differ only in their names, or because only one has a logical type."""
    logical = getattr(known, "logical", None) or getattr(new, "logical", None)
    if isinstance(known, Primitive):
        return evolve(known, logical=logical)
    assert isinstance(known, Fixed)
    assert isinstance(new, Fixed)
    return evolve(known, aliases=_aliases(known, new), logical=logical)


def _aliases(known: Named, new: Named) -> frozenset[str]:
    return (known.aliases | new.aliases | {new.name}) - {known.name}


def _number(known: Type, new: Type) -> Type:
    kinds = {known.kind, new.kind}
    if not kinds.issubset(_NUMBERS) or any(getattr(kind, "logical", None) for kind in (known, new)):
        raise AvroSchemaError(f"{described(new)} and {described(known)} have no type in common")
    return Primitive("long" if kinds == {"int", "long"} else "double")


# ---- unions


def _branches(kind: Type) -> tuple[Type, ...]:
    return kind.branches if isinstance(kind, Union) else (kind,)


def _of_unions(known: tuple[Type, ...], new: tuple[Type, ...]) -> Type:
    nulls = tuple(kind for kind in (*known, *new) if kind.kind == "null")
    olds, news = (tuple(kind for kind in kinds if kind.kind != "null") for kinds in (known, new))
    if len(olds) == len(news) == 1:
        others: tuple[Type, ...] = (united(olds[0], news[0]),)
    else:
        others = _with_all(olds, news)
    branches = nulls[:1] + others
    return branches[0] if len(branches) == 1 else Union(branches)


def _with_all(olds: tuple[Type, ...], news: tuple[Type, ...]) -> tuple[Type, ...]:
    branches = list(olds)
    for new in news:
        place = _place_of(new, branches)
        if place is None:
            branches.append(new)
        else:
            branches[place] = united(branches[place], new)
    return tuple(branches)


def _place_of(new: Type, branches: list[Type]) -> int | None:
    """Return the index of the branch with the same type and name, or with a name that matches by an alias."""
    same = [number for number, branch in enumerate(branches) if branch.kind == new.kind]
    if not isinstance(new, Named):
        return same[0] if same else None
    exact = [number for number in same if getattr(branches[number], "name", "") == new.name]
    related = (number for number in same if conflict(new, branches[number]) is None)
    return next(itertools.chain(exact, related), None)


# ---- records


def _record(known: Record, new: Record) -> Record:
    news = {field.name: field for field in new.fields}
    partners = _partners(known, new)
    fields = list(known.fields)
    for number, field in enumerate(known.fields):
        if field.name in partners:
            fields[number] = _field(known, field, news.pop(partners[field.name]))
        elif not field.has_default:  # most fields of a large union have one
            fields[number] = _absent(field)
    fields += map(_absent, news.values())
    return evolve(known, aliases=_aliases(known, new), fields=tuple(fields))


def _partners(known: Record, new: Record) -> dict[str, str]:
    """Map known fields to the same fields of the new record, matched by name or by an alias on either side."""
    partners = {name: other for other, name in fields_of_writer(new.fields, known).items()}
    taken = set(partners.values())
    numbers = sorted(known.numbers[name] for name in new.names if name in known.numbers)
    named = [known.fields[number] for number in numbers]
    for name, other in fields_of_writer(named, new).items():
        if name not in partners and other not in taken:
            partners[name] = other
            taken.add(other)
    return partners


def _field(record: Record, known: Field, new: Field) -> Field:
    try:
        kind = united(known.type, new.type)
    except AvroSchemaError as error:
        raise AvroSchemaError(f"{record.name}.{known.name}: {error}") from None
    aliases = (known.aliases | new.aliases | {new.name}) - {known.name}
    is_same = kind is known.type and aliases == known.aliases
    field = known if is_same else Field(known.name, kind, aliases, known.default)
    return field if field.default is NO_DEFAULT or _has_default(field) else evolve(field, default=NO_DEFAULT)


def _has_default(field: Field) -> bool:
    """Whether its default is a value of its type. Registries have many schemas with wrong defaults."""
    if field.has_default is None:
        object.__setattr__(field, "has_default", _is_value(field.type, field.default))  # a field is frozen
    return bool(field.has_default)


def _is_value(kind: Type, default: object) -> bool:
    try:
        encoded(kind, default)
    except AvroSchemaError:
        return False
    return True


def _absent(field: Field) -> Field:
    """Return the field for a union in which some values lack it."""
    if _has_default(field):
        return field
    branches = tuple(kind for kind in _branches(field.type) if kind.kind != "null")
    return evolve(field, type=Union((_NULL, *branches)) if branches else field.type, default=None)
