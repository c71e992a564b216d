"""Every API in every version, asked with nothing in the question and with something in every field of it.

Most of that is refused, each time in the version's own words; a broker that hangs up or says nothing has said so.
"""

from __future__ import annotations

from contextlib import suppress

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import APIS, Api
from tests.broker.client import Client
from tests.wire.schema_messages import full

__all__ = ["interrogate"]

_PATIENCE_S = 2

#: Those that wait for others, end groups and topics of real clients, or answer nothing.
_LEFT_OUT = {apis.JOIN_GROUP, apis.SYNC_GROUP, apis.WRITE_TXN_MARKERS}


def interrogate(servers: str) -> None:
    for api in APIS.values():
        if api in _LEFT_OUT:
            continue
        for version in range(api.min_version, api.max_version + 1):
            for message in (api.request(), full(api.request, version)):
                _ask(servers, api, version, message)


def _ask(servers: str, api: Api, version: int, message: object) -> None:
    with suppress(OSError, DecodeError, TypeError, ValueError, AttributeError), Client(servers, _PATIENCE_S) as client:
        client.ask(api, message, version)
