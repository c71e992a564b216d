"""Users and their passwords, which are only kept salted and hashed (RFC 5802: StoredKey and ServerKey).

A user who is configured with a password may use every mechanism. SCRAM credentials can also be set and deleted one by
one (KIP-554), for users who can then use that mechanism only; the catalogue keeps those that were set.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import field
from scramp import ScramException, ScramMechanism

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.testing.broker.storage import Catalogue

__all__ = ["ITERATIONS", "SCRAM_HASHES", "SCRAM_NUMBERS", "ScramCredential", "Users", "parse_users"]

#: The iterations for configured passwords: the minimum that Kafka and RFC 7677 allow.
ITERATIONS: Final = 4096

#: The hash behind each SCRAM mechanism (RFC 5802, RFC 7677).
SCRAM_HASHES: Final[Mapping[str, str]] = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}

#: The mechanisms by their numbers on the wire (KIP-554).
SCRAM_NUMBERS: Final[Mapping[int, str]] = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}

_SALT_BYTES: Final = 16
_KIND: Final = "scram-credential"


@frozen
class ScramCredential:
    """What a server stores for a password: enough to check it, but not enough to log in elsewhere."""

    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)
    iterations: int

    @classmethod
    def of_password(cls, mechanism: str, password: Secret) -> ScramCredential:
        """Salt and hash a password. Raises ``ConfigError`` for one that RFC 4013 prohibits."""
        try:
            made = ScramMechanism(mechanism).make_auth_info(password.reveal(), iteration_count=ITERATIONS)
        except ScramException as error:
            raise ConfigError(f"a password can't be used with {mechanism}: {error}") from None
        return cls(*made)

    @classmethod
    def of_salted(cls, mechanism: str, salted: bytes, salt: bytes, iterations: int) -> ScramCredential:
        """Build a credential from a password that a client has salted and hashed (KIP-554)."""
        name = SCRAM_HASHES[mechanism]
        client_key = hmac.digest(salted, b"Client Key", name)
        server_key = hmac.digest(salted, b"Server Key", name)
        return cls(salt, hashlib.new(name, client_key).digest(), server_key, iterations)


@frozen
class _Hashed:
    """A password for PLAIN, which is sent as it is and so needs no keys."""

    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)

    @classmethod
    def of(cls, password: Secret) -> _Hashed:
        salt = secrets.token_bytes(_SALT_BYTES)
        return cls(salt, _hash(password, salt))

    def fits(self, password: Secret) -> bool:
        return hmac.compare_digest(_hash(password, self.salt), self.digest)


def _hash(password: Secret, salt: bytes) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", password.reveal().encode(), salt, ITERATIONS)


def parse_users(lines: Iterable[str]) -> dict[str, Secret]:
    """Read a file of users, one ``name=password`` per line; lines that begin with ``#`` are comments.

    Raises ``ConfigError``, which shows no password.
    """
    users: dict[str, Secret] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, _, password = text.partition("=")
        if not name or not password or name in users:
            raise ConfigError(f"line {number} of the users file is not NAME=PASSWORD, or repeats a name")
        users[name] = Secret(password)
    return users


class Users:
    """The users and their credentials; ``passwords`` are from the broker's settings, by name."""

    def __init__(self, passwords: Mapping[str, Secret | str] | None = None) -> None:
        given = {name: Secret.of(password) for name, password in (passwords or {}).items()}
        self._hashed = {name: _Hashed.of(password) for name, password in given.items()}
        self._scram = {
            (name, mechanism): ScramCredential.of_password(mechanism, given[name])
            for name in given
            for mechanism in SCRAM_HASHES
        }
        self._catalogue = Catalogue()
        self._unknown_user = _Hashed.of(Secret(secrets.token_hex()))

    def recover(self, catalogue: Catalogue) -> None:
        """Restore the credentials that a catalogue kept; it keeps further changes as well."""
        self._catalogue = catalogue
        for value in catalogue.entries(_KIND).values():
            name, mechanism, credential = _read(value)
            self._scram[name, mechanism] = credential

    def is_password_of(self, name: str, password: Secret) -> bool:
        """Whether this is the user's password, for PLAIN; this takes equally long for an unknown user."""
        return self._hashed.get(name, self._unknown_user).fits(password)

    def scram_credential(self, name: str, mechanism: str) -> ScramCredential | None:
        """A user's credential for one SCRAM mechanism."""
        return self._scram.get((name, mechanism))

    def scram_users(self) -> dict[str, dict[str, int]]:
        """The iterations of each user's credentials, by user and mechanism (KIP-554)."""
        users: dict[str, dict[str, int]] = {}
        for (name, mechanism), credential in sorted(self._scram.items(), key=lambda entry: entry[0]):
            users.setdefault(name, {})[mechanism] = credential.iterations
        return users

    def set_scram(self, name: str, mechanism: str, credential: ScramCredential) -> None:
        """Set or replace a user's SCRAM credential; raises ``StorageError``."""
        self._catalogue.put(_KIND, _key(name, mechanism), _written(name, mechanism, credential))
        self._scram[name, mechanism] = credential

    def delete_scram(self, name: str, mechanism: str) -> bool:
        """Delete a SCRAM credential; False if there is none. Raises ``StorageError``."""
        self._catalogue.remove(_KIND, _key(name, mechanism))
        return self._scram.pop((name, mechanism), None) is not None


def _key(name: str, mechanism: str) -> str:
    return json.dumps([name, mechanism])


def _written(name: str, mechanism: str, credential: ScramCredential) -> list[object]:
    keys = (credential.salt, credential.stored_key, credential.server_key)
    return [name, mechanism, *(key.hex() for key in keys), credential.iterations]


def _read(value: Any) -> tuple[str, str, ScramCredential]:
    name, mechanism, salt, stored_key, server_key, iterations = value
    salt, stored_key, server_key = map(bytes.fromhex, (salt, stored_key, server_key))
    return name, mechanism, ScramCredential(salt, stored_key, server_key, iterations)
