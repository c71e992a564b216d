"""ApiVersions: which APIs, versions and features there are (KIP-35, KIP-511, KIP-584).

The feature ``group.version`` at 1 says that the consumer group protocol is on (KIP-848, "Enabling the protocol").
The answer to a version that is not spoken is UNSUPPORTED_VERSION, with all there is, in version 0.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.bridge.api_versions import BrokerVersions, to_response
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import VersionRange
from kafka_nextgen.wire.messages import ApiVersionsResponse

__all__ = ["answer"]

_FEATURES = {"group.version": 1}


def answer(ranges: Mapping[int, VersionRange], *, is_spoken: bool) -> ApiVersionsResponse:
    """Tell the ``ranges``, by API key; ``is_spoken`` is whether the request's own version was understood."""
    error = ErrorCode.NONE if is_spoken else ErrorCode.UNSUPPORTED_VERSION
    return to_response(BrokerVersions(ranges, _FEATURES, error))
