"""A login on a connection, with correct and with broken brokers."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from functools import partial
from struct import pack

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import (
    AuthenticationError,
    DecodeError,
    DisconnectedError,
    FrameTooLargeError,
    KafkaNextgenError,
    OutageError,
    RequestTimeoutError,
    TransportError,
)
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.requests import metadata
from kafka_nextgen.testing.broker.security.sasl import SaslAnswer
from kafka_nextgen.transport.connecting import open_connection
from kafka_nextgen.transport.retrying import Backoff
from kafka_nextgen.transport.security.authentication import MAX_TOKEN_FRAME_BYTES, reauthentication_delay_s
from kafka_nextgen.transport.security.settings import SaslClient, SaslLogin
from kafka_nextgen.transport.targets import Node
from kafka_nextgen.wire.apis import API_VERSIONS, METADATA, SASL_AUTHENTICATE, SASL_HANDSHAKE, Api
from kafka_nextgen.wire.messages import SaslAuthenticateResponse
from tests.support.chains import assert_nowhere_in_the_chain
from tests.transport.scripted import HANG_UP, SILENCE, Script, ScriptedBroker, client_of, scripted, settings
from tests.transport.security.sasl_script import ALL, PASSWORD, asks_for_login, handshaken, says, security, told

AT_ONCE = Backoff(0.001, 0.001)


async def refusal(broker: ScriptedBroker, mechanism: str = "SCRAM-SHA-256", **changes: object) -> KafkaNextgenError:
    """The outcome of a login to this broker."""
    with pytest.raises(KafkaNextgenError) as caught:
        await open_connection(broker.address, settings(security=security(mechanism), **changes))
    assert str(caught.value).startswith(f"{broker.address}: ")
    return caught.value


@pytest.mark.parametrize("mechanism", ALL)
async def test_a_login_comes_before_everything_but_the_versions(mechanism: str) -> None:
    async with scripted() as (broker,), client_of(broker, security=security(mechanism)) as client:
        asks_for_login(broker)
        await client.start()
        apis = [request.api for request in broker.seen]
    rounds = 1 if mechanism == "PLAIN" else 2
    assert apis == [API_VERSIONS, SASL_HANDSHAKE, *[SASL_AUTHENTICATE] * rounds, METADATA]


async def test_a_broker_that_ends_the_login_says_why() -> None:
    async with scripted() as (broker,):
        asks_for_login(broker)
        with pytest.raises(AuthenticationError, match="invalid credentials") as caught:
            await open_connection(broker.address, settings(security=security(password="another")))
        assert "another" not in str(caught.value)


async def test_a_step_that_fails_unexpectedly_is_told_by_its_kind_only(caplog: pytest.LogCaptureFixture) -> None:
    def begin(host: str) -> SaslClient:
        raise UnicodeEncodeError("utf-8", PASSWORD, 0, 1, "surrogates not allowed")

    caplog.set_level(logging.DEBUG)
    changed = evolve(security(), login=SaslLogin("PLAIN", begin))
    async with scripted() as (broker,), client_of(broker, security=changed) as client:
        asks_for_login(broker)
        with pytest.raises(AuthenticationError, match="with an unexpected UnicodeEncodeError") as caught:
            await client.start()
    assert_nowhere_in_the_chain(PASSWORD, caught.value)
    assert PASSWORD not in caplog.text


async def test_a_mechanism_that_is_not_enabled_names_those_that_are() -> None:
    async with scripted() as (broker,):
        broker.script[SASL_HANDSHAKE] = handshaken(ErrorCode.UNSUPPORTED_SASL_MECHANISM, ("PLAIN", "GSSAPI"))
        error = await refusal(broker)
    assert isinstance(error, AuthenticationError)
    assert "does not enable sasl.mechanism=SCRAM-SHA-256 on this port; it enables PLAIN, GSSAPI" in str(error)


@pytest.mark.parametrize(
    ("tokens", "why"),
    [
        ((b"",), "nonce"),
        ((b"\xff\xfe\xfd",), "not UTF-8"),
        ((b"r=another,s=AAAA,i=4096",), "nonce does not continue ours"),
        ((b"\0" * 100_000,), "nonce"),
    ],
)
async def test_a_broker_that_cheats_is_refused(tokens: tuple[bytes, ...], why: str) -> None:
    async with scripted() as (broker,):
        says(broker, *tokens)
        error = await refusal(broker)
    assert isinstance(error, AuthenticationError)
    assert why in str(error)


class Endless:
    """A login that always has an answer."""

    refusal = ""

    def initial_response(self) -> bytes:
        return b"more"

    def evaluate_challenge(self, challenge: bytes) -> bytes:
        return challenge


async def test_a_login_without_an_end_is_ended() -> None:
    async with scripted() as (broker,):
        says(broker, b"more")
        changed = evolve(security(), login=SaslLogin("GSSAPI", lambda host: Endless()))
        with pytest.raises(AuthenticationError, match="did not finish within 10 rounds"):
            await open_connection(broker.address, settings(security=changed))
        assert len(broker.asked(SASL_AUTHENTICATE)) == 10


async def test_a_frame_before_the_login_is_short_however_long_records_may_be() -> None:
    async with scripted() as (broker,):
        broker.script[SASL_HANDSHAKE] = pack(">i", MAX_TOKEN_FRAME_BYTES + 1)
        error = await refusal(broker)
    assert isinstance(error, FrameTooLargeError)
    assert f"the size limit before login={MAX_TOKEN_FRAME_BYTES}" in str(error)


@pytest.mark.parametrize(
    ("api", "answer", "kind"),
    [
        (SASL_HANDSHAKE, pack(">i", -5), DecodeError),
        (SASL_HANDSHAKE, b"HTTP/1.1 400 Bad Request\r\n", DecodeError),
        (SASL_HANDSHAKE, pack(">ii", 6, 99) + b"\0\0", DecodeError),
        (SASL_HANDSHAKE, HANG_UP, DisconnectedError),
        (SASL_AUTHENTICATE, HANG_UP, DisconnectedError),
        (SASL_AUTHENTICATE, SILENCE, RequestTimeoutError),
    ],
)
async def test_what_is_no_answer_is_weather(api: Api, answer: Script, kind: type[Exception]) -> None:
    """A login has the time of the connection's setup."""
    async with scripted() as (broker,):
        asks_for_login(broker)
        broker.script[api] = answer
        assert isinstance(await refusal(broker, setup_timeout_s=10.0), kind)


async def test_a_token_that_cannot_be_had_is_weather_and_asked_for_again() -> None:
    answers = iter([ConnectionError("down"), "token"])

    def ask(config: str) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    changed = security("OAUTHBEARER", oauth_cb=ask)
    async with scripted() as (broker,), client_of(broker, security=changed) as client:
        broker.script[SASL_HANDSHAKE] = handshaken()
        broker.script[SASL_AUTHENTICATE] = told(SaslAnswer())
        with pytest.raises(TransportError, match="oauth_cb raised ConnectionError"):
            await client.start()
        await client.start()


REFUSAL = '{"status":"invalid_token"}'


def refuses_token(broker: ScriptedBroker, words: str | None) -> None:
    """Have a broker refuse a token by OAUTHBEARER, and end the login in these words."""
    end = SaslAuthenticateResponse(
        error_code=ErrorCode.SASL_AUTHENTICATION_FAILED, error_message=words, auth_bytes=b"", session_lifetime_ms=0
    )
    broker.script[SASL_HANDSHAKE] = handshaken()
    broker.script[SASL_AUTHENTICATE] = lambda request: (
        end if bytes(request.message.auth_bytes) == b"\x01" else told(SaslAnswer(token=REFUSAL.encode()))
    )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (None, f"the broker refuses the login: {REFUSAL}"),
        ("Authentication failed", f"Authentication failed: {REFUSAL}"),
        (REFUSAL, REFUSAL),  # as Kafka's brokers do
    ],
)
async def test_why_a_token_is_refused_is_told_once(words: str | None, shown: str) -> None:
    changed = security("OAUTHBEARER", oauth_cb=lambda config: "token")
    async with scripted() as (broker,):
        refuses_token(broker, words)
        with pytest.raises(AuthenticationError) as caught:
            await open_connection(broker.address, settings(security=changed))
        assert str(caught.value) == f"{broker.address}: {shown} (SASL_AUTHENTICATION_FAILED)"


async def test_a_call_during_the_backoff_of_a_refused_login_is_refused_when_its_time_is_over() -> None:
    slow = Backoff(3600.0, 3600.0)
    login = security(password="another")
    async with scripted(2) as brokers, client_of(*brokers, security=login, login_backoff=slow) as client:
        told_of: list[AuthenticationError] = []
        client.on_refused(told_of.append)
        for broker in brokers:
            asks_for_login(broker)
        for timeout_s in (20.0, 0.001, 0.001):
            with pytest.raises(AuthenticationError, match="invalid credentials"):
                await client.refresh_metadata(topics=(), timeout_s=timeout_s)
        assert sum(broker.connections for broker in brokers) == 1
        assert (client.refusal, len(told_of)) == (told_of[0], 1)


async def test_a_request_during_the_backoff_is_refused_like_that_when_its_time_is_over() -> None:
    slow, passwords = Backoff(3600.0, 3600.0), iter([PASSWORD, "another"])
    login = security(password=lambda: next(passwords))
    async with scripted(2) as (seed, other), client_of(seed, security=login, login_backoff=slow) as client:
        for broker in (seed, other):
            asks_for_login(broker)
        await client.start()
        for timeout_s in (20.0, 0.001):
            with pytest.raises(AuthenticationError, match="invalid credentials"):
                await client.call(Node(1), METADATA, lambda version: metadata.to_request(()), timeout_s=timeout_s)
        assert other.connections == 1


async def test_a_password_that_was_rotated_lets_in_after_one_refusal_that_is_told_once() -> None:
    passwords = iter(["old", "older", PASSWORD])
    login = security(password=lambda: next(passwords))
    async with scripted() as (broker,), client_of(broker, security=login, login_backoff=AT_ONCE) as client:
        told_of: list[AuthenticationError] = []
        client.on_refused(told_of.append)
        asks_for_login(broker)
        for _ in range(2):
            with pytest.raises(AuthenticationError, match="invalid credentials"):
                await client.start()
            asks_for_login(broker)
        await client.start()
        assert len(told_of) == 1
        assert client.refusal is None


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
async def test_a_callable_is_asked_for_the_password_of_each_login_in_a_thread(mechanism: str) -> None:
    threads: list[threading.Thread] = []

    def password() -> str:
        threads.append(threading.current_thread())
        return PASSWORD

    async with scripted() as (broker,):
        for _ in range(2):
            asks_for_login(broker)
            connection = await open_connection(broker.address, settings(security=security(mechanism, password)))
            await connection.close()
    assert len(threads) == 2
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        (ZeroDivisionError("s3cret"), OutageError, "sasl.password raised ZeroDivisionError"),
        (b"s3cret", AuthenticationError, "sasl.password must return a non-empty string"),
        ("", AuthenticationError, "sasl.password must return a non-empty string"),
        (Secret(""), AuthenticationError, "sasl.password must return a non-empty string"),
        ("s3cret\udc80", AuthenticationError, "sasl.password must return a non-empty string"),
        ("s3cret\0", AuthenticationError, "sasl.password has a NUL"),
    ],
)
async def test_a_callable_without_a_password_is_told_without_what_it_said(
    answer: object, kind: type[Exception], says: str
) -> None:
    def password() -> object:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with scripted() as (broker,):
        asks_for_login(broker)
        with pytest.raises(TransportError, match=says) as caught:
            await open_connection(broker.address, settings(security=security("PLAIN", password)))
    assert isinstance(caught.value, kind)
    assert_nowhere_in_the_chain("s3cret", caught.value)


def test_a_callable_is_not_shown_for_its_arguments_may_be_secret() -> None:
    config = ConsumerConfig.parse(
        bootstrap_servers="localhost:9092",
        security_protocol="SASL_SSL",
        sasl_mechanism="PLAIN",
        sasl_username="alice",
        sasl_password=partial(str, "s3cret"),
    )
    assert "s3cret" not in repr(config) + str(config.sasl_password)


async def test_a_token_that_was_refused_is_not_shown_again() -> None:
    tokens = iter(["revoked", "fresh"])
    login = security("OAUTHBEARER", oauth_cb=lambda _: (next(tokens), time.time() + 3600))
    async with scripted() as (broker,):
        says(broker, b'{"status":"invalid_token"}')
        with pytest.raises(AuthenticationError, match="invalid_token"):
            await open_connection(broker.address, settings(security=login))
        says(broker, b"")
        await (await open_connection(broker.address, settings(security=login))).close()
        assert b"Bearer fresh" in bytes(broker.asked(SASL_AUTHENTICATE)[-1].message.auth_bytes)


async def test_nothing_of_a_login_is_logged_at_any_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    async with scripted() as (broker,), client_of(broker, security=security("PLAIN")) as client:
        asks_for_login(broker)
        await client.start()
    assert PASSWORD not in caplog.text


def test_a_login_is_renewed_when_most_of_it_is_over_but_not_within_a_second_which_brokers_take_for_an_error() -> None:
    delays_s = [reauthentication_delay_s(100.0, chance) for chance in (0.0, 0.5, 0.999)]
    assert delays_s == pytest.approx([85.0, 90.0, 94.99])
    assert [reauthentication_delay_s(session_s, 0.0) for session_s in (0.001, 0.5, 1.1)] == [1.0] * 3
