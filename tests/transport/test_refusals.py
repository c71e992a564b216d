"""What holds back an attempt to connect, which attempts are shared, and what is told of them."""

from __future__ import annotations

import asyncio

from attrs import Factory, frozen

from kafka_nextgen.errors import AuthenticationError, TlsError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.refusals import Refusals
from kafka_nextgen.transport.retrying import Backoff

from .scripted import now, turns

HERE, THERE, ELSEWHERE = (ServerAddress(host, 9092) for host in ("here", "there", "elsewhere"))
AN_HOUR = Backoff(3600.0, 3600.0)
NO_TIME = Backoff(0.0, 0.0)
PASSWORD, ANOTHER, UNTRUSTED = AuthenticationError("password"), AuthenticationError("another"), TlsError("untrusted")


def refusals(backoff: Backoff = AN_HOUR) -> Refusals:
    return Refusals(backoff, lambda: 0.5)


async def test_a_refused_login_holds_back_connections_to_all_servers_and_a_tls_failure_only_those_to_its_own() -> None:
    held = refusals()
    held.note(HERE, UNTRUSTED)
    assert (held.in_the_way(HERE), held.in_the_way(THERE)) == (UNTRUSTED, None)
    held.note(THERE, PASSWORD)
    assert [held.in_the_way(each) for each in (HERE, THERE, ELSEWHERE)] == [UNTRUSTED, PASSWORD, PASSWORD]


async def test_once_a_server_takes_the_login_only_those_that_refused_it_wait() -> None:
    held, answer = refusals(), asyncio.Event()
    attempt = asyncio.create_task(held.attempt(THERE, answer.wait))
    await turns(1)
    held.note(HERE, PASSWORD)
    assert held.in_the_way(ELSEWHERE) is PASSWORD
    answer.set()
    await attempt
    assert (held.in_the_way(HERE), held.in_the_way(ELSEWHERE)) == (PASSWORD, None)


async def test_those_that_wait_for_the_backoff_share_one_attempt() -> None:
    held, attempts = refusals(NO_TIME), 0

    async def connect() -> None:
        nonlocal attempts
        attempts += 1
        held.note(HERE, ANOTHER)
        raise ANOTHER

    held.note(HERE, PASSWORD)
    outcomes = await asyncio.gather(*(held.attempt(HERE, connect) for _ in range(3)), return_exceptions=True)
    assert (outcomes, attempts) == ([ANOTHER] * 3, 1)


@frozen
class Noting(Backoff):
    """A backoff of no time that notes what it is asked for."""

    asked: list[int] = Factory(list)

    def delay_s(self, failures: int, chance: float) -> float:
        self.asked.append(failures)
        return 0.0


async def test_the_backoff_grows_with_each_refusal_until_the_server_takes_the_login() -> None:
    backoff = Noting(0.0, 0.0)
    held = refusals(backoff)
    for _ in range(3):
        held.note(HERE, PASSWORD)
    await held.attempt(HERE, lambda: turns(1))
    held.note(HERE, PASSWORD)
    assert backoff.asked == [1, 2, 3, 1]


async def test_what_an_attempt_meets_that_began_before_the_refusal_changes_nothing() -> None:
    held, told = refusals(), list[AuthenticationError]()
    held.on_refused = told.append
    held.note(HERE, PASSWORD)
    held.note(HERE, ANOTHER)
    assert (held.in_the_way(HERE), told) == (PASSWORD, [PASSWORD])


async def test_the_newest_is_shown_for_a_minute() -> None:
    held = refusals()
    held.note(HERE, PASSWORD)
    await asyncio.sleep(1.0)  # of turned time
    held.note(THERE, ANOTHER)
    assert (held.newest(now()), held.newest(now() + 61.0)) == (ANOTHER, None)
