"""Altering a quota by a request."""

from __future__ import annotations

from kafka_nextgen.wire import apis
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.schemas.access import EntityData
from tests.broker.client import Client

__all__ = ["alter"]


def alter(
    client: Client, value: float, *, key: str = "producer_byte_rate", **how: object
) -> m.AlterClientQuotasResponse.EntryData:
    entry = m.AlterClientQuotasRequest.EntryData
    entity = [EntityData(entity_type=kind, entity_name=name) for kind, name in how.pop("of", {}).items()]
    ops = [entry.OpData(key=key, value=value, remove=bool(how.pop("remove", False)))]
    request = m.AlterClientQuotasRequest(entries=[entry(entity=entity, ops=ops)], validate_only=False)
    return client.ask(apis.ALTER_CLIENT_QUOTAS, request).entries[0]
