"""What extensions add to messages and records, wherever it is carried.

* The assignors that a member can run, and metadata, of which only assignors know what it means. Metadata that is
  missing is null; empty metadata is there.
* The reasons of joins and rebalances by their numbers. One of a later release is none that is known.
"""

from __future__ import annotations

from typing import Any

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.types import JoinReason, RebalanceReason
from kafka_nextgen.wire.field_map import Conversion, FieldMap
from kafka_nextgen.wire.schemas import consumer_group as m

__all__ = ["ASSIGNOR", "METADATA", "join_reason", "rebalance_reason"]

_JOIN = {reason.value: reason for reason in JoinReason}
_REBALANCE = {reason.value: reason for reason in RebalanceReason}


def _metadata_fields(metadata: Metadata | None) -> dict[str, Any]:
    version, payload = (0, None) if metadata is None else (metadata.version, metadata.payload)
    return {"metadata_version": version, "metadata_bytes": payload}


def _metadata_in(structure: Any) -> Metadata | None:
    payload = structure.metadata_bytes
    return None if payload is None else Metadata(structure.metadata_version, bytes(payload))


#: Metadata that may be missing.
METADATA = Conversion(_metadata_fields, _metadata_in)
#: An assignor that a member can run; those of a member come preferred first.
ASSIGNOR = FieldMap(ClientAssignor, m.ClientAssignor, metadata=METADATA)


def join_reason(number: int) -> JoinReason:
    """What a member states by this number."""
    return _JOIN.get(number, JoinReason.UNKNOWN)


def rebalance_reason(number: int) -> RebalanceReason:
    """What a rebalance is recorded to have begun with by this number."""
    return _REBALANCE.get(number, RebalanceReason.UNKNOWN)
