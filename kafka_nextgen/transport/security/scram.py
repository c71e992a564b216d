"""SCRAM: the client proves that it knows the password without sending it (RFC 5802, RFC 7677, KIP-84).

    C: n,,n=user,r=NONCE
    S: r=NONCE+MORE,s=SALT,i=ITERATIONS
    C: c=biws,r=NONCE+MORE,p=PROOF
    S: v=SIGNATURE                          (or e=ERROR)

The client checks the server as well. The server's nonce must begin with ours and be longer, or the login may be a
replay. Iterations must be at least 4,096, the minimum of RFC 7677 and Kafka, to hinder guessing the password from a
recorded login, and at most 1,000,000, about one second on one core, so that a server can't keep this client busy. The
server's signature, compared in constant time, must prove that it knows the password too.

The client in scramp, the library that the embedded broker uses, prepares passwords as in RFC 4013 and requires salts of
12 bytes. Kafka does not, so some Kafka users could not log in with it.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Final

from kafka_nextgen.errors import AuthenticationError
from kafka_nextgen.properties.secret import Secret

__all__ = ["MAX_ITERATIONS", "MIN_ITERATIONS", "SCRAM_HASHES", "ScramClient"]

#: The hash behind each mechanism.
SCRAM_HASHES: Final[Mapping[str, str]] = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}

MIN_ITERATIONS: Final = 4_096
MAX_ITERATIONS: Final = 1_000_000

_NO_CHANNEL_BINDING: Final = "n,,"
_MAX_DIGITS: Final = 7
_MAX_ERROR: Final = 80


class ScramClient:
    """One login with SCRAM; ``nonce`` is unpredictable printable text without a comma."""

    refusal = ""

    def __init__(self, mechanism: str, user: str, password: Secret, nonce: str) -> None:
        self._name = mechanism
        self._hash = SCRAM_HASHES[mechanism]
        self._password = password
        self._nonce = nonce
        self._first_bare = f"n={user.replace('=', '=3D').replace(',', '=2C')},r={nonce}"
        self._signature: bytes | None = None

    def initial_response(self) -> bytes:
        """The user and the nonce."""
        return f"{_NO_CHANNEL_BINDING}{self._first_bare}".encode()

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """Prove that we know the password, then check the broker's proof."""
        text = self._read(challenge)
        if self._signature is None:
            return self._prove(text)
        self._check(text)
        return None

    def _prove(self, server_first: str) -> bytes:
        said = self._attributes(server_first)
        nonce = self._checked_nonce(said.get("r", ""))
        salt, iterations = self._bytes_of(said.get("s", "")), self._checked_iterations(said.get("i", ""))
        salted = hashlib.pbkdf2_hmac(self._hash, self._password.reveal().encode(), salt, iterations)
        client_key = self._hmac(salted, b"Client Key")
        bare_final = f"c={b64encode(_NO_CHANNEL_BINDING.encode()).decode()},r={nonce}"
        conversation = f"{self._first_bare},{server_first},{bare_final}".encode()
        signature = self._hmac(hashlib.new(self._hash, client_key).digest(), conversation)
        proof = bytes(one ^ other for one, other in zip(client_key, signature, strict=True))
        self._signature = self._hmac(self._hmac(salted, b"Server Key"), conversation)
        return f"{bare_final},p={b64encode(proof).decode()}".encode()

    def _check(self, server_final: str) -> None:
        said = self._attributes(server_final)
        assert self._signature is not None
        if not hmac.compare_digest(self._bytes_of(said.get("v", "")), self._signature):
            raise self._refused("the broker does not prove that it knows this user's password: it may be an impostor")

    def _checked_nonce(self, nonce: str) -> str:
        if not nonce.startswith(self._nonce) or len(nonce) == len(self._nonce):
            raise self._refused("the broker's nonce does not continue ours: this may be a replay of another login")
        return nonce

    def _checked_iterations(self, digits: str) -> int:
        allowed = f"only {MIN_ITERATIONS} to {MAX_ITERATIONS} iterations are accepted"
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS):
            raise self._refused(f"the broker asks for iterations that are not a number, or too many: {allowed}")
        if not MIN_ITERATIONS <= int(digits) <= MAX_ITERATIONS:
            raise self._refused(f"the broker asks for {int(digits)} iterations: {allowed}")
        return int(digits)

    def _attributes(self, message: str) -> dict[str, str]:
        pairs = [part.partition("=") for part in message.split(",")]
        said = {name: value for name, _, value in pairs}
        if len(said) != len(pairs) or "m" in said:  # RFC 5802: m is an extension that must be understood
            raise self._refused("the broker's message is not SCRAM")
        if "e" in said:
            raise self._refused(f"the broker ends the login with an error: {said['e'][:_MAX_ERROR]!r}")
        return said

    def _read(self, token: bytes) -> str:
        try:
            return token.decode()
        except UnicodeDecodeError:
            raise self._refused("the broker's message is not UTF-8") from None

    def _bytes_of(self, text: str) -> bytes:
        try:
            found = b64decode(text, validate=True)
        except ValueError:
            found = b""
        if not found:
            raise self._refused("the broker's message lacks a salt or a signature in base 64")
        return found

    def _hmac(self, key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, self._hash)

    def _refused(self, why: str) -> AuthenticationError:
        return AuthenticationError(f"{self._name}: {why}")
