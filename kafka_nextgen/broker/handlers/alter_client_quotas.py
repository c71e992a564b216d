"""AlterClientQuotas: limit what users and client ids may do, or take that back (KIP-546); not addresses, here."""

from __future__ import annotations

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.quotas.limits import DEFAULT, Entity, LimitKind, Limits
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.security.rights import ALTER_CLUSTER_CONFIGS
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import AlterClientQuotasRequest, AlterClientQuotasResponse

__all__ = ["handle"]

_AskedEntry = AlterClientQuotasRequest.EntryData
_Entry = AlterClientQuotasResponse.EntryData

_KINDS = {kind.value: kind for kind in LimitKind}
_FIELDS = {"user": "user", "client-id": "client_id"}


async def handle(request: AlterClientQuotasRequest, context: Context) -> AlterClientQuotasResponse:
    """Change the limits of each entity for itself; ``validate_only`` says what would become of that."""
    if not context.may(ALTER_CLUSTER_CONFIGS):
        refusal = Refusal(ALTER_CLUSTER_CONFIGS.error, "Cluster authorization failed.")
        return AlterClientQuotasResponse(entries=[_entry(entry, refusal) for entry in request.entries])
    limits = context.cluster.quotas.limits
    return AlterClientQuotasResponse(
        entries=[_entry(entry, _alter(entry, limits, request.validate_only)) for entry in request.entries]
    )


def _alter(entry: _AskedEntry, limits: Limits, validate_only: bool) -> Refusal | None:
    refusal = _wrong_entity(entry) or next(filter(None, map(_wrong_change, entry.ops)), None)
    if refusal is not None or validate_only:
        return refusal
    names = {part.entity_type: DEFAULT if part.entity_name is None else part.entity_name for part in entry.entity}
    entity = Entity(**{_FIELDS[kind]: name for kind, name in names.items()})
    for change in entry.ops:
        limits.set(entity, _KINDS[change.key], None if change.remove else change.value)
    return None


def _wrong_entity(entry: _AskedEntry) -> Refusal | None:
    kinds = [part.entity_type for part in entry.entity]
    unknown = [kind for kind in kinds if kind not in _FIELDS]
    if unknown:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Unhandled client quota entity type: {unknown[0]}")
    if not kinds or len(set(kinds)) != len(kinds):
        return Refusal(ErrorCode.INVALID_REQUEST, "Invalid client quota entity: it has no type, or one twice")
    empty = [part.entity_type for part in entry.entity if part.entity_name == ""]
    if empty:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Empty {empty[0]} not supported")
    return None


def _wrong_change(change: _AskedEntry.OpData) -> Refusal | None:
    if change.key not in _KINDS:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Invalid configuration key {change.key}")
    if not change.remove and not change.value > 0:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Quota {change.key} must be greater than 0")
    return None


def _entry(asked: _AskedEntry, refusal: Refusal | None) -> _Entry:
    return _Entry(
        error_code=ErrorCode.NONE if refusal is None else refusal.code,
        error_message=None if refusal is None else refusal.message,
        entity=[_Entry.EntityData(entity_type=part.entity_type, entity_name=part.entity_name) for part in asked.entity],
    )
