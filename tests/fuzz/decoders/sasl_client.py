"""Tokens of SASL as a client takes them from a broker, one after the other until the login is over.

The first byte chooses the mechanism; each token is behind two bytes of its length. The nonce is that of RFC 7677's
example, so that there is a conversation which succeeds: whatever else comes must not. Iterations are left at 4,096 in
most inputs, for every login computes them.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from kafka.net.sasl import SASL_MECHANISMS

from kafka_nextgen.errors import AuthenticationError, TransportError
from kafka_nextgen.secret import Secret
from kafka_nextgen.transport.security.exchanges import Exchange, begun
from kafka_nextgen.transport.security.scram import ScramExchange
from tests.fuzz.decoders.decoder import Decoder, refusals

__all__ = ["SASL_CLIENT"]

_NONCE = "rOprNGfwEbeRWgbNEkqO"
_FIRST = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
_FINAL = b"v=6rriTRBi23WpRG/wtup+mMhUZUn/dB5nLTJRsjl95G4="
_SIGNATURE = b64decode(_FINAL[2:])


class _TokenProvider:
    def token(self) -> str:
        return "aaa.bbb.ccc"

    def extensions(self) -> dict[str, str]:
        return {}


def _scram(mechanism: str) -> Exchange:
    return ScramExchange(mechanism, "user", Secret("pencil"), _NONCE)


_BEGIN: tuple[Callable[[], Exchange], ...] = (
    lambda: _scram("SCRAM-SHA-256"),
    lambda: _scram("SCRAM-SHA-512"),
    lambda: begun("PLAIN", lambda: SASL_MECHANISMS["PLAIN"](sasl_plain_username="user", sasl_plain_password="pencil")),
    lambda: begun("OAUTHBEARER", lambda: SASL_MECHANISMS["OAUTHBEARER"](sasl_oauth_token_provider=_TokenProvider())),
)
_SCRAM = (0, 1)


def _log_in(data: bytes) -> None:
    if not data:
        return
    which, rest = data[0] % len(_BEGIN), data[1:]
    with refusals(TransportError, AuthenticationError):
        exchange = _BEGIN[which]()
        exchange.first()
        said: list[bytes] = []
        while rest:
            size = int.from_bytes(rest[:2], "big")
            token, rest = rest[2 : 2 + size], rest[2 + size :]
            said.append(token)
            if exchange.reply(token) is None:
                _check_success(which, said)
                return


def _check_success(which: int, said: list[bytes]) -> None:
    """Nobody who does not know the password can make SCRAM succeed otherwise than by the example."""
    if which in _SCRAM:
        assert which == 0
        assert said[:-1] == [_FIRST]
        assert _signature_in(said[-1]) == _SIGNATURE


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
    ]


SASL_CLIENT = Decoder("sasl-client", "tokens of SASL as a client takes them", _log_in, _seeds, most_bytes=512)
