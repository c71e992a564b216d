"""How the records of tests are numbered.

Record ``n`` of a topic with ``p`` partitions goes to partition ``n % p``, where it gets the offset ``n // p``: so
a record tells by its value where it has to be, and a consumer's output which records it was.
"""

from __future__ import annotations


def number_at(partition: int, offset: int, partitions: int) -> int:
    return offset * partitions + partition


def partition_of(number: int, partitions: int) -> int:
    return number % partitions


def value_of(number: int) -> bytes:
    return str(number).encode()
