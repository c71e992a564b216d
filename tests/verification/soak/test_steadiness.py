"""A steady life in the soak: what the judge says of errors, flapping and idle readers, and what changes credentials."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from kafka_nextgen import TopicPartition
from kafka_nextgen.testing import Cluster
from tests.endtoend.report import Line
from tests.support.secured_kafka import SecuredKafka
from tests.support.waiting import eventually
from tests.verification.soak.accounts import Reader
from tests.verification.soak.credentials import Authority, Credentials
from tests.verification.soak.events import EMPTY_S, Events
from tests.verification.soak.idle_groups import IdleGroups
from tests.verification.soak.judging import findings, gave, moved
from tests.verification.soak.rotation import Rotation
from tests.verification.soak.schedule import SHAPES
from tests.verification.soak.stage import Stage
from tests.verification.soak.steadiness import GRACE_S, QUIET_S, Holdings

LOGS_IN = Reader("steady", "group", is_steady=True, credential="password")
BY_CERTIFICATE = Reader("certified", "group", is_steady=True, credential="certificate")
RESTLESS = Reader("restless", "group")
SOAK = Reader("soak", "group")
IDLE = Reader("idle", "group", commits_itself=True, is_steady=True)

REFUSED = "commit: AuthenticationError('127.0.0.1:9: SASL_AUTHENTICATION_FAILED')"
CHANGING, CHANGED = ((SOAK, Line(at, what, note="password")) for at, what in ((1, "changing"), (2, "changed")))


def trouble(at: float, note: str = REFUSED) -> Line:
    return Line(at, "trouble", note=note)


# ---- errors


@pytest.mark.parametrize("at", [1.5, 2.0, 2 + GRACE_S])
def test_a_login_may_be_refused_while_its_password_changes_and_a_moment_after(at: float) -> None:
    assert findings(CHANGING, CHANGED, (LOGS_IN, trouble(at))) == []
    assert findings(CHANGING, (LOGS_IN, trouble(500))) == [], "the change has not ended"


@pytest.mark.parametrize(
    ("reader", "at", "note"),
    [
        pytest.param(LOGS_IN, 0.5, REFUSED, id="before a change"),
        pytest.param(LOGS_IN, 2.5 + GRACE_S, REFUSED, id="long after a change"),
        pytest.param(BY_CERTIFICATE, 1.5, "TlsError('certificate expired')", id="of a certificate, not a password"),
        pytest.param(LOGS_IN, 1.5, "RequestTimeoutError('commit')", id="no refusal"),
    ],
)
def test_another_error_of_a_steady_member_is_found(reader: Reader, at: float, note: str) -> None:
    told = f"{reader.name} told of {note}, and nothing had been done to it"
    assert findings(CHANGING, CHANGED, (reader, trouble(at, note))) == [told]


def test_errors_are_no_finding_of_members_to_which_things_happen_nor_of_those_in_trouble() -> None:
    assert findings((RESTLESS, trouble(1, "RequestTimeoutError('commit')"))) == []
    assert findings((LOGS_IN, trouble(1, "RequestTimeoutError('commit')")), troubles={"steady": 1}) == []


# ---- flapping


SETTLED = (LOGS_IN, moved(1, "assigned", 0)), (SOAK, Line(2, "settled"))


@pytest.mark.parametrize("places", [(0,), ()])
@pytest.mark.parametrize("what", ["revoked", "lost"])
def test_a_member_that_gives_up_or_loses_anything_after_its_group_has_settled_flaps(
    what: str, places: tuple[int, ...]
) -> None:
    names = ["topic 0[0]"] if places else []
    assert f"steady flapped: {what} {names} after group had settled" in findings(
        *SETTLED, (LOGS_IN, moved(3, what, *places))
    )


def test_so_does_one_that_is_assigned_nothing_more_for_it_was_in_a_rebalance() -> None:
    assert findings(*SETTLED, (LOGS_IN, moved(3, "assigned"))) == [
        "steady flapped: assigned [] after group had settled"
    ]


def test_a_group_may_rebalance_before_it_has_settled_and_once_its_members_end() -> None:
    ended = (SOAK, Line(3, "ending")), (LOGS_IN, moved(4, "revoked", 0))
    assert findings(*SETTLED, *ended) == []
    assert findings(SETTLED[0], (LOGS_IN, moved(1.5, "revoked", 0)), (LOGS_IN, moved(1.7, "assigned", 0))) == []


def test_a_member_whose_process_was_not_let_run_may_rejoin() -> None:
    assert findings(*SETTLED, (LOGS_IN, moved(3, "lost", 0)), troubles={"steady": 3}) == []


def test_a_group_has_settled_when_its_members_share_all_equally_and_nothing_moves() -> None:
    holdings = Holdings()
    for name, line in ("A", moved(1, "assigned", 0, 1)), ("A", moved(2, "revoked", 1)), ("B", moved(3, "assigned", 1)):
        assert not holdings.are_settled("AB", 2, line.at + QUIET_S + 1)
        holdings.hear(name, line)
    assert not holdings.are_settled("AB", 2, 3 + QUIET_S / 2), "something may move still"
    holdings.hear("A", gave(4, 0, 1))
    assert holdings.are_settled("AB", 2, 3 + QUIET_S + 1)


# ---- idle readers


READ = (IDLE, moved(1, "assigned", 0)), (IDLE, gave(2, 0, 4)), (SOAK, Line(3, "idle", offsets={0: 5}))


def stored(at: float, offsets: dict[int, int]) -> tuple[Reader, Line]:
    return SOAK, Line(at, "stored", offsets=offsets)


def test_what_an_idle_reader_has_committed_stays() -> None:
    assert findings(*READ, stored(4, {0: 5}), stored(400, {0: 5})) == []


def test_offsets_of_an_idle_reader_that_are_gone_are_told_once() -> None:
    told = "group has nothing stored for topic 0[0], where an idle reader keeps 5"
    assert findings(*READ, stored(4, {0: 5}), stored(64, {}), stored(69, {})) == [told]


def test_offsets_of_an_idle_reader_that_are_others_are_found() -> None:
    assert "group has 3 stored for topic 0[0], where an idle reader keeps 5" in findings(*READ, stored(4, {0: 3}))


def idle_groups(stage: Mock, retention_s: float | None, *, stored: dict[Any, Any]) -> IdleGroups:
    stage.group = lambda name: f"s.{name}"
    stage.broker = SimpleNamespace(retention_s=retention_s)
    stage.admin.offsets.return_value = stored
    return IdleGroups(stage)


def test_an_idle_reader_that_has_committed_nothing_is_found() -> None:
    stage = Mock()
    idle_groups(stage, None, stored={}).judge_the_end()
    told = [call.args[0] for call in stage.judge.find.call_args_list]
    assert told == [f"s.{name} has not committed all 5 records of each partition" for name in ("idle", "idle-run")]


def test_a_broker_that_forgets_nothing_does_not_show_that_idle_readers_keep_their_offsets() -> None:
    stage, there = Mock(), SimpleNamespace(committed=SimpleNamespace(offset=5))
    groups = idle_groups(stage, 60.0, stored={TopicPartition("s.idle-0", number): there for number in range(2)})
    groups.judge_the_end()
    told = [call.args[0] for call in stage.judge.find.call_args_list]
    assert len(told) == 1
    assert told[0].endswith("nothing shows retention")


# ---- what changes credentials


@pytest.fixture
def steps() -> list[str]:
    return []


def rotation(steps: list[str], **more: Any) -> Rotation:
    """Return one that notes in ``steps`` what it does to a member by password, and one by certificate."""

    def member(credential: str) -> Mock:
        return Mock(
            specification={"credential": credential}, order=lambda verb, amount: steps.append(f"{verb} {credential}")
        )

    stage, credentials = Mock(), Mock()
    stage.fleet.members = {credential: member(credential) for credential in ("password", "certificate")}
    stage.tell = lambda what, group, note: steps.append(what)
    stage.judge.find = steps.append
    for name in ("change_password", "tell_password", "renew_certificate"):
        getattr(credentials, name).side_effect = lambda name=name: steps.append(name)
    if broken := more.pop("broken", None):
        getattr(credentials, broken).side_effect = OSError("no disk")
    return Rotation(stage, credentials, **more)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Rotation.rotate_password, "changing, change_password, tell_password, cut password, changed"),
        (Rotation.rotate_password_late, "changing, change_password, cut password, tell_password, changed"),
        (Rotation.renew_certificate, "renew_certificate, cut certificate"),
    ],
)
def test_connections_are_cut_after_a_change_and_once_before_members_are_told_of_it(
    steps: list[str], change: Callable[[Rotation], None], expected: str
) -> None:
    change(rotation(steps, late_s=0))
    assert ", ".join(steps) == expected


def test_credentials_change_in_turn_until_it_ends(steps: list[str]) -> None:
    turning = rotation(steps, every_s=0, late_s=0)
    turning.begin()
    eventually("all have changed", lambda: len(turning.counts) == 3)
    turning.end()
    most, least = max(turning.counts.values()), min(turning.counts.values())
    assert most - least <= 1


def test_a_change_that_fails_is_a_finding(steps: list[str]) -> None:
    turning = rotation(steps, every_s=0, late_s=0, broken="renew_certificate")
    turning.begin()
    told = "changing a credential (certificate) failed: OSError('no disk')"
    eventually("it is told", lambda: told in steps)
    turning.end()
    assert turning.counts["certificate"] == 0


def test_a_broker_takes_the_password_that_members_are_told_and_the_files_are_new(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "credentials")
    with Cluster() as cluster:
        at = cluster.bootstrap_servers
        broker = SecuredKafka(dict.fromkeys(("SASL_SSL", "MUTUAL"), at), {"SASL_SSL": at}, lambda: None)
        credentials = Credentials(broker, authority)
        password = Path(credentials.specification("password")["password_file"])
        certificate = Path(credentials.specification("certificate")["config"]["ssl.certificate.location"])
        before = password.read_text(), certificate.read_text()
        credentials.change_password()
        assert password.read_text() == before[0] != credentials.password, "members are not told yet"
        credentials.tell_password()
        credentials.renew_certificate()
    assert password.read_text() == credentials.password
    assert certificate.read_text() != before[1]


# ---- the rest


def test_no_group_is_empty_for_so_long_that_its_offsets_go() -> None:
    stage = Mock(spec=Stage)
    stage.chance.getrandbits = lambda bits: 1
    stage.members = lambda shape: [] if shape == "sparse" else ["a member"]
    events = Events(stage, Mock())
    events._fill(0.0)
    events._fill(EMPTY_S)
    assert not stage.start_worker.called
    events._fill(EMPTY_S + 1)
    stage.start_worker.assert_called_once_with("sparse")


def test_steady_groups_have_members_by_both_credentials_and_on_both_loops() -> None:
    veterans = [each for shape in SHAPES.values() if shape.is_steady for each in shape.veterans]
    assert {each.credential for each in veterans} == {"password", "certificate"}
    assert {each.loop for each in veterans if each.kind == "async"} == {"asyncio", "uvloop"}
