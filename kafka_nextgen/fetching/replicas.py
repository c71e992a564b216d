"""Which replica of a partition is read: its leader, or another that the leader prefers for our rack (KIP-392).

- The leader is asked first. If it prefers another replica it names that one, and brings no records.
- The one it named is read from then on, until ``metadata.max.age.ms`` is over: by then another may be nearer, and the
  leader is asked again.
- It is read only while it is online, and while the leader that named it still leads. If it is not online the metadata
  may be old, and is refreshed before the leader is asked again.
- If anything goes wrong with it (an error code, broken records, no connection), the leader is asked before that
  counts. A follower may lag behind its leader: an offset that is not in its log may be in the leader's, and is no
  reason to reset the position.
- A leader that names another replica a third time, with nothing read in between, is not told the rack for as long as a
  preference lasts: a leader serves consumers without a rack itself.

All but the last is what Kafka's own consumer does (4.3, SubscriptionState and AbstractFetch). That one switches between
leader and replica for ever if the preferred replica can't be read. Offsets are always looked up at the leader.
"""

from __future__ import annotations

from attrs import evolve, frozen

from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicPartition

__all__ = ["LEADER", "ReadReplica"]

#: How often a leader may send us on with nothing read in between. Not only once: what it knows may be old, too.
MAX_REDIRECTS = 2

_NONE = -1


@frozen
class ReadReplica:
    """What a partition's leader prefers, if anything; times are on the driver's clock, in seconds.

    ``redirects`` counts how often it sent us on since something was read. Until ``withholds_rack_until`` the node that
    is asked is not told the rack.
    """

    preferred: int = _NONE
    leader_epoch: int = -1
    expires_at: float = 0.0
    redirects: int = 0
    withholds_rack_until: float = 0.0

    @property
    def leads_nowhere(self) -> bool:
        """Whether following the leader's preference leads nowhere."""
        return self.redirects > MAX_REDIRECTS

    def node_id(self, leader: int) -> int:
        """The node to read from."""
        return leader if self.preferred == _NONE else self.preferred

    def is_lost(self, partition: TopicPartition, image: ClusterImage) -> bool:
        """Whether another replica is preferred, but not online as far as is known."""
        return self.preferred != _NONE and not image.is_online(partition, self.preferred)

    def is_over(self, leader_epoch: int, now: float) -> bool:
        """Whether the leader has to be asked again, at ``leader_epoch`` by now."""
        return self.preferred != _NONE and (leader_epoch != self.leader_epoch or self.expires_at <= now)

    def named(self, node_id: int, leader_epoch: int, lease_s: float, now: float) -> ReadReplica:
        """The leader prefers this node, for ``lease_s`` seconds."""
        if self.redirects == MAX_REDIRECTS:
            return ReadReplica(redirects=self.redirects + 1, withholds_rack_until=now + lease_s)
        return ReadReplica(node_id, leader_epoch, now + lease_s, self.redirects + 1, self.withholds_rack_until)

    def read_from(self, node_id: int) -> ReadReplica:
        """This node was read from, even if there was nothing new."""
        if self is LEADER:  # as it is for most partitions, of which there may be thousands
            return self
        return evolve(self, redirects=0) if node_id == self.preferred else evolve(self.dropped(), redirects=0)

    def dropped(self) -> ReadReplica:
        """Back to the leader."""
        return evolve(self, preferred=_NONE)


#: What every partition begins with.
LEADER = ReadReplica()
