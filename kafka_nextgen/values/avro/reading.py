"""Reads single values of Avro's binary encoding, as bytes for columns, like ``accelerator/avro_values.h``."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.values.avro.faults import Fault
from kafka_nextgen.values.avro.program import Op

__all__ = ["BadError", "Reader"]

_UUID = lazy_pattern(rb"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class BadError(Exception):
    """A value is bad."""

    def __init__(self, fault: Fault, detail: int = 0) -> None:
        super().__init__(fault, detail)
        self.fault = fault
        self.detail = detail


class Reader:
    """Reads consecutive values; ``read_instead`` temporarily switches to other bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.resumed: tuple[bytes, int] | None = None

    @property
    def left(self) -> int:
        """The number of bytes left."""
        return len(self.data) - self.at

    def read_instead(self, data: bytes) -> None:
        """Read these bytes until ``resume``."""
        self.resumed = self.data, self.at
        self.data, self.at = data, 0

    def resume(self) -> None:
        """Continue where ``read_instead`` was called."""
        assert self.resumed is not None
        (self.data, self.at), self.resumed = self.resumed, None

    def take(self, size: int) -> bytes:
        """Read ``size`` bytes."""
        if size > self.left:
            raise BadError(Fault.ENDS_EARLY)
        self.at += size
        return self.data[self.at - size : self.at]

    def read_long(self) -> int:
        """Read a zigzag varint of 64 bits."""
        raw = 0
        for shift in range(0, 64, 7):
            if not self.left:
                raise BadError(Fault.ENDS_EARLY)
            byte = self.data[self.at]
            self.at += 1
            if shift == 63 and byte > 1:
                raise BadError(Fault.LONG_VARINT)
            raw |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
        return raw >> 1 ^ -(raw & 1)

    def read_int(self) -> int:
        """Read a zigzag varint of 32 bits."""
        number = self.read_long()
        if not -(2**31) <= number < 2**31:
            raise BadError(Fault.NO_INT)
        return number

    def read_bytes(self) -> bytes:
        """Read a length and that many bytes."""
        size = self.read_long()
        if not 0 <= size <= self.left:
            raise BadError(Fault.BAD_LENGTH)
        return self.take(size)

    def value(self, op: int, a: int, b: int, table: Sequence[int], width: int) -> bytes:
        """Read the value of an instruction, in the form of its column."""
        if op == Op.ENUM:
            return self._enum(a, table[b : b + a], width)
        if op == Op.DECIMAL:
            return self._decimal(a, table[b : b + 4], width)
        return _READ[op](self, a)

    def _enum(self, count: int, table: Sequence[int], width: int) -> bytes:
        index = self.read_long()
        if not 0 <= index < count:
            raise BadError(Fault.NO_SYMBOL)
        if table[index] < 0 <= width:
            raise BadError(Fault.UNKNOWN_SYMBOL)
        return struct.pack("=i", table[index])

    def _decimal(self, size: int, limit: Sequence[int], width: int) -> bytes:
        data = self.read_bytes() if size < 0 else self.take(size)
        if width < 0:
            return b""
        number = int.from_bytes(data, "big", signed=True)
        if abs(number) >= int.from_bytes(struct.pack("<4q", *limit), "little"):
            raise BadError(Fault.TOO_MANY_DIGITS)
        return number.to_bytes(width, "little", signed=True)

    def boolean(self, a: int) -> bytes:
        """Read a byte that is 0 or 1."""
        if self.left and self.data[self.at] > 1:
            raise BadError(Fault.NO_BOOLEAN)
        return self.take(1)

    def string(self, a: int) -> bytes:
        """Read a length and that many bytes of UTF-8."""
        data = self.read_bytes()
        try:
            data.decode()
        except UnicodeDecodeError:
            raise BadError(Fault.NO_UTF8) from None
        return data

    def uuid(self, a: int) -> bytes:
        """Read a uuid's text."""
        data = self.read_bytes()
        if not _UUID.fullmatch(data):
            raise BadError(Fault.NO_UUID)
        return bytes.fromhex(data.replace(b"-", b"").decode())

    def duration(self, a: int) -> bytes:
        """Read months, days and milliseconds."""
        months, days, milliseconds = struct.unpack("<III", self.take(12))
        if max(months, days) >= 2**31:
            raise BadError(Fault.OUT_OF_RANGE)
        return struct.pack("=iiq", months, days, milliseconds * 1_000_000)


def _checked(number: int, limit: int) -> int:
    if limit and not 0 <= number < limit:
        raise BadError(Fault.OUT_OF_RANGE)
    return number


def _single(number: int) -> bytes:
    return struct.pack("=f", number)


_READ: dict[int, Callable[[Reader, int], bytes]] = {
    Op.BOOLEAN: Reader.boolean,
    Op.INT: lambda reader, limit: struct.pack("=i", _checked(reader.read_int(), limit)),
    Op.LONG: lambda reader, limit: struct.pack("=q", _checked(reader.read_long(), limit)),
    Op.LONG_OF_INT: lambda reader, limit: struct.pack("=q", _checked(reader.read_int(), limit)),
    Op.FLOAT: lambda reader, _: reader.take(4),
    Op.FLOAT_OF_INT: lambda reader, _: _single(reader.read_int()),
    Op.FLOAT_OF_LONG: lambda reader, _: _single(reader.read_long()),
    Op.DOUBLE: lambda reader, _: reader.take(8),
    Op.DOUBLE_OF_INT: lambda reader, _: struct.pack("=d", reader.read_int()),
    Op.DOUBLE_OF_LONG: lambda reader, _: struct.pack("=d", reader.read_long()),
    Op.DOUBLE_OF_FLOAT: lambda reader, _: struct.pack("=d", *struct.unpack("<f", reader.take(4))),
    Op.BYTES: lambda reader, _: reader.read_bytes(),
    Op.STRING: Reader.string,
    Op.FIXED: lambda reader, size: reader.take(size),
    Op.LONG_FIXED: lambda reader, size: reader.take(size),
    Op.UUID: Reader.uuid,
    Op.DURATION: Reader.duration,
}
