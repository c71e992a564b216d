"""ApiVersions, versions 0 to 5: which API versions (KIP-35) and features (KIP-584) a broker supports.

A broker that lacks our version of ApiVersions answers UNSUPPORTED_VERSION with the versions that it supports (KIP-511);
the request is then repeated with version 0 or one that the answer allows. From version 5 on, clients name the broker
that they intend to reach (KIP-1242).

From version 3 on, a client sends its software name. This client sends ``SOFTWARE_NAME``, from which a broker recognises
clients that understand extensions.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.apis import VersionRange
from kafka_nextgen.wire.messages import ApiVersionsRequest, ApiVersionsResponse

__all__ = ["SOFTWARE_NAME", "BrokerVersions", "MeantBroker", "from_response", "to_request"]

#: This library's client software name (KIP-511).
SOFTWARE_NAME = "kafka-nextgen"


@frozen
class BrokerVersions:
    """What a broker supports: the version range of each API key, and the finalized level of each feature.

    ``supported`` contains the levels that a feature can be set to.
    """

    ranges: Mapping[int, VersionRange] = field(factory=dict)
    features: Mapping[str, int] = field(factory=dict)
    supported: Mapping[str, VersionRange] = field(factory=dict)
    error: int = ErrorCode.NONE
    throttle_time_ms: int = 0


@frozen
class MeantBroker:
    """The cluster and the node that a client intends to reach (version 5, KIP-1242)."""

    cluster_id: str
    node_id: int


def to_request(software_version: str, meant: MeantBroker | None = None) -> ApiVersionsRequest:
    """Request a broker's versions, with our software name (version 3) and the expected broker (version 5)."""
    request = ApiVersionsRequest(client_software_name=SOFTWARE_NAME, client_software_version=software_version)
    return request if meant is None else request.replaced(cluster_id=meant.cluster_id, node_id=meant.node_id)


def from_response(message: ApiVersionsResponse) -> BrokerVersions:
    """Read a broker's versions; APIs with an empty range are left out."""
    return BrokerVersions(
        ranges={
            api.api_key: (api.min_version, api.max_version)
            for api in message.api_keys
            if 0 <= api.min_version <= api.max_version
        },
        features={feature.name: feature.max_version_level for feature in message.finalized_features or ()},
        supported={feature.name: (feature.min_version, feature.max_version) for feature in message.supported_features},
        error=message.error_code,
        throttle_time_ms=max(message.throttle_time_ms, 0),
    )
