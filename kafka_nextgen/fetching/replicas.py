"""Chooses the replica to read: the partition's leader, or one that the leader prefers for our rack (KIP-392).

- The first fetch goes to the leader. If the leader prefers another replica, it names that one and returns no records.
- The named replica is read from then on, for ``metadata.max.age.ms``. Then the leader is queried again, because another
  replica may be closer by then.
- It is read only while it is online and the same leader still leads. If it is offline, the metadata may be stale and is
  refreshed before the leader is queried again.
- If it fails (an error code, corrupt records, no connection), the leader is queried before the failure counts. A
  follower may lag behind its leader: an offset missing from its log may be in the leader's, so it does not justify a
  reset of the position.
- If a leader names another replica for the third time with nothing read in between, requests to it omit the rack for as
  long as a preference lasts. Consumers without a rack are served by the leader itself.

All rules except the last match Kafka's own consumer (4.3, SubscriptionState and AbstractFetch). Kafka's consumer would
alternate between leader and replica forever if the preferred replica could not be read. Offsets are always looked up at
the leader.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicPartition

__all__ = ["LEADER", "ReadReplica"]

#: How many redirects are followed with nothing read in between: more than one, since the leader's view may be stale.
MAX_REDIRECTS = 2

_NONE = -1


@frozen
class ReadReplica:
    """The replica that a partition's leader prefers, if any; times are on the driver's clock, in seconds.

    ``redirects`` counts the redirects since records were last read. Requests are sent without the rack until
    ``withholds_rack_until``.
    """

    preferred: int = _NONE
    leader_epoch: int = -1
    expires_at: float = 0.0
    redirects: int = 0
    withholds_rack_until: float = 0.0

    @property
    def is_looping(self) -> bool:
        """Whether the leader has redirected us too often without any records being read."""
        return self.redirects > MAX_REDIRECTS

    def node_id(self, leader: int) -> int:
        """The node to read from."""
        return leader if self.preferred == _NONE else self.preferred

    def is_lost(self, partition: TopicPartition, image: ClusterImage) -> bool:
        """Whether another replica is preferred but offline, according to metadata."""
        return self.preferred != _NONE and not image.is_online(partition, self.preferred)

    def is_over(self, leader_epoch: int, now: float) -> bool:
        """Whether the leader, whose epoch is ``leader_epoch`` now, has to be queried again."""
        return self.preferred != _NONE and (leader_epoch != self.leader_epoch or self.expires_at <= now)

    def named(self, node_id: int, leader_epoch: int, lease_s: float, now: float) -> ReadReplica:
        """Note that the leader prefers this node for ``lease_s`` seconds."""
        if self.redirects == MAX_REDIRECTS:
            return ReadReplica(redirects=self.redirects + 1, withholds_rack_until=now + lease_s)
        return ReadReplica(node_id, leader_epoch, now + lease_s, self.redirects + 1, self.withholds_rack_until)

    def read_from(self, node_id: int) -> ReadReplica:
        """Record that this node was read from, even if there was nothing new."""
        return evolve(self, redirects=0) if node_id == self.preferred else evolve(self.dropped(), redirects=0)

    def dropped(self) -> ReadReplica:
        """Return to the leader."""
        return evolve(self, preferred=_NONE)


#: The initial value of every partition.
LEADER = ReadReplica()
