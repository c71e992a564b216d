"""The answer to ApiVersions: the APIs, versions and features of this broker (KIP-35, KIP-511, KIP-584).

| request | answer |
|---|---|
| a version that the release lacks | UNSUPPORTED_VERSION in version 0, with the range of ApiVersions alone |
| a cluster id without a node id, or the reverse; an invalid client software name or version | INVALID_REQUEST |
| the id of another cluster or node, from version 5 on (KIP-1242) | REBOOTSTRAP_REQUIRED: it must bootstrap again |
| any other | all APIs, versions and features |

The connection stays open in each case.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.testing.broker.apis import advertised, version_range
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.features import Features
from kafka_nextgen.testing.broker.releases import RELEASES
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.messages.api_versions import to_response
from kafka_nextgen.wire.apis import API_VERSIONS
from kafka_nextgen.wire.messages import ApiVersionsRequest, ApiVersionsResponse

__all__ = ["answer_versions", "only_api_versions"]

_NAMES_SOFTWARE = 3
_NAMES_NODE = 5
_NO_NODE = -1

_SOFTWARE = lazy_pattern(r"[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?")


def answer_versions(request: ApiVersionsRequest | None, context: Context) -> ApiVersionsResponse:
    """Answer ApiVersions; ``request`` is None if its version is not supported here."""
    settings = context.cluster.settings
    lowest, highest = version_range(API_VERSIONS, settings.profile)
    if request is None or not lowest <= context.version <= highest:
        return only_api_versions(context)
    if context.peer.sasl is not None and not context.peer.sasl.is_done:
        context.peer.sasl.versions_told()
    error = _refuse(request, context)
    if error is not ErrorCode.NONE:
        return ApiVersionsResponse(error_code=error)
    context.peer.software_name = request.client_software_name
    spoken = _spoken(settings, context.cluster.features, context.speaks_extensions)
    return to_response(spoken, context.version, context.cluster.features.epoch)


def only_api_versions(context: Context) -> ApiVersionsResponse:
    """The answer to a version that is not supported: UNSUPPORTED_VERSION, and only the versions of ApiVersions."""
    own = version_range(API_VERSIONS, context.cluster.settings.profile)
    return to_response(BrokerVersions({API_VERSIONS.key: own}, error=ErrorCode.UNSUPPORTED_VERSION), 0)


def _refuse(request: ApiVersionsRequest, context: Context) -> ErrorCode:
    software = (request.client_software_name, request.client_software_version)
    if context.version >= _NAMES_SOFTWARE and not all(map(_SOFTWARE.fullmatch, software)):
        return ErrorCode.INVALID_REQUEST
    if context.version < _NAMES_NODE or (request.cluster_id is None and request.node_id == _NO_NODE):
        return ErrorCode.NONE
    if request.cluster_id is None or request.node_id == _NO_NODE:
        return ErrorCode.INVALID_REQUEST
    is_this = (request.cluster_id, request.node_id) == (context.cluster.cluster_id, context.node.node_id)
    return ErrorCode.NONE if is_this else ErrorCode.REBOOTSTRAP_REQUIRED


def _spoken(settings: BrokerSettings, features: Features, with_extensions: bool) -> BrokerVersions:
    """The enabled APIs and features.

    Features at level 0 are left out. The APIs of a disabled protocol are listed too, and are answered with
    UNSUPPORTED_VERSION (KIP-848, "Enabling the protocol").
    """
    in_force = {name: level for name, level in features.levels.items() if level > 0}
    supported = RELEASES[settings.profile].features
    return BrokerVersions(advertised(settings.profile, with_extensions), in_force, supported)
