"""Files that are complete or absent: written under a name that begins with a dot, and renamed once on disk."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kafka_nextgen.errors import ArrowSchemaError
from kafka_nextgen.lazy_attrs import define

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

__all__ = ["ParquetFile", "check_writable", "partial_of", "put"]


@define
class ParquetFile:
    """A file that appears only once it is complete, and never without rows."""

    path: Path
    rows: int = 0
    _writer: pyarrow.parquet.ParquetWriter | None = None

    def write(self, table: pyarrow.Table) -> None:
        """Append rows."""
        import pyarrow.parquet

        if self._writer is None:
            # An exception that is still referenced may keep the writer of an interrupted run open. When that writer is
            # garbage-collected, it writes to its file, so the new file must not be the same one.
            partial_of(self.path).unlink(missing_ok=True)
            self._writer = pyarrow.parquet.ParquetWriter(partial_of(self.path), table.schema, compression="zstd")
        self._writer.write_table(table)
        self.rows += table.num_rows

    def finish(self) -> bool:
        """Move the file to its final place; returns whether there is a file."""
        if self._writer is None:
            return False
        self._writer.close()
        put(partial_of(self.path), self.path)
        return True

    def discard(self) -> None:
        """Remove an incomplete file, which may have filled the disk."""
        with suppress(OSError):
            if self._writer is not None:
                self._writer.close()
        with suppress(OSError):
            partial_of(self.path).unlink(missing_ok=True)


def check_writable(schema: pyarrow.Schema) -> None:
    """Raise ArrowSchemaError for a column for which Parquet has no type."""
    import pyarrow.parquet

    for column in schema:
        try:
            pyarrow.parquet.ParquetWriter(pyarrow.BufferOutputStream(), pyarrow.schema([column])).close()
        except pyarrow.ArrowNotImplementedError as error:
            raise ArrowSchemaError(
                f"column {column.name!r} is {column.type}, for which Parquet has no type: leave the field out of the "
                "schema of the values, or write the table with kafka_nextgen.scan"
            ) from error


def partial_of(path: Path) -> Path:
    """Return the path of a file until it is complete."""
    return path.with_name(f".{path.name}.part")


def put(partial: Path, path: Path) -> None:
    """Sync the file to disk, then rename it."""
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    partial.replace(path)
