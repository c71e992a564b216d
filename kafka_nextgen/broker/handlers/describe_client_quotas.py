"""DescribeClientQuotas: the limits that are set for entities of some kind (KIP-546).

An entity is meant if each component of the filter fits one of its parts; a strict filter has no other entities, with
parts of types it does not mention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.quotas.limits import DEFAULT, Entity, LimitKind, Name
from kafka_nextgen.broker.security.rights import DESCRIBE_CLUSTER_CONFIGS
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DescribeClientQuotasRequest, DescribeClientQuotasResponse

__all__ = ["handle"]

_AskedComponent = DescribeClientQuotasRequest.ComponentData
_Entry = DescribeClientQuotasResponse.EntryData

_EXACT, _DEFAULT, _ANY = range(3)  # Kafka's match types


async def handle(request: DescribeClientQuotasRequest, context: Context) -> DescribeClientQuotasResponse:
    """Tell the limits of the entities that are meant."""
    if not context.may(DESCRIBE_CLUSTER_CONFIGS):
        return DescribeClientQuotasResponse(error_code=DESCRIBE_CLUSTER_CONFIGS.error, error_message=None, entries=None)
    return DescribeClientQuotasResponse(
        error_code=ErrorCode.NONE,
        error_message="",
        entries=[
            _entry(_parts(entity), limits)
            for entity, limits in context.cluster.quotas.limits.all()
            if _is_meant(_parts(entity), request.components, request.strict)
        ],
    )


def _parts(entity: Entity) -> Mapping[str, Name]:
    parts = {"user": entity.user, "client-id": entity.client_id}
    return {kind: name for kind, name in parts.items() if name is not None}


def _is_meant(parts: Mapping[str, Name], components: Sequence[_AskedComponent], is_strict: bool) -> bool:
    kinds = {component.entity_type for component in components}
    if is_strict and not parts.keys() <= kinds:
        return False
    return all(_fits(parts.get(component.entity_type), component) for component in components)


def _fits(name: Name, component: _AskedComponent) -> bool:
    if name is None or component.match_type == _ANY:
        return name is not None
    return name == (DEFAULT if component.match_type == _DEFAULT else component.match)


def _entry(parts: Mapping[str, Name], limits: Mapping[LimitKind, float]) -> _Entry:
    return _Entry(
        entity=[
            _Entry.EntityData(entity_type=kind, entity_name=None if name is DEFAULT else name)
            for kind, name in parts.items()
        ],
        values=[_Entry.ValueData(key=kind.value, value=amount) for kind, amount in limits.items()],
    )
