"""Groups of readers by hand that read nothing any more: their offsets have to outlive the retention of offsets.

Beside them there is a group without any reader, whose offsets are committed once: that they go shows the retention.
"""

from __future__ import annotations

import itertools
import time

from confluent_kafka import Producer

from kafka_nextgen import GroupNotFoundError, TopicPartition
from tests.support.clients import create_named_topic
from tests.verification.soak.idle_reader import PARTITIONS
from tests.verification.soak.places import place_of, topic_of, value_of
from tests.verification.soak.stage import Stage

RECORDS = 5  # in each partition
EXPIRY_S = 30.0  # within which the broker looks for what it has kept long enough
_READERS = {"idle": "auto", "idle-run": "run"}  # how they commit, by the name of the group
_ABANDONED = "abandoned"


class IdleGroups:
    """They are looked at by ``look`` from time to time.

    ``gone_after_s`` is how long the abandoned offsets were there, ``kept_s`` in the end for how long the others were.
    """

    def __init__(self, stage: Stage) -> None:
        self.gone_after_s: float | None = None
        self.kept_s = 0.0
        self._stage = stage
        self._prefix = stage.group("idle")
        self._idle_since: dict[str, float] = {}
        self._abandoned_at = 0.0

    def set_up(self) -> None:
        stage, topic = self._stage, topic_of(self._prefix, 0)
        create_named_topic(stage.bootstrap_servers, topic, PARTITIONS)
        self._write(topic)
        for name, commits in _READERS.items():
            mode = "run" if commits == "run" else "poll"
            stage.start(name, name, "idle", prefix=self._prefix, mode=mode, commits=commits, is_steady=True)
        done = stage.admin.alter_offsets(stage.group(_ABANDONED), {TopicPartition(topic, 0): 1}).done
        assert done, "nothing was committed for the abandoned group"
        self._abandoned_at = time.monotonic()

    def _write(self, topic: str) -> None:
        producer = Producer({"bootstrap.servers": self._stage.bootstrap_servers, "enable.idempotence": True})
        for key, offset in itertools.product(range(PARTITIONS), range(RECORDS)):
            producer.produce(topic, value_of(key, offset), partition=key)
        assert producer.flush(30) == 0, f"{topic} was not written"

    def look(self) -> None:
        """Tell the judge what is stored, and from when on it has to stay."""
        for name in _READERS:
            group = self._stage.group(name)
            self._stage.tell("asking", group)
            stored = self._stored(name)
            if name not in self._idle_since and stored == dict.fromkeys(range(PARTITIONS), RECORDS):
                self._idle_since[name] = time.monotonic()
                self._stage.tell("idle", group, offsets=stored)
            self._stage.tell("stored", group, offsets=stored)
        if self.gone_after_s is None and self._stage.broker.retention_s is not None and not self._stored(_ABANDONED):
            self.gone_after_s = time.monotonic() - self._abandoned_at

    def judge_the_end(self) -> None:
        self.look()
        now = time.monotonic()
        self.kept_s = min(now - self._idle_since.get(name, now) for name in _READERS)
        for name in _READERS:
            if name not in self._idle_since:
                self._stage.judge.find(
                    f"{self._stage.group(name)} has not committed all {RECORDS} records of each partition"
                )
        retention_s, lasted_s = self._stage.broker.retention_s, now - self._abandoned_at
        if retention_s is not None and self.gone_after_s is None and lasted_s > retention_s + EXPIRY_S:
            self._stage.judge.find(
                f"offsets that no one keeps are there after {lasted_s:.0f} s: nothing shows retention"
            )

    def _stored(self, name: str) -> dict[int, int]:
        try:
            found = self._stage.admin.offsets(self._stage.group(name), timeout=30)
        except GroupNotFoundError:
            return {}
        return {place_of(at): each.committed.offset for at, each in found.items() if each.committed is not None}
