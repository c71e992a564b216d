"""The differential run itself: a short one beside Kafka, and that it would find a difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from tests.conftest import or_skip
from tests.support.embedded_kafka import start_embedded_kafka
from tests.support.kafka_server import BROKER_SETTINGS, KafkaServer
from tests.support.real_kafka import REAL_VERSIONS
from tests.support.servers import EMBEDDED, Servers
from tests.verification.differential.comparing import comparable
from tests.verification.differential.differences import DIFFERENCES
from tests.verification.differential.drawing.episode import draw_episode
from tests.verification.differential.episode import Episode, Finding, Played
from tests.verification.differential.run import Found, fewest, run, shrunk
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import Group, Topic
from tests.verification.differential.told import Told

SEED = 30

#: From outside any group, with metadata of five bytes.
COMMIT = Step(
    apis.OFFSET_COMMIT,
    9,
    {
        "group_id": Group("plain"),
        "topics": [
            {
                "name": Topic("t1"),
                "partitions": [{"partition_index": 0, "committed_offset": 1, "committed_metadata": "words"}],
            }
        ],
    },
)
PAGE = Path(__file__).parents[3] / "docs" / "proof" / "side-by-side.md"


@pytest.mark.kafka
def test_kafka_answers_alike_but_for_what_is_listed(embedded_kafka: KafkaServer, servers: Servers) -> None:
    kafka = or_skip(lambda: servers.get(REAL_VERSIONS[0]))
    report = run(embedded_kafka.bootstrap_servers, kafka.bootstrap_servers, seed=SEED, requests=240)
    assert not report.found, "\n".join(report.lines())


def test_two_embedded_brokers_do_not_differ(embedded_kafka: KafkaServer) -> None:
    other = start_embedded_kafka(EMBEDDED["embedded"])
    try:
        report = run(embedded_kafka.bootstrap_servers, other.bootstrap_servers, seed=SEED, requests=80)
    finally:
        other.stop()
    assert not report.found, "\n".join(report.lines())
    assert not report.known


def test_a_difference_without_an_entry_is_told_with_its_seed_and_the_fewest_requests(
    embedded_kafka: KafkaServer,
) -> None:
    steps = [*draw_episode(f"{SEED}/0", 7), COMMIT]
    with Cluster(config={**BROKER_SETTINGS, "offset.metadata.max.bytes": 3}) as other:
        servers = embedded_kafka.bootstrap_servers, other.bootstrap_servers
        finding = next(found for found in Episode.on(*servers).play(steps).findings if found.step is COMMIT)
        found = Found(SEED, 0, *fewest(*servers, steps, finding, most_tries=40))
    assert [step.api.name for step in found.steps] == ["IncrementalAlterConfigs", "CreateTopics", "OffsetCommit"]
    assert found.lines()[0] == f"seed {SEED}, episode 0: 3 requests show a difference without an entry"
    assert found.lines()[-1].endswith("topics.t1.partitions.0.error_code: embedded 0, Kafka 12")


def test_what_made_a_waiting_answer_come_is_left_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A join is answered when another member leaves, so neither shows anything without the other."""
    steps = draw_episode(f"{SEED}/0", 20)[2:]
    join, leave = steps[3], steps[9]
    finding = Finding(join, (), leave)

    def play(fewer: Sequence[Step]) -> Played:
        return Played(findings=[finding] if join in fewer and leave in fewer else [])

    monkeypatch.setattr(Episode, "on", lambda *servers: SimpleNamespace(play=play))
    assert fewest("", "", steps, finding, most_tries=60)[1] == [join, leave]


def test_the_requests_of_a_seed_are_always_the_same() -> None:
    assert draw_episode("1/0", 80) == draw_episode("1/0", 80)
    assert draw_episode("1/0", 80) != draw_episode("2/0", 80)


def test_shrinking_leaves_what_is_needed_together() -> None:
    assert shrunk(range(40), lambda steps: {3, 17, 31} <= set(steps), most_tries=200) == [3, 17, 31]


def test_every_known_difference_is_explained() -> None:
    named = [line.split("`")[1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert sorted(named) == sorted(known.name for known in DIFFERENCES)


def test_partitions_of_a_classic_member_are_compared_in_any_order() -> None:
    topics = [b"\0\2t1\0\0\0\1\0\0\0\0", b"\0\2t3\0\0\0\2\0\0\0\0\0\0\0\1"]
    first, second, fewer = (
        {"member_assignment": b"\0\3\0\0\0\2" + b"".join(order) + b"\xff" * 4}
        for order in (topics, topics[::-1], [topics[0], topics[0]])
    )
    told = Told("")
    assert comparable(first, told) == comparable(second, told) != comparable(fewer, told)
    assert comparable({"member_assignment": b"\0"}, told) == {"member_assignment": b"\0"}
