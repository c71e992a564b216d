"""AlterClientQuotas and DescribeClientQuotas: limits for users and client ids (KIP-546), but not for IP addresses.

A filter matches an entity if each of its components matches one part of the entity. A strict filter does not match
entities with parts of other types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.client_quotas import DEFAULT, Entity, LimitKind, Limits, Name
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal, error_fields
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.schemas.access import EntityData

__all__ = ["alter_client_quotas", "describe_client_quotas"]

_Alteration = m.AlterClientQuotasRequest.EntryData
_AlteredEntry = m.AlterClientQuotasResponse.EntryData
_Component = m.DescribeClientQuotasRequest.ComponentData
_DescribedEntry = m.DescribeClientQuotasResponse.EntryData

_KINDS = {kind.value: kind for kind in LimitKind}
_FIELDS = {"user": "user", "client-id": "client_id"}
_EXACT, _DEFAULT, _ANY = range(3)  # Kafka's match types


async def alter_client_quotas(request: m.AlterClientQuotasRequest, context: Context) -> m.AlterClientQuotasResponse:
    """Change the limits of each entity independently; ``validate_only`` changes nothing and returns the same errors."""
    if not context.may(Right.ALTER_CLUSTER_CONFIGS):
        refusal = Refusal(Right.ALTER_CLUSTER_CONFIGS.error, "Cluster authorization failed.")
        return m.AlterClientQuotasResponse(entries=[_altered_entry(entry, refusal) for entry in request.entries])
    limits = context.cluster.quotas.limits
    return m.AlterClientQuotasResponse(
        entries=[_altered_entry(entry, _alter(entry, limits, request.validate_only)) for entry in request.entries]
    )


async def describe_client_quotas(
    request: m.DescribeClientQuotasRequest, context: Context
) -> m.DescribeClientQuotasResponse:
    """Return the limits of the entities that the filter matches."""
    if not context.may(Right.DESCRIBE_CLUSTER_CONFIGS):
        return m.DescribeClientQuotasResponse(
            error_code=Right.DESCRIBE_CLUSTER_CONFIGS.error, error_message=None, entries=None
        )
    return m.DescribeClientQuotasResponse(
        error_code=ErrorCode.NONE,
        error_message="",
        entries=[
            _described_entry(_parts(entity), limits)
            for entity, limits in context.cluster.quotas.limits.all()
            if _matches(_parts(entity), request.components, request.strict)
        ],
    )


def _alter(entry: _Alteration, limits: Limits, validate_only: bool) -> Refusal | None:
    refusal = _wrong_entity(entry) or next(filter(None, map(_wrong_change, entry.ops)), None)
    if refusal is not None or validate_only:
        return refusal
    names = {part.entity_type: DEFAULT if part.entity_name is None else part.entity_name for part in entry.entity}
    entity = Entity(**{_FIELDS[kind]: name for kind, name in names.items()})
    for change in entry.ops:
        limits.set(entity, _KINDS[change.key], None if change.remove else change.value)
    return None


def _wrong_entity(entry: _Alteration) -> Refusal | None:
    kinds = [part.entity_type for part in entry.entity]
    unknown = [kind for kind in kinds if kind not in _FIELDS]
    if unknown:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Unhandled client quota entity type: {unknown[0]}")
    if not kinds or len(set(kinds)) != len(kinds):
        return Refusal(ErrorCode.INVALID_REQUEST, "Invalid client quota entity: a type is missing or duplicate")
    empty = [part.entity_type for part in entry.entity if part.entity_name == ""]
    if empty:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Empty {empty[0]} not supported")
    return None


def _wrong_change(change: _Alteration.OpData) -> Refusal | None:
    if change.key not in _KINDS:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Invalid configuration key {change.key}")
    if not change.remove and not change.value > 0:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Quota {change.key} must be greater than 0")
    return None


def _altered_entry(asked: _Alteration, refusal: Refusal | None) -> _AlteredEntry:
    return _AlteredEntry(
        **error_fields(refusal),
        entity=[EntityData(entity_type=part.entity_type, entity_name=part.entity_name) for part in asked.entity],
    )


def _parts(entity: Entity) -> Mapping[str, Name]:
    parts = {"user": entity.user, "client-id": entity.client_id}
    return {kind: name for kind, name in parts.items() if name is not None}


def _matches(parts: Mapping[str, Name], components: Sequence[_Component], is_strict: bool) -> bool:
    kinds = {component.entity_type for component in components}
    if is_strict and not parts.keys() <= kinds:
        return False
    return all(_matches_part(parts.get(component.entity_type), component) for component in components)


def _matches_part(name: Name, component: _Component) -> bool:
    if name is None or component.match_type == _ANY:
        return name is not None
    return name == (DEFAULT if component.match_type == _DEFAULT else component.match)


def _described_entry(parts: Mapping[str, Name], limits: Mapping[LimitKind, float]) -> _DescribedEntry:
    return _DescribedEntry(
        entity=[
            EntityData(entity_type=kind, entity_name=None if name is DEFAULT else name) for kind, name in parts.items()
        ],
        values=[_DescribedEntry.ValueData(key=kind.value, value=amount) for kind, amount in limits.items()],
    )
