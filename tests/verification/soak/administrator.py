"""What an administrator does to the groups and topics of a soak; every function waits for the broker."""

from __future__ import annotations

import random
import time

from confluent_kafka.admin import NewPartitions

from kafka_nextgen import TopicPartition
from tests.support.clients import admin_client, create_named_topic, delete_topic
from tests.verification.soak.places import key_at, place_of, topic_of
from tests.verification.soak.schedule import SHAPES
from tests.verification.soak.stage import FLEETING, GROWING, MOST_PARTITIONS, Stage


class Administrator:
    def __init__(self, stage: Stage, chance: random.Random) -> None:
        self._stage, self._chance = stage, chance

    def remove(self) -> None:
        shape = self._chance.choice([name for name, each in SHAPES.items() if not each.is_steady])
        group = self._stage.group(shape)
        here = {member.name: member for member in self._stage.members(shape)}
        found = [each for each in self._stage.admin.members(group) if each.client_id in here]
        if found:
            described = self._chance.choice(found)
            member = here[described.client_id]
            self._stage.trouble(member)
            self._stage.note("event", "remove", member.name)
            by_name = described.instance_id is not None
            self._stage.admin.remove_members(
                group,
                instance_ids=[described.instance_id] if by_name else [],
                member_ids=[] if by_name else [described.member_id],
            )

    def delete_topic(self) -> None:
        topic = self._stage.topics[FLEETING]
        name = topic_of(self._stage.prefix, topic.number)
        self._stage.ledger.end(name)
        time.sleep(self._chance.uniform(0, 1))
        self._stage.note("event", "delete", name)
        topic.is_there = False
        self._stage.tell("deleted", "", partitions=tuple(topic.keys_now()))
        delete_topic(self._stage.bootstrap_servers, name)
        self._stage.tell("deleted", "", partitions=tuple(topic.keys_now()))
        time.sleep(self._chance.choice((0, 0, 0.5, 3)))
        topic.partitions = self._chance.randint(1, 3)
        create_named_topic(self._stage.bootstrap_servers, name, topic.partitions)
        topic.incarnation += 1
        topic.is_there = True
        self._stage.note("event", "create", f"{name} {topic.partitions} incarnation {topic.incarnation}")
        self._stage.begin_writing(topic)

    def add_partition(self) -> None:
        topic = self._stage.topics[GROWING]
        if topic.partitions < MOST_PARTITIONS:
            name = topic_of(self._stage.prefix, topic.number)
            admin = admin_client(self._stage.bootstrap_servers)
            admin.create_partitions([NewPartitions(name, topic.partitions + 1)])[name].result(timeout=30)
            topic.partitions += 1
            self._stage.note("event", "grow", f"{name} {topic.partitions}")
            self._stage.ledger.grow(name, topic.partitions)

    def fail_over(self) -> None:
        """Kill the node that coordinates a group, and bring it back some time later."""
        assert self._stage.broker.fail_over is not None
        group = self._stage.group(self._chance.choice(list(self._stage.shapes)))
        for shape in self._stage.shapes:  # the node may coordinate each of them
            self._stage.tell("failing over", self._stage.group(shape))
        node, bring_back = self._stage.broker.fail_over(group)
        self._stage.note("event", "fail-over", f"{node} {group}")
        try:
            time.sleep(self._chance.uniform(0.5, 4))
        finally:
            bring_back()

    def alter_offsets(self, shape: str) -> None:
        group, topics = self._stage.group(shape), self._stage.topics
        committed = {
            at: offset.committed.offset
            for at, offset in self._stage.admin.offsets(group).items()
            if offset.committed is not None and place_of(at) // 1000 != FLEETING
        }
        places: dict[TopicPartition, int] = {
            at: max(0, offset - self._chance.randint(0, 200)) for at, offset in committed.items()
        }
        keys = {at: key_at(place_of(at), topics[place_of(at) // 1000].incarnation) for at in places}
        forgotten = [at for at in places if self._chance.random() < 0.05]
        told = {keys[at]: 0 if at in forgotten else offset for at, offset in places.items()}
        self._stage.tell("altered", group, offsets=told)
        if forgotten:
            self._stage.admin.delete_offsets(group, forgotten)
        results = self._stage.admin.alter_offsets(
            group, {at: offset for at, offset in places.items() if at not in forgotten}
        )
        self._stage.note("event", "altered", f"{group} {results} forgotten {forgotten}")
