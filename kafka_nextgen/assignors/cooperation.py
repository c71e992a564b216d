"""Rebalancing cooperatively, whoever assigns (KIP-429, "Consumer Protocol"): claims, and what is withheld.

1. *Claims.* Every member reports what it owns, and the generation it got that in. Of two that claim the same
   partition the one of the higher generation is right; in the same generation neither is.
2. *Withholding.* A partition that is to move is given to nobody as long as somebody else claims it rightfully. Its
   owner sees that it is to give it up, does so and joins again, and the next round gives it to its new owner. So
   nobody ever reads what another still reads.

This asks nothing of the assignor in between but that it comes to the same in the next round.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from attrs import frozen

from kafka_nextgen.types import TopicId, TopicIdPartition

__all__ = ["NO_GENERATION", "Claim", "Claims", "Share"]

#: The generation of a member that says none.
NO_GENERATION = -1

#: Partitions by topic.
Share = Mapping[TopicId, Set[int]]


@frozen
class Claim:
    """What a member says it owns, and since which generation."""

    owned: Share
    generation: int = NO_GENERATION


@frozen
class Claims:
    """Who claims each partition rightfully: those that do in the highest generation that anybody claims it in."""

    _claimants: Mapping[TopicIdPartition, frozenset[str]]

    @classmethod
    def among(cls, claims: Mapping[str, Claim]) -> Claims:
        """Compare what the members say, by member id."""
        highest: dict[TopicIdPartition, int] = {}
        claimants: dict[TopicIdPartition, set[str]] = {}
        for member_id, claim in claims.items():
            for partition in _each(claim.owned):
                if claim.generation > highest.get(partition, NO_GENERATION - 1):
                    highest[partition], claimants[partition] = claim.generation, set()
                if claim.generation == highest[partition]:
                    claimants[partition].add(member_id)
        return cls({partition: frozenset(members) for partition, members in claimants.items()})

    def kept(self, member_id: str, owned: Share) -> dict[TopicId, frozenset[int]]:
        """What a member owns and nobody else claims with the same right."""
        return {
            topic_id: frozenset(n for n in numbers if self._of(topic_id, n) == {member_id})
            for topic_id, numbers in owned.items()
        }

    def withhold(self, member_id: str, share: Share) -> dict[TopicId, frozenset[int]]:
        """What of its new share a member may have at once."""
        free = {
            topic_id: frozenset(n for n in numbers if self._of(topic_id, n) <= {member_id})
            for topic_id, numbers in share.items()
        }
        return {topic_id: numbers for topic_id, numbers in free.items() if numbers}

    def _of(self, topic_id: TopicId, number: int) -> frozenset[str]:
        return self._claimants.get(TopicIdPartition(topic_id, number), frozenset())


def _each(share: Share) -> list[TopicIdPartition]:
    return [TopicIdPartition(topic_id, number) for topic_id, numbers in share.items() for number in numbers]
