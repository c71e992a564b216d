"""Logging in by hand, token by token."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.testing.broker.client import Client


def plain_token(user: str, password: str, acting_for: str = "") -> bytes:
    return f"{acting_for}\0{user}\0{password}".encode()


def handshake(client: Client, mechanism: str, version: int = 1) -> Any:
    return client.ask(apis.SASL_HANDSHAKE, version=version, mechanism=mechanism)


def authenticate(client: Client, token: bytes, version: int = 2) -> Any:
    return client.ask(apis.SASL_AUTHENTICATE, version=version, auth_bytes=token)


def send_bare(client: Client, token: bytes) -> None:
    """Send a token without a header, as after version 0 of the handshake."""
    client.send_bytes(len(token).to_bytes(4, "big") + token)


def log_in(client: Client, user: str, password: str) -> Any:
    """Log in by PLAIN, and return what was answered."""
    assert handshake(client, "PLAIN").error_code == 0
    return authenticate(client, plain_token(user, password))
