"""The soak itself, for a few seconds: whatever happens by then, every record is accounted for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock, Mock

import pytest

from tests.support.kafka_server import KafkaServer
from tests.verification.soak.async_worker import Worker as AsyncWorker
from tests.verification.soak.brokers import SoakBroker, run_broker
from tests.verification.soak.evidence import evidence
from tests.verification.soak.fleet import Member, is_refused
from tests.verification.soak.history import what_the_history_has_wrong
from tests.verification.soak.replay import replay
from tests.verification.soak.soak import run_soak
from tests.verification.soak.standstill import Standstill
from tests.verification.soak.vitals import Vitals, drifts, read_vitals

MINUTES = 0.35
PAUSE_S = 0.8  # members need a moment to be there


def test_a_short_soak_accounts_for_every_record(
    kafka: KafkaServer, tmp_path: Path, figures: Callable[[str], None]
) -> None:
    broker = SoakBroker(kafka.bootstrap_servers)
    summary = run_soak(broker, tmp_path, minutes=MINUTES, seed=1, per_second=150, pause_s=PAUSE_S, say=figures)
    assert summary.findings == [], f"seed 1\n{evidence(summary.findings, tmp_path)}"
    assert summary.read > 2 * summary.written > 0  # by four groups, except what was deleted before
    assert summary.rebalances["veteran-storm-sync"] > 0
    figures(f"{summary.written} records, each read by four groups, {summary.repeated} of them again")
    again = replay(tmp_path / "events.log")
    assert (again.findings, again.delivered, again.repeated) == ([], summary.read, summary.repeated)


def test_a_short_soak_of_three_nodes_is_as_their_history_tells_it(
    tmp_path: Path, figures: Callable[[str], None]
) -> None:
    with run_broker("cluster", tmp_path) as broker:
        summary = run_soak(broker, tmp_path, minutes=MINUTES, seed=1, per_second=100, pause_s=PAUSE_S, say=figures)
    assert summary.findings == [], f"seed 1\n{evidence(summary.findings, tmp_path)}"
    assert summary.events["fail over"] > 0
    assert what_the_history_has_wrong(tmp_path / "events.log", broker.history, figures) == []


def test_a_finding_is_shown_with_what_its_member_told_and_logged(tmp_path: Path) -> None:
    told = (
        "1.000 event kill m",
        '2.000 told m {"what": "delivered"}',
        '3.000 told m {"what": "lost"}',
        "9.000 start m",
    )
    (tmp_path / "events.log").write_text("\n".join((*told, '3.000 told another {"what": "lost"}')))
    (tmp_path / "m.stderr").write_text("member m is out of the group\n")
    shown = evidence(["3.000: m lost ['topic 0[0]'] although nothing was done to it"], tmp_path).splitlines()[1:]
    assert shown == [told[0], told[2], "member m is out of the group"]


def vitals(memory: int = 40_000_000, descriptors: int = 12, threads: int = 5, tasks: int = 4) -> Vitals:
    return Vitals(memory, descriptors, threads, tasks, 170_000, 0, 0)


def test_what_stays_the_same_or_comes_and_goes_is_flat() -> None:
    for samples in ([vitals()], [vitals(), vitals(tasks=9, descriptors=14)]):
        assert all(each.is_flat for each in drifts("A", samples * 20))


def test_threads_that_decode_begin_late_and_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    named = [SimpleNamespace(name=name) for name in ("MainThread", "kafka-nextgen-decoder_0", "another")]
    monkeypatch.setattr(threading, "enumerate", lambda: named)
    assert read_vitals([], 0, 0).threads == 2


def test_what_grows_is_told() -> None:
    samples = [vitals(40_000_000 + 200_000 * n, descriptors=12 + n // 10, threads=5 + n // 20) for n in range(40)]
    assert [each.figure for each in drifts("A", samples) if not each.is_flat] == ["memory", "descriptors", "threads"]


def test_what_stands_still_is_told_once() -> None:
    stuck, slow, ready = ("g", 1), ("g", 2), ("g", 3)
    standstill = Standstill(after_s=10.0)
    assert list(standstill.look(0.0, {stuck: 5, slow: 5, ready: 5})) == []
    assert list(standstill.look(10.0, {stuck: 5, slow: 5})) == [], "not yet"
    assert list(standstill.look(11.0, {stuck: 5, slow: 6})) == [(stuck, 5)]
    assert list(standstill.look(22.0, {stuck: 5, slow: 7})) == []


def test_a_member_that_is_asked_to_end_while_it_processes_a_record_does_not_wait_for_the_next() -> None:
    worker = AsyncWorker.__new__(AsyncWorker)
    worker.orders = Mock(is_stopped=True)
    worker.consumer = MagicMock()
    asyncio.run(worker._iterate())
    assert not worker.consumer.__anext__.called


@pytest.mark.parametrize(
    ("shape", "last_line", "refused"),
    [
        ("sparse", "GroupNotFoundError: group g.sparse: not a consumer group. (GROUP_ID_NOT_FOUND)", True),
        ("sparse", "BrokerError: group g.sparse: UNKNOWN_SERVER_ERROR", True),
        ("sparse", "ValueError: a defect", False),
        ("consumer", "GroupNotFoundError: group g.consumer: (GROUP_ID_NOT_FOUND)", False),
    ],
)
def test_kafka_may_refuse_a_member_only_where_protocols_are_mixed(
    tmp_path: Path, shape: str, last_line: str, refused: bool
) -> None:
    errors = tmp_path / "stderr"
    errors.write_text(f"GROUP_ID_NOT_FOUND came before\n{last_line}\n")
    member = Member("m", f"g.{shape}", "sync", {"mode": "poll"}, Mock(), errors)
    assert is_refused(member) is refused
