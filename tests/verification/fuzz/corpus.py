"""What real clients and a real Kafka 4.3.0 said to each other, recorded once and kept in ``corpus.zip``.

An entry is named by what it is, the API and the version, and a number: ``response/Fetch-17/3``. Frames are without
their length. Records of ``__consumer_offsets`` are beside them as ``offsets-topic/3``: the key behind four bytes of its
length (-1 for none), then the value likewise. ``python -m tests.verification.fuzz.recording`` writes the file anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from attrs import frozen

from kafka_nextgen.wire.apis import APIS, Api

REQUEST, RESPONSE, OFFSETS_TOPIC = "request", "response", "offsets-topic"

FILE = Path(__file__).with_name("corpus.zip")
_LONG_AGO = (2026, 1, 1, 0, 0, 0)


@frozen
class Frame:
    """A recorded request or answer."""

    api: Api
    version: int
    data: bytes


@frozen
class Recorded:
    """Something to keep, under the name of its folder in the file."""

    folder: str
    data: bytes


def frames(kind: str) -> tuple[Frame, ...]:
    """Every recorded frame that is a ``REQUEST`` or a ``RESPONSE``."""
    return tuple(_frames(kind))


def offsets_topic() -> tuple[bytes, ...]:
    """Every recorded record of ``__consumer_offsets``."""
    return tuple(entry.data for entry in _entries() if entry.folder == OFFSETS_TOPIC)


def write(entries: Iterable[Recorded]) -> int:
    """Replace the file; return how many bytes it has."""
    numbers: dict[str, int] = {}
    with ZipFile(FILE, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in sorted(entries, key=lambda entry: (entry.folder, len(entry.data), entry.data)):
            number = numbers[entry.folder] = numbers.get(entry.folder, 0) + 1
            info = ZipInfo(f"{entry.folder}/{number}", _LONG_AGO)
            archive.writestr(info, entry.data, ZIP_DEFLATED, 9)
    return FILE.stat().st_size


def _frames(kind: str) -> Iterator[Frame]:
    apis = {api.name: api for api in APIS.values()}
    for entry in _entries():
        parts = entry.folder.split("/")
        if parts[0] == kind:
            name, version = parts[1].rsplit("-", 1)
            yield Frame(apis[name], int(version), entry.data)


@cache
def _entries() -> tuple[Recorded, ...]:
    with ZipFile(FILE) as archive:
        return tuple(Recorded(name.rpartition("/")[0], archive.read(name)) for name in archive.namelist())
