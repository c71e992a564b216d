"""The coordinator's settings, by Kafka's names in snake_case, and the Kafka releases that it can emulate.

Kafka's coordinator changed its behaviour between releases without a new protocol version. A *profile* selects the
release to follow; ``BEHAVIOUR`` lists all differences, one column per release.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from attrs import field

from kafka_nextgen.assignors import PartitionAssignor, RangeAssignor, UniformAssignor
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["BEHAVIOUR", "Behaviour", "CoordinatorSettings", "MigrationPolicy", "Profile"]


class Profile(Enum):
    """The release of Apache Kafka whose coordinator behaviour to follow."""

    V4_0 = "4.0"
    V4_1 = "4.1"
    V4_2 = "4.2"
    V4_3 = "4.3"
    V4_4 = "4.4"

    def has(self, since: Profile) -> bool:
        """Whether this release has the features added in the release ``since``."""
        return _ORDER.index(self) >= _ORDER.index(since)


_ORDER = tuple(Profile)  # as text "4.10" would come before "4.2"


class MigrationPolicy(Enum):
    """Which protocol conversions a group with members may make; an empty group may always convert (KIP-848,
    "Compatibility, Deprecation, and Migration Plan").
    """

    BIDIRECTIONAL = "bidirectional"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    DISABLED = "disabled"

    @property
    def upgrades(self) -> bool:
        """Whether a classic group may become a consumer group."""
        return self in (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.UPGRADE)

    @property
    def downgrades(self) -> bool:
        """Whether a consumer group may become a classic group."""
        return self in (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.DOWNGRADE)


@frozen(kw_only=True)
class Behaviour:
    """How one release differs from another."""

    first_epoch: int  # group epoch and assignment epoch of a new group
    known_member_may_join_again: bool  # whether epoch 0 is accepted before a member has left (FENCED_MEMBER_EPOCH)
    second_revocation_keeps_epoch: bool  # a member that has to revoke more just after it acknowledged keeps its epoch
    takes_back_at_once: bool  # a member gets back a partition that it just released if its target has it again
    trims_unsubscribed: bool  # a member whose own subscription shrinks gives up those partitions immediately
    refreshes_patterns: bool  # patterns are matched again periodically
    batches_assignments: bool  # group.consumer.assignment.interval.ms (KIP-1263)
    accepts_older_commits: bool  # commits from an epoch at which the member already had the partition (KIP-1251)
    shows_pending_revocation: bool  # ConsumerGroupDescribe shows it as part of the assignment
    classic_members_await_target: bool  # classic members have to join when there is a target, not at the new epoch
    classic_join_ends_pattern: bool  # a JoinGroup removes the pattern that its member had in the consumer protocol
    upgrade_knows_topics: bool  # an upgrade alone does not count as a change of topics, so the epoch stays
    stale_downgrade_rebalances: bool  # when a static member's return changes what there is to assign
    transactions_keep_topic_ids: bool  # offsets of transactions are stored with the id of their topic
    assignor_change_rebalances: bool  # a change of the assignor that most members request (KAFKA-20434)
    emptied_group_is_assigned: bool  # its assignment epoch follows when the last member leaves (KAFKA-20442)
    instance_returns_to_full_group: bool  # otherwise its new member gets GROUP_MAX_SIZE_REACHED (KAFKA-20601)
    disabled_migration_refuses_joins: bool  # a JoinGroup to a consumer group (KAFKA-20640, in 4.3.1 already)
    tells_bounds_of_group_configs: bool  # errors show the bounds; otherwise the names of the settings that define them
    garbled_subscription_is_inconsistent: bool  # in a JoinGroup to a consumer group; otherwise UNKNOWN_SERVER_ERROR


def _behaviour(column: int) -> Behaviour:
    return Behaviour(
        first_epoch=(0, 0, 0, 1, 1)[column],
        known_member_may_join_again=(False, False, True, True, True)[column],
        second_revocation_keeps_epoch=(False, False, True, True, True)[column],
        takes_back_at_once=(False, False, True, True, True)[column],
        trims_unsubscribed=(False, False, True, True, True)[column],
        refreshes_patterns=(False, True, True, True, True)[column],
        batches_assignments=(False, False, False, True, True)[column],
        accepts_older_commits=(False, False, False, True, True)[column],
        shows_pending_revocation=(False, False, False, True, True)[column],
        classic_members_await_target=(False, False, False, True, True)[column],
        classic_join_ends_pattern=(False, False, True, True, True)[column],
        upgrade_knows_topics=(False, True, True, True, True)[column],
        stale_downgrade_rebalances=(False, False, False, True, True)[column],
        transactions_keep_topic_ids=(False, False, False, False, True)[column],
        assignor_change_rebalances=(False, False, False, False, True)[column],
        emptied_group_is_assigned=(False, False, False, False, True)[column],
        instance_returns_to_full_group=(False, False, False, False, True)[column],
        disabled_migration_refuses_joins=(False, False, False, False, True)[column],
        tells_bounds_of_group_configs=(False, False, False, False, True)[column],
        garbled_subscription_is_inconsistent=(False, False, False, False, True)[column],
    )


#: Read across: 4.0, 4.1, 4.2, 4.3, 4.4.
BEHAVIOUR = {profile: _behaviour(column) for column, profile in enumerate(Profile)}


@frozen(kw_only=True)
class CoordinatorSettings:
    """How the coordinator behaves. Times are in milliseconds, as in Kafka's configuration.

    Raises:
        ConfigError: a value is out of its range, or contradicts another.
    """

    group_consumer_session_timeout_ms: int = 45_000
    group_consumer_min_session_timeout_ms: int = 45_000  # bounds of groups' configuration, see group_configs
    group_consumer_max_session_timeout_ms: int = 60_000
    group_consumer_heartbeat_interval_ms: int = 5_000
    group_consumer_min_heartbeat_interval_ms: int = 5_000
    group_consumer_max_heartbeat_interval_ms: int = 15_000
    group_consumer_max_size: int = 2_147_483_647
    group_consumer_assignors: tuple[PartitionAssignor, ...] = field(
        factory=lambda: (UniformAssignor(), RangeAssignor())
    )  # the first is the default
    group_consumer_assignment_interval_ms: int = 1_000
    group_consumer_min_assignment_interval_ms: int = 0
    group_consumer_max_assignment_interval_ms: int = 15_000
    group_consumer_regex_refresh_interval_ms: int = 600_000
    group_consumer_migration_policy: MigrationPolicy = MigrationPolicy.BIDIRECTIONAL
    group_min_session_timeout_ms: int = 6_000  # of classic groups, like all that follow
    group_max_session_timeout_ms: int = 1_800_000
    group_initial_rebalance_delay_ms: int = 3_000
    group_max_size: int = 2_147_483_647
    offset_metadata_max_bytes: int = 4_096
    offsets_retention_minutes: int = 10_080
    offsets_retention_check_interval_ms: int = 600_000
    profile: Profile = Profile.V4_4
    extensions: bool = False  # features beyond Kafka's, see ``extensions``
    group_rebalance_history_size: int = 50  # rebalances kept per group (an extension); 0 for none
    group_target_size: int = 0  # how many members of a group are active (an extension); 0 for all

    def __attrs_post_init__(self) -> None:
        for name, lowest in _LOWEST.items():
            if getattr(self, name) < lowest:
                raise _wrong(name, f"must be at least {lowest}")
        for is_wrong, name, rule in self._rules():
            if is_wrong:
                raise _wrong(name, rule)

    def _rules(self) -> tuple[tuple[bool, str, str], ...]:
        interval, low = self.group_consumer_heartbeat_interval_ms, self.group_min_session_timeout_ms
        names = [assignor.name for assignor in self.group_consumer_assignors]
        return (
            (
                self.group_consumer_session_timeout_ms <= interval,
                "group_consumer_session_timeout_ms",
                f"must be longer than the heartbeat interval of {interval} ms",
            ),
            (not names, "group_consumer_assignors", "at least one assignor is needed"),
            (len(set(names)) < len(names), "group_consumer_assignors", f"a name occurs twice in {', '.join(names)}"),
            (
                self.group_consumer_assignment_interval_ms > 15_000,
                "group_consumer_assignment_interval_ms",
                "must be at most 15000",
            ),
            (
                self.group_max_session_timeout_ms < low,
                "group_max_session_timeout_ms",
                f"must not be below group.min.session.timeout.ms={low}",
            ),
        )

    @property
    def behaviour(self) -> Behaviour:
        """The profile's behaviour."""
        return BEHAVIOUR[self.profile]

    @property
    def session_timeout_s(self) -> float:
        """How long a member may stay silent."""
        return self.group_consumer_session_timeout_ms / 1000

    @property
    def offsets_retention_ms(self) -> int:
        """How long offsets of inactive groups are kept."""
        return self.offsets_retention_minutes * 60_000

    @property
    def assignment_interval_ms(self) -> int:
        """How long a target assignment is kept before the next may be made (KIP-1263); 0 before Kafka 4.3."""
        return self.group_consumer_assignment_interval_ms if self.behaviour.batches_assignments else 0


#: The lowest valid value of a setting.
_LOWEST: Mapping[str, int] = {
    "group_consumer_heartbeat_interval_ms": 1,
    "group_consumer_max_size": 1,
    "group_consumer_assignment_interval_ms": 0,
    "group_consumer_regex_refresh_interval_ms": 10_000,
    "offset_metadata_max_bytes": 0,
    "offsets_retention_minutes": 1,
    "offsets_retention_check_interval_ms": 1,
    "group_min_session_timeout_ms": 1,
    "group_initial_rebalance_delay_ms": 0,
    "group_max_size": 1,
    "group_target_size": 0,
    "group_rebalance_history_size": 0,
}


def _wrong(name: str, rule: str) -> ConfigError:
    key = name.replace("_", ".")
    return ConfigError(f"{key}: {rule}", key=key)
