"""Finds the message in each schema of a registry, because its indexes can differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kafka_nextgen.errors import ProtobufSchemaError
from kafka_nextgen.values.formats import Buffers
from kafka_nextgen.values.framing import name_of
from kafka_nextgen.values.ids import ids_in, rows_of
from kafka_nextgen.values.recent import FAILURE_S, Recent

__all__ = ["Path", "Writers", "runs_of"]

#: The number of most recently used ids that are cached. The same number of ids of unusable schemas is cached.
_MOST = 1000

Path = tuple[int, ...]


class Writers:
    """The place of a message in the schemas of a registry. ``find`` raises ProtobufSchemaError if it is missing."""

    def __init__(self, find: Callable[[int], Path]) -> None:
        self._find = find
        self._known: Recent[Path] = Recent(_MOST)
        self._failing: Recent[str] = Recent(_MOST, FAILURE_S)

    def paths(self, values: Buffers, start: int, stop: int) -> tuple[dict[int, Path], dict[int, str]]:
        """Return the indexes for each schema of these values, and the reasons why others can't be read."""
        paths, failing = {}, {}
        for schema_id in sorted(ids_in(values, start, stop)):
            found = self._path(schema_id)
            if isinstance(found, str):
                failing[schema_id] = found
            else:
                paths[schema_id] = found
        return paths, failing

    def _path(self, schema_id: int) -> Path | str:
        known = self._known.get(schema_id) or self._failing.get(schema_id)
        if known is not None:
            return known
        try:
            path = self._find(schema_id)
        except ProtobufSchemaError as error:
            reason = f"schema {name_of(schema_id)}: {error}"
            self._failing.put(schema_id, reason)
            return reason
        self._known.put(schema_id, path)
        return path


def runs_of(
    values: Buffers, start: int, stop: int, paths: dict[int, Path], usual: Path
) -> Iterator[tuple[Path, int, int]]:
    """Yield runs of rows with the same indexes: the indexes, and the first and last row of the run."""
    if len(set(paths.values())) <= 1:
        yield next(iter(paths.values()), usual), start, stop
        return
    path, begin = usual, start
    for row, schema_id in rows_of(values, start, stop, paths):
        if paths[schema_id] != path:
            if row > begin:
                yield path, begin, row
            path, begin = paths[schema_id], row
    yield path, begin, stop
