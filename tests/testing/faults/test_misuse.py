"""Faults that make no sense, or that the cluster can't have, are refused."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing import Api, Cluster
from tests.testing.faults.committing import Committer


@pytest.mark.parametrize(
    ("api", "how", "complaint"),
    [
        (None, {}, "exactly one kind: one of error, delay_s"),
        (Api.FETCH, {"delay_s": 1, "silent": True}, "exactly one kind: not both delay_s and silent"),
        (Api.FETCH, {"silent": False}, "exactly one kind"),
        (Api.FETCH, {"delay_s": 1, "tines": 2}, "a fault has no argument tines: did you mean times?"),
        ("Fetch", {"delay_s": 1}, "a member of Api, such as Api.FETCH, not 'Fetch'"),
        (None, {"error": "NOT_COORDINATOR"}, "an error needs an API"),
        (Api.FETCH, {"error": "NONE"}, "NONE is not an error"),
        (Api.FETCH, {"error": "NOT_COORDINATR"}, "no error code NOT_COORDINATR: did you mean NOT_COORDINATOR?"),
        (Api.FETCH, {"delay_s": 0}, "delay_s must be above 0, not 0"),
        (Api.FETCH, {"throttle_s": float("inf")}, "throttle_s must be above 0, not inf"),
        (Api.SASL_HANDSHAKE, {"throttle_s": 1}, "SaslHandshake answers can't throttle a client"),
        (Api.FETCH, {"drop": "during"}, "drop must be 'before' or 'after'"),
        (Api.FETCH, {"delay_s": 1, "times": 0}, "times must be at least 1, not 0"),
        (Api.FETCH, {"delay_s": 1, "after": -1}, "after must be at least 0, not -1"),
        (Api.FETCH, {"delay_s": 1, "partition": 0}, "partition=0 needs a topic"),
        (Api.FETCH, {"delay_s": 1, "group_id": "billing"}, "Fetch requests name no groups"),
        (Api.HEARTBEAT, {"delay_s": 1, "topic": "orders"}, "Heartbeat requests name no topics"),
        (Api.METADATA, {"delay_s": 1, "topic": "orders", "partition": 0}, "Metadata requests name no partitions"),
        (Api.FETCH, {"lose_tail": 0, "topic": "orders", "partition": 0}, "lose_tail must be at least 1, not 0"),
        (Api.FETCH, {"move_leader": True}, "leader that moves needs a topic"),
        (Api.FETCH, {"lose_tail": 1, "topic": "orders"}, "lost tail of 1 records needs a partition"),
        (Api.PRODUCE, {"corrupt_offset": 0, "topic": "orders", "partition": 0}, "needs Api.FETCH, not Api.PRODUCE"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    cluster: Cluster, api: Any, how: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(MisuseError, match=complaint.replace("?", r"\?")):
        cluster.fault(api, **how)


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ({"silent": True, "node": 2}, "there is no node 2, only 1"),
        ({"recreate_topic": True, "topic": "nothing"}, "there is no topic nothing"),
        ({"lose_tail": 1, "topic": "orders", "partition": 5}, r"there is no partition orders\[5\]"),
        ({"lose_tail": 1, "topic": "__consumer_offsets", "partition": 5}, "is internal to the broker"),
        ({"move_leader": True, "topic": "orders", "partition": 0}, r"orders\[0\] has no other replica in sync"),
        ({"expire_login": True}, "no listener of the cluster uses SASL"),
    ],
)
def test_what_the_cluster_lacks_is_refused_when_the_fault_starts(
    cluster: Cluster, group: Committer, how: dict[str, Any], complaint: str
) -> None:
    group.committed()  # creates the internal topic
    with pytest.raises(MisuseError, match=complaint):
        cluster.fault(**how).start()
