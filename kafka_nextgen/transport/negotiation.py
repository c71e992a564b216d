"""What a broker speaks: asked first on every new connection (KIP-35).

The question has versions itself. A broker that lacks ours answers UNSUPPORTED_VERSION, in version 0, with the range
it has (KIP-511); the question is then put in the highest version of that, or in version 0 if it did not say.
"""

from __future__ import annotations

import re

from kafka_nextgen.bridge import api_versions
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import BrokerError
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.version import VERSION
from kafka_nextgen.wire.apis import API_VERSIONS
from kafka_nextgen.wire.messages import ApiVersionsResponse

__all__ = ["learn_versions", "software_version"]


def software_version(version: str) -> str:
    """The version of this client as brokers take it (KIP-511): letters, digits, dots and hyphens, and no others."""
    return re.sub(r"[^a-zA-Z0-9.]+", "-", version).strip("-.") or "unknown"


async def learn_versions(connection: Connection, deadline: Deadline) -> None:
    """Ask the broker and keep its answer in ``connection.ranges``.

    Raises ``TransportError``, ``DecodeError``, or ``BrokerError`` if the broker will not say.
    """
    versions = await _ask(connection, API_VERSIONS.max_version, deadline)
    if versions.error == ErrorCode.UNSUPPORTED_VERSION:
        _, theirs = versions.ranges.get(API_VERSIONS.key, (0, 0))
        versions = await _ask(connection, min(theirs, API_VERSIONS.max_version - 1), deadline)
    if versions.error != ErrorCode.NONE:
        text = f"{connection.address}: the broker does not say which versions it speaks ({name_of(versions.error)})"
        raise BrokerError(text, code=versions.error)
    connection.ranges = versions.ranges


async def _ask(connection: Connection, version: int, deadline: Deadline) -> api_versions.BrokerVersions:
    message = api_versions.to_request(software_version(VERSION))
    answer = await connection.request(API_VERSIONS, version, message, deadline)
    assert isinstance(answer, ApiVersionsResponse)
    return api_versions.from_response(answer)
