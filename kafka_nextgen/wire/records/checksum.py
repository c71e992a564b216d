"""CRC-32C, by the package ``crc32c``.

Importing it imports ``importlib.metadata`` and a command line, for a checksum that the compiled decoder makes without
it. So it is imported with the first checksum.
"""

from __future__ import annotations

__all__ = ["crc32c"]


def crc32c(data: bytes | bytearray | memoryview) -> int:
    """The CRC-32C of ``data``."""
    from crc32c import crc32c as checksum

    return checksum(data)
