"""UpdateFeatures: switch features of the cluster while it runs (KIP-584).

Coordinators keep their groups when ``group.version`` becomes 0: the broker refuses requests of the consumer group
protocol before it looks at any group, so members continue where they were once it is 1 again, unless their sessions
ended meanwhile. Commits and ListGroups are not requests of that protocol, and work as before.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.features import FeatureUpdate
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.wire import messages as m

__all__ = ["update_features"]

_WITHOUT_RESULTS = 2
_ALL_FAILED = "The update failed for all features since the following feature had an error: "

_Result = m.UpdateFeaturesResponse.UpdatableFeatureResult


async def update_features(request: m.UpdateFeaturesRequest, context: Context) -> m.UpdateFeaturesResponse:
    """Change all features of the request, or none; ``validate_only`` changes nothing and returns the same errors.

    As in Kafka, version 0 can only upgrade: its field for downgrades is ignored.
    """
    if not context.may(Right.ALTER_CLUSTER):
        return m.UpdateFeaturesResponse(
            error_code=Right.ALTER_CLUSTER.error, error_message="Cluster authorization failed."
        )
    features = context.cluster.features
    updates = [
        FeatureUpdate(each.feature, each.max_version_level, each.upgrade_type) for each in request.feature_updates
    ]
    if refusal := features.refusal(updates, context.cluster.controller.node_id):
        code = ErrorCode.INVALID_UPDATE_VERSION
        return m.UpdateFeaturesResponse(error_code=code, error_message=_ALL_FAILED + refusal)
    if not request.validate_only:
        features.update(updates)
    told = updates if context.version < _WITHOUT_RESULTS else ()
    results = [_Result(feature=each.name, error_code=ErrorCode.NONE, error_message="NONE") for each in told]
    return m.UpdateFeaturesResponse(results=results)
