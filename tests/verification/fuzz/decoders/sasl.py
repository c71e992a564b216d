"""Tokens of SASL as a client takes them from a broker and a broker from a client, one by one until the login is over.

The first byte chooses the mechanism; each token is behind two bytes of its length. The client's nonce is that of RFC
7677's example, so that there is a conversation which succeeds: nothing else that comes must. Iterations are left at
4,096 in most inputs, for every login computes them. Kerberos is scripted: it takes what has the right first word.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from functools import cache

from kafka_nextgen.errors import AuthenticationError, DecodeError, TransportError
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.testing.broker.security.sasl import SaslServer, SaslSettings
from kafka_nextgen.testing.broker.security.users import Users
from kafka_nextgen.transport.security.gssapi import GssapiClient
from kafka_nextgen.transport.security.oauthbearer import OauthBearerClient, Token
from kafka_nextgen.transport.security.plain import PlainClient
from kafka_nextgen.transport.security.scram import ScramClient
from kafka_nextgen.transport.security.settings import SaslClient
from tests.support.scripted_gssapi import PROOF, WRAPPED, scripted_gssapi
from tests.verification.fuzz.decoders.decoder import Decoder, refusals

_NONCE = "rOprNGfwEbeRWgbNEkqO"
_FIRST = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
_FINAL = b"v=6rriTRBi23WpRG/wtup+mMhUZUn/dB5nLTJRsjl95G4="
_SIGNATURE = b64decode(_FINAL[2:])
_KERBEROS = scripted_gssapi()


def _scram(mechanism: str) -> SaslClient:
    return ScramClient(mechanism, "user", Secret("pencil"), _NONCE)


_BEGIN: tuple[Callable[[], SaslClient], ...] = (
    lambda: _scram("SCRAM-SHA-256"),
    lambda: _scram("SCRAM-SHA-512"),
    lambda: PlainClient("user", Secret("pencil")),
    lambda: OauthBearerClient(Token(Secret("aaa.bbb.ccc"))),
    lambda: GssapiClient(_KERBEROS, "kafka", "broker"),
)
_SCRAM, _OF_ONE_ROUND = (0, 1), (2, 3)


def _log_in(data: bytes) -> None:
    if not data:
        return
    which, rest = data[0] % len(_BEGIN), data[1:]
    with refusals(TransportError, AuthenticationError):
        client = _BEGIN[which]()
        client.initial_response()
        said: list[bytes] = []
        while rest:
            token, rest = _first_token(rest)
            said.append(token)
            if client.evaluate_challenge(token) is None:
                _check_success(which, said)
                return


def _check_success(which: int, said: list[bytes]) -> None:
    """Without the password SCRAM succeeds by the example only, the others by what their RFC lets a server say."""
    if which in _SCRAM:
        assert which == 0
        assert said[:-1] == [_FIRST]
        assert _signature_in(said[-1]) == _SIGNATURE
    elif which in _OF_ONE_ROUND:
        assert said == [b""]
    else:
        proof, offer, end = said
        assert (proof[: len(PROOF)], offer[: len(WRAPPED)], end) == (PROOF, WRAPPED, b"")
        assert len(offer) == len(WRAPPED) + 4
        assert offer[len(WRAPPED)] % 2


def _signature_in(final: bytes) -> bytes:
    pairs = [part.partition(b"=") for part in final.split(b",")]
    return b64decode(next(value for name, _, value in pairs if name == b"v"))


def _tokens(which: int, *tokens: bytes) -> bytes:
    return bytes([which]) + b"".join(len(token).to_bytes(2, "big") + token for token in tokens)


def _first_token(data: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(data[:2], "big")
    return data[2 : 2 + size], data[2 + size :]


def _seeds() -> list[bytes]:
    return [
        _tokens(0, _FIRST, _FINAL),
        _tokens(0, _FIRST, b"e=other-error"),
        _tokens(1, _FIRST, _FINAL),
        _tokens(2, b""),
        _tokens(3, b""),
        _tokens(3, b'{"status":"invalid_token"}', b""),
        _tokens(4, PROOF, WRAPPED + b"\1\0\0\0", b""),
    ]


SASL_CLIENT = Decoder("sasl-client", "tokens of SASL as a client takes them", _log_in, _seeds, most_bytes=512)


# ---- the broker


_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_NOW = 0.0
_CLIENT_FIRST = b"n,,n=alice,r=fyko+d2lbbFgONRv9qkxdawL"
_CLIENT_FINAL = b"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="


@cache
def _users() -> Users:
    return Users({"alice": "wonderland"})


def _authenticate(data: bytes) -> None:
    if not data:
        return
    server = SaslServer(SaslSettings(_MECHANISMS), _users())
    server.handshake(_MECHANISMS[data[0] % len(_MECHANISMS)], 1)
    rest = data[1:]
    with refusals():
        while rest and server.takes_tokens:
            token, rest = _first_token(rest)
            answer = server.authenticate(token, _NOW)
            if server.has_failed:
                raise DecodeError(answer.message)
            assert server.is_done or server.takes_tokens
            if server.is_done:
                assert (server.user, token.split(b"\0")[-1]) == ("alice", b"wonderland")


def _of_clients() -> list[bytes]:
    return [
        _tokens(0, b"\0alice\0wonderland"),
        _tokens(0, b"alice\0alice\0wonderland"),
        _tokens(1, _CLIENT_FIRST, _CLIENT_FINAL),
        _tokens(1, b"n,a=bob,n=alice,r=abc", _CLIENT_FINAL),
    ]


SASL_SERVER = Decoder(
    "sasl-server", "tokens of SASL as a broker takes them", _authenticate, _of_clients, most_bytes=512
)
