"""The order in which Spark's built-in source writes the topics and partitions of an offset.

The built-in source sorts the partitions, puts them into ``scala.collection.mutable.HashMap``s one by one, and writes
those maps in the order they iterate (JsonUtils.scala). Its checkpoints are therefore in the order of that hash table
(Scala 2.13, which Spark 4 is built with):

- A key's hash is its Java hash code, the upper half xor-ed into the lower.
- The table has 16 buckets. Before each put, it doubles if one more key would reach three quarters of the buckets. A put
  that replaces a value counts too.
- Iteration takes the buckets in order. Within a bucket it goes by hash as a signed number, then by age.

Partitions 0 to n come out ascending. Topics rarely do, and neither do partitions of which some are missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

__all__ = ["hash_map_order"]

K = TypeVar("K", str, int)

_FIRST_BUCKETS = 16


def hash_map_order(puts: Iterable[K]) -> list[K]:
    """Return the keys of Scala's mutable hash map in the order it iterates.

    ``puts`` are the keys in the order they are put. A key that is put again counts as a replacement. Keys are strings
    or 32-bit integers.
    """
    buckets = _FIRST_BUCKETS
    hashes: dict[K, int] = {}
    for key in puts:
        if len(hashes) + 1 >= buckets * 3 // 4:
            buckets *= 2
        hashes.setdefault(key, _improved(_java_hash(key)))
    return sorted(hashes, key=lambda key: (hashes[key] & (buckets - 1), _signed(hashes[key])))


def _java_hash(key: str | int) -> int:
    if isinstance(key, int):
        return key & 0xFFFFFFFF
    code = 0
    units = key.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code


def _improved(code: int) -> int:
    return code ^ (code >> 16)


def _signed(code: int) -> int:
    return code - (1 << 32) if code >> 31 else code
