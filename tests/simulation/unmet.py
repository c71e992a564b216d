"""What no run has to meet, and why: the closed list. All else in ``coverage.NAMES`` has to come in many seeds.

Each of these is walked by a scenario none the less (``tests/scenarios/test_arrows.py``), which is named here.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

__all__ = ["UNMET", "Unmet"]


@frozen
class Unmet:
    """Why it need not come, and the scenario in which it comes."""

    why: str
    scenario: str


UNMET: Mapping[str, Unmet] = {
    "member JOINING --HeartbeatAnswered--> JOINING": Unmet(
        "only coordinators before Kafka 4.3 answer a join with epoch 0, and those here are of 4.3",
        "member/join_disturbed.txt",
    ),
    "classic member PREPARING --JoinAnswered--> FATAL": Unmet(
        "our coordinator does not let members of another protocol type, or with another assignor, into the group",
        "classic/join_fatal.txt",
    ),
    "classic member COMPLETING --SyncAnswered--> FATAL": Unmet(
        "our coordinator answers with the protocol type and the assignor that the member joined with",
        "classic/sync_refused.txt",
    ),
    "classic member COMPLETING --CommitRefused--> FATAL": Unmet(
        "only classic groups refuse a commit with FENCED_INSTANCE_ID, and only after a downgrade by a static member "
        "that came back do these tell a member the generation in which it commits: within milliseconds of that "
        "another would have to take its instance id",
        "classic/commit_refused_while_syncing.txt",
    ),
    "classic member COMPLETING --CommitRefused--> PREPARING": Unmet(
        "an application commits what it reads: that of a member without partitions commits nothing, and what it "
        "committed before it gave them up is answered before its JoinGroup",
        "classic/commit_refused_while_syncing.txt",
    ),
}
