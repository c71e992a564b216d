"""ApiVersions: the APIs, versions and features of the broker (KIP-35, KIP-511, KIP-584).

The feature ``group.version`` at 1 says that the consumer group protocol is on (KIP-848, "Enabling the protocol"), and
``transaction.version`` at 2 that producers bump their epoch with each transaction (KIP-890, part 2). Features at
level 0 are left out. The APIs of a protocol that is off are listed nevertheless, and answer UNSUPPORTED_VERSION. An
ApiVersions request in an unknown version gets that error as well, with everything else, in version 0.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.bridge.api_versions import BrokerVersions, to_response
from kafka_nextgen.broker.releases import RELEASES
from kafka_nextgen.broker.settings import BrokerSettings
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import VersionRange
from kafka_nextgen.wire.messages import ApiVersionsResponse

__all__ = ["answer"]

_TRANSACTION_VERSION = 2


def answer(settings: BrokerSettings, ranges: Mapping[int, VersionRange], version: int | None) -> ApiVersionsResponse:
    """Return the ``ranges``, by API key, and the features; ``version`` is the request's, None if it is unknown."""
    error = ErrorCode.UNSUPPORTED_VERSION if version is None else ErrorCode.NONE
    release = RELEASES[settings.profile]
    levels = {
        "group.version": settings.group_version,
        "metadata.version": release.metadata_version,
        "transaction.version": _TRANSACTION_VERSION,
    }
    in_force = {name: level for name, level in levels.items() if level > 0}
    return to_response(BrokerVersions(ranges, in_force, release.features, error), version or 0)
