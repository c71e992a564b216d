"""Frames written in hexadecimal."""

from __future__ import annotations

from uuid import UUID

__all__ = ["ORDERS", "ORDERS_HEX", "frame", "header"]

ORDERS = UUID("00112233-4455-6677-8899-aabbccddeeff")
ORDERS_HEX = "00112233445566778899aabbccddeeff"


def frame(*parts: str) -> bytes:
    """Hexadecimal parts, with the length in front."""
    body = bytes.fromhex("".join(parts))
    return len(body).to_bytes(4, "big") + body


JOIN_HEADER = ("0044", "{version}", "00000007", "0002 6d65", "00")  # key, version, correlation id, client id, tags


def header(version: int) -> str:
    return "".join(JOIN_HEADER).format(version=f"{version:04x}")
