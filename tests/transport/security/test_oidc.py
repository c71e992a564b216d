"""Tokens of an OpenID provider: the request, the limits of the answer, and errors."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from attrs import define, field

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import AuthenticationError, TransportError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.transport.security.login import login_of
from kafka_nextgen.transport.security.oauthbearer import Token
from kafka_nextgen.transport.security.oidc import TokenEndpoint
from tests.support.certificates import Certificates

Answer = Callable[[BaseHTTPRequestHandler], None]
NOW = 1000.0


@define
class Provider:
    """A scripted OpenID provider; ``asked`` are the bodies and headers of requests."""

    port: int = 0
    answer: Answer = lambda handler: None
    asked: list[tuple[str, str, str]] = field(factory=list)

    def endpoint(self, certificates: Certificates, **changes: object) -> TokenEndpoint:
        url = f"https://127.0.0.1:{self.port}/oauth/token?tenant=1"
        context = ssl.create_default_context(cafile=certificates.authority)
        values = {"scope": "kafka", "contexts": lambda: context, "now": lambda: NOW, "timeout_s": 10.0, **changes}
        return TokenEndpoint(url, "cl:ient", Secret("s3cret/"), **values)  # type: ignore[arg-type]


def says(status: int, body: object, **headers: str) -> Answer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


@pytest.fixture
def provider(certificates: Certificates) -> Iterator[Provider]:
    running = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # http.server's name
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            running.asked.append((self.path, body, self.headers["Authorization"]))
            running.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.broker)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    running.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("life_s", [1, 300])
def test_the_clients_own_credentials_get_a_token(provider: Provider, certificates: Certificates, life_s: int) -> None:
    provider.answer = says(200, {"access_token": "abc", "token_type": "Bearer", "expires_in": life_s})
    assert provider.endpoint(certificates)() == Token(Secret("abc"), NOW + life_s)
    who = base64.b64encode(b"cl%3Aient:s3cret%2F").decode()
    assert provider.asked == [
        ("/oauth/token?tenant=1", "grant_type=client_credentials&scope=kafka", f"Basic {who}"),
    ]


@pytest.mark.parametrize("life", [None, "300", True, -1, 0, 2**31, 1e999])
def test_a_life_that_is_none_is_not_known(provider: Provider, certificates: Certificates, life: object) -> None:
    provider.answer = says(200, {"access_token": "abc", "expires_in": life})
    assert provider.endpoint(certificates)() == Token(Secret("abc"), None)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (says(401, {"error": "invalid_client", "error_description": "s3cret/"}), "status 401: 'invalid_client'"),
        (says(400, b"<html>"), "status 400"),
        (says(302, b"", Location="https://127.0.0.1:1/elsewhere"), "status 302"),
        (says(200, {}), "no access_token"),
        (says(200, {"access_token": 7}), "no access_token"),
        (says(200, b"[" * 100_000), "no access_token"),
        (says(200, b"\xff"), "no access_token"),
        (says(200, b" " * 300_000), "longer than 262144 bytes"),
    ],
)
def test_a_refusal_and_what_is_no_token_are_for_good(
    provider: Provider, certificates: Certificates, answer: Answer, why: str
) -> None:
    provider.answer = answer
    with pytest.raises(AuthenticationError, match=why) as caught:
        provider.endpoint(certificates)()
    assert "s3cret" not in str(caught.value)
    assert len(provider.asked) == 1


def test_a_provider_out_of_order_or_silent_is_weather(provider: Provider, certificates: Certificates) -> None:
    for status in (429, 500, 503):
        provider.answer = says(status, b"")
        with pytest.raises(TransportError, match=f"failed with status {status}") as caught:
            provider.endpoint(certificates)()
        assert not isinstance(caught.value, AuthenticationError)
    done = threading.Event()
    provider.answer = lambda handler: (done.wait(), None)[1]
    with pytest.raises(TransportError, match="can't be reached"):
        provider.endpoint(certificates, timeout_s=0.1)()
    done.set()


def test_a_provider_that_is_not_trusted_hears_no_secret(provider: Provider, certificates: Certificates) -> None:
    with pytest.raises(TransportError, match="unable to get local issuer certificate"):
        provider.endpoint(certificates, contexts=lambda: ssl.create_default_context(cafile=certificates.stranger))()
    assert provider.asked == []


def test_a_configuration_leads_there(provider: Provider, certificates: Certificates) -> None:
    provider.answer = says(200, {"access_token": "abc", "expires_in": 300})
    login = login_of(
        ConsumerConfig.parse(
            bootstrap_servers="localhost:9092",
            security_protocol="SASL_SSL",
            sasl_mechanism="OAUTHBEARER",
            sasl_oauthbearer_method="oidc",
            sasl_oauthbearer_token_endpoint_url=f"https://127.0.0.1:{provider.port}/token",
            sasl_oauthbearer_client_id="client",
            sasl_oauthbearer_client_secret="s3cret/",
            https_ca_location=certificates.authority,
        )
    )
    assert [login.new_client("broker").initial_response() for _ in range(2)] == [b"n,,\x01auth=Bearer abc\x01\x01"] * 2
    assert len(provider.asked) == 1
