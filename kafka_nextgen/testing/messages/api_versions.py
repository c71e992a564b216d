"""ApiVersions, versions 0 to 5, on the broker: the API versions it supports (KIP-35), and its features (KIP-584)."""

from __future__ import annotations

from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.wire.messages import ApiVersionsResponse

__all__ = ["to_response"]

_WITH_LEVEL_0 = 4

_Range = ApiVersionsResponse.ApiVersion
_Finalized = ApiVersionsResponse.FinalizedFeatureKey
_Supported = ApiVersionsResponse.SupportedFeatureKey


def to_response(versions: BrokerVersions, version: int = _WITH_LEVEL_0, features_epoch: int = 0) -> ApiVersionsResponse:
    """Write the supported versions, the features, and their epoch, which rises with each change.

    Before version 4, clients can't decode features that are supported from level 0, so such features are only listed
    as finalized, not as supported (KIP-1022).
    """
    supported = {
        name: levels for name, levels in versions.supported.items() if levels[0] > 0 or version >= _WITH_LEVEL_0
    }
    return ApiVersionsResponse(
        error_code=versions.error,
        api_keys=[
            _Range(api_key=key, min_version=lowest, max_version=highest)
            for key, (lowest, highest) in sorted(versions.ranges.items())
        ],
        throttle_time_ms=versions.throttle_time_ms,
        supported_features=[
            _Supported(name=name, min_version=lowest, max_version=highest)
            for name, (lowest, highest) in supported.items()
        ],
        finalized_features_epoch=features_epoch,
        finalized_features=[
            _Finalized(name=name, max_version_level=level, min_version_level=level)
            for name, level in versions.features.items()
        ],
    )
