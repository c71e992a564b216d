"""The package ``gssapi`` with a Kerberos that takes two rounds, needs no server, and wraps messages in a word.

A broker's first token is good if it begins with ``PROOF``. Its others are good if they begin with ``WRAPPED``, and what
follows is the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from types import ModuleType, SimpleNamespace

TICKET, PROOF, WRAPPED = b"ticket for ", b"proof", b"wrapped:"


class GSSError(Exception):
    """What Kerberos complains of."""


class InvalidTokenError(GSSError):
    """What came is no token."""


class BadMICError(GSSError):
    """A token's checksum is wrong."""


class RequirementFlag(Enum):
    mutual_authentication = 2
    out_of_sequence_detection = 8
    integrity = 32


class Name:
    def __init__(self, text: str, name_type: str) -> None:
        assert name_type == "hostbased"
        self.text = text

    def canonicalize(self, mechanism: str) -> Name:
        assert mechanism == "kerberos"
        return self


class _Context:
    def __init__(
        self, name: Name, usage: str, mech: str | None = None, flags: Sequence[RequirementFlag] | None = None
    ) -> None:
        assert usage == "initiate"
        self.name = name
        self.mech = mech
        self.actual_flags = set(flags or [RequirementFlag.mutual_authentication])
        self._is_proved = False

    @property
    def complete(self) -> bool:
        return self._is_proved

    def step(self, token: bytes | None) -> bytes | None:
        if token is None:
            return TICKET + self.name.text.encode()
        if not token.startswith(PROOF):
            raise InvalidTokenError("Invalid token was supplied")
        self._is_proved = True
        return None

    def unwrap(self, token: bytes) -> SimpleNamespace:
        if not token.startswith(WRAPPED):
            raise BadMICError("A token had an invalid MIC")
        return SimpleNamespace(message=token.removeprefix(WRAPPED))

    def wrap(self, message: bytes, encrypt: bool) -> SimpleNamespace:
        assert not encrypt
        return SimpleNamespace(message=WRAPPED + message)


def scripted_gssapi(**methods: object) -> ModuleType:
    """Make the package; ``methods`` of its contexts differ from these."""
    module = ModuleType("gssapi")
    vars(module).update(
        NameType=SimpleNamespace(hostbased_service="hostbased"),
        MechType=SimpleNamespace(kerberos="kerberos"),
        RequirementFlag=RequirementFlag,
        Name=Name,
        SecurityContext=type("SecurityContext", (_Context,), methods),
        exceptions=SimpleNamespace(GSSError=GSSError, InvalidTokenError=InvalidTokenError, BadMICError=BadMICError),
    )
    return module
