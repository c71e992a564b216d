"""Tokens: reused while valid, requested once for many logins, refused if invalid."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from kafka_nextgen.errors import AuthenticationError, OutageError, TransportError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.transport.security import oauthbearer
from kafka_nextgen.transport.security.oauthbearer import Token, TokenCache, from_callback
from tests.support.chains import assert_nowhere_in_the_chain


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def numbered(life_s: float | None, clock: Clock) -> TokenCache:
    numbers: Iterator[int] = iter(range(100))
    ends = None if life_s is None else clock.now + life_s
    return TokenCache(lambda: Token(Secret(str(next(numbers))), ends), clock)


def text(source: TokenCache) -> str:
    return source.token().text.reveal()


def test_a_token_is_used_for_four_fifths_of_its_life() -> None:
    clock = Clock()
    source = numbered(100, clock)
    assert text(source) == "0"
    clock.now += 79
    assert text(source) == "0"
    clock.now += 1
    assert text(source) == "1"


@pytest.mark.parametrize("life_s", [None, 0, -5])
def test_a_token_of_no_known_life_is_asked_for_again(life_s: float | None) -> None:
    source = numbered(life_s, Clock())
    assert [text(source), text(source)] == ["0", "1"]


def test_many_who_want_a_token_at_once_share_one() -> None:
    source, together = numbered(100, Clock()), Barrier(4)

    def want() -> str:
        together.wait()
        return text(source)

    with ThreadPoolExecutor(4) as threads:
        assert {future.result() for future in [threads.submit(want) for _ in range(4)]} == {"0"}


@pytest.mark.parametrize(
    ("answer", "token"),
    [
        ("abc", Token(Secret("abc"))),
        (Secret("abc"), Token(Secret("abc"))),
        (("abc", 5.0), Token(Secret("abc"), 5.0)),
        (("abc", 5, "alice"), Token(Secret("abc"), 5)),
        (("abc", 5, "alice", {"a": "b"}), Token(Secret("abc"), 5, {"a": "b"})),
    ],
)
def test_a_callable_gives_a_token_as_for_confluent_kafka(answer: object, token: Token) -> None:
    given: list[str] = []
    assert from_callback(lambda config: (given.append(config), answer)[1], "scope=all")() == token
    assert given == ["scope=all"]


@pytest.mark.parametrize(
    "answer", [None, "", b"abc", 7, ("abc", "soon"), ("abc", 5, "", {}, "more"), ("a", 1, "", 2), (), "t\udce9ken"]
)
def test_what_is_no_token_is_refused_without_showing_it(answer: object) -> None:
    said = f"oauth_cb must return a token, .*; not {type(answer).__name__}"
    with pytest.raises(AuthenticationError, match=said):
        from_callback(lambda config: answer, "")()


def test_a_coroutine_function_is_refused() -> None:
    async def ask(config: str) -> str:
        return "abc"

    coroutine = ask("")
    with pytest.raises(AuthenticationError, match="must be a plain function"):
        from_callback(lambda config: coroutine, "")()
    coroutine.close()


def test_a_callable_that_raises_is_weather_and_told_by_its_place_without_its_words() -> None:
    def ask(config: str) -> object:
        raise ConnectionError("https://user:secret@provider is down")

    with pytest.raises(
        TransportError, match=r"oauth_cb raised ConnectionError \(.*test_tokens\.py, line \d+\)$"
    ) as caught:
        from_callback(ask, "")()
    assert not isinstance(caught.value, AuthenticationError)
    assert_nowhere_in_the_chain("secret", caught.value)


def test_logins_do_not_wait_for_ever_in_a_thread_each_for_a_question_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(oauthbearer, "_MOST_WAIT_S", 0.01)
    asked, answer = Event(), Event()

    def ask() -> Token:
        asked.set()
        answer.wait()
        return Token(Secret("late"), 2000.0)

    source = TokenCache(ask, Clock())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(text, source)
        asked.wait()
        with pytest.raises(OutageError, match="has not been answered"):
            source.token()
        answer.set()
        assert first.result() == "late"
    assert text(source) == "late"
