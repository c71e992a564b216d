"""Tokens of SASL as a client takes them from a broker, one after the other until the login is over.

The first byte chooses the mechanism; each token is behind two bytes of its length. The nonce is that of RFC 7677's
example, so that there is a conversation which succeeds: whatever else comes must not. Iterations are left at 4,096 in
most inputs, for every login computes them. Kerberos is scripted: it takes what has the right first word.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from kafka_nextgen.errors import AuthenticationError, TransportError
from kafka_nextgen.secret import Secret
from kafka_nextgen.transport.security.gssapi import GssapiClient
from kafka_nextgen.transport.security.oauthbearer import OauthBearerClient, Token
from kafka_nextgen.transport.security.plain import PlainClient
from kafka_nextgen.transport.security.scram import ScramClient
from kafka_nextgen.transport.security.settings import SaslClient
from tests.fuzz.decoders.decoder import Decoder, refusals
from tests.support.scripted_gssapi import PROOF, WRAPPED, scripted_gssapi

__all__ = ["SASL_CLIENT"]

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
            size = int.from_bytes(rest[:2], "big")
            token, rest = rest[2 : 2 + size], rest[2 + size :]
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
