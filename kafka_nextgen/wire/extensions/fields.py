"""The fields that extensions add to messages and records.

* The assignors that a member can run, with metadata that only assignors interpret. Missing metadata is null, which
  differs from empty metadata.
* The reasons for joins and rebalances, and the states of standbys, by number. A number from a later release is read as
  unknown.
"""

from __future__ import annotations

from typing import Any

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.types import JoinReason, RebalanceReason, StandbyState
from kafka_nextgen.wire.field_map import Conversion, FieldMap
from kafka_nextgen.wire.schemas import consumer_group as m

__all__ = ["ASSIGNOR", "METADATA", "join_reason", "rebalance_reason", "standby_state"]

_JOIN = {reason.value: reason for reason in JoinReason}
_REBALANCE = {reason.value: reason for reason in RebalanceReason}
_STANDBY = {state.value: state for state in StandbyState}


def _metadata_fields(metadata: Metadata | None) -> dict[str, Any]:
    version, payload = (0, None) if metadata is None else (metadata.version, metadata.payload)
    return {"metadata_version": version, "metadata_bytes": payload}


def _metadata_in(structure: Any) -> Metadata | None:
    payload = structure.metadata_bytes
    return None if payload is None else Metadata(structure.metadata_version, bytes(payload))


#: Metadata that may be missing.
METADATA = Conversion(_metadata_fields, _metadata_in)
#: An assignor that a member can run. A member lists its assignors in order of preference.
ASSIGNOR = FieldMap(ClientAssignor, m.ClientAssignor, metadata=METADATA)


def join_reason(number: int) -> JoinReason:
    """The join reason with this number."""
    return _JOIN.get(number, JoinReason.UNKNOWN)


def rebalance_reason(number: int) -> RebalanceReason:
    """The recorded rebalance reason with this number."""
    return _REBALANCE.get(number, RebalanceReason.UNKNOWN)


def standby_state(number: int) -> StandbyState:
    """The state of a standby with this number."""
    return _STANDBY.get(number, StandbyState.UNKNOWN)
