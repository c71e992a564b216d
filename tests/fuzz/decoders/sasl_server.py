"""Tokens of SASL as a broker takes them, one after the other until the exchange is over.

The first byte chooses the mechanism; each token is behind two bytes of its length.
"""

from __future__ import annotations

from functools import cache

from kafka_nextgen.broker.security.sasl import SaslServer, SaslSettings
from kafka_nextgen.broker.security.users import Users
from kafka_nextgen.errors import DecodeError
from tests.fuzz.decoders.decoder import Decoder, refusals

__all__ = ["SASL_SERVER"]

_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_PLAIN, _SCRAM_256 = b"\x00", b"\x01"
_NOW = 0.0
_FIRST = b"n,,n=alice,r=fyko+d2lbbFgONRv9qkxdawL"
_FINAL = b"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="


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
            size = int.from_bytes(rest[:2], "big")
            token, rest = rest[2 : 2 + size], rest[2 + size :]
            answer = server.authenticate(token, _NOW)
            if server.has_failed:
                raise DecodeError(answer.message)
            assert server.is_done or server.takes_tokens
            if server.is_done:
                assert (server.user, token.split(b"\0")[-1]) == ("alice", b"wonderland")


def _tokens(mechanism: bytes, *tokens: bytes) -> bytes:
    return mechanism + b"".join(len(token).to_bytes(2, "big") + token for token in tokens)


def _seeds() -> list[bytes]:
    return [
        _tokens(_PLAIN, b"\0alice\0wonderland"),
        _tokens(_PLAIN, b"alice\0alice\0wonderland"),
        _tokens(_SCRAM_256, _FIRST, _FINAL),
        _tokens(_SCRAM_256, b"n,a=bob,n=alice,r=abc", _FINAL),
    ]


SASL_SERVER = Decoder("sasl-server", "tokens of SASL as a broker takes them", _authenticate, _seeds, most_bytes=512)
