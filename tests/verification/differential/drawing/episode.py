"""An episode: its topics and groups are made, and then come as many requests as were asked for."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from kafka_nextgen.wire import apis
from tests.testing.broker.configs import GROUP, SET
from tests.verification.differential.drawing import classic_members, consumer_members, groups, records, topics
from tests.verification.differential.drawing.session import FIRST_TOPICS, GROUPS, Session
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import Group, Topic

Draw = Callable[[Session], list[Step]]

#: How often each kind is drawn.
_WEIGHTS: dict[Draw, int] = {
    consumer_members.consumer_heartbeat: 26,
    classic_members.classic_request: 16,
    classic_members.classic_round: 3,
    groups.commit: 8,
    groups.fetch_offsets: 8,
    groups.delete_offsets: 1,
    groups.delete_groups: 1,
    groups.describe_consumer_groups: 5,
    groups.describe_groups: 4,
    groups.list_groups: 3,
    groups.metadata: 2,
    records.produce: 12,
    records.fetch: 8,
    records.list_offsets: 7,
    records.delete_records: 1,
    records.offset_for_leader_epoch: 1,
    topics.create_topics: 3,
    topics.create_partitions: 1,
    topics.delete_topics: 1,
    topics.alter_configs: 4,
    topics.describe_configs: 4,
}


def draw_episode(seed: str, requests: int) -> list[Step]:
    """At least so many requests, always the same of a seed, after those that every episode begins with."""
    session = Session(Random(seed))
    steps = [_first_topics(), _first_configs()]
    while len(steps) < requests + 2:
        draw = session.random.choices(list(_WEIGHTS), weights=list(_WEIGHTS.values()))[0]
        steps += draw(session)
    return steps


def _first_topics() -> Step:
    made = [topics.new_topic(Topic(name), count) for name, count in FIRST_TOPICS.items()]
    made[-1]["configs"].append({"name": "cleanup.policy", "value": "compact"})
    fields = {"topics": made, "timeout_ms": 10_000, "validate_only": False}
    return Step(apis.CREATE_TOPICS, apis.CREATE_TOPICS.max_version, fields)


def _first_configs() -> Step:
    """Sessions that outlast the episode, and assignments at once instead of in intervals (KIP-1263)."""
    given = {"consumer.session.timeout.ms": "60000", "consumer.assignment.interval.ms": "0"}
    configs = [{"name": key, "config_operation": SET, "value": value} for key, value in given.items()]
    resources = [{"resource_type": GROUP, "resource_name": Group(name), "configs": configs} for name in sorted(GROUPS)]
    fields = {"resources": resources, "validate_only": False}
    return Step(apis.INCREMENTAL_ALTER_CONFIGS, 1, fields, is_needed=True)
