"""The state of an export, ``_export.json`` in its folder: the options that determine the files, and the progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError, OffsetOutOfRangeError, UnknownTopicError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.scanning.parquet_file import partial_of, put
from kafka_nextgen.types import OffsetRange, TopicPartition

__all__ = ["ExportState"]

STATE = "_export.json"
VERSION = 1


@frozen
class ExportState:
    """The contents of ``_export.json``: the options of the first call, the ends, the next offsets, the ids of the
    topics, as text, and the number of files."""

    options: Mapping[str, str | None]
    ends: Mapping[TopicPartition, int]
    positions: Mapping[TopicPartition, int]
    topic_ids: Mapping[str, str | None]
    files: int = 0

    @classmethod
    def begun(
        cls,
        options: Mapping[str, str | None],
        ranges: Mapping[TopicPartition, OffsetRange],
        positions: Mapping[TopicPartition, int],
    ) -> ExportState:
        """Return the state of a new export with these ranges and positions."""
        topic_ids = {tp.topic: _id_text(each) for tp, each in ranges.items()}
        return cls(options, {tp: each.end for tp, each in ranges.items()}, dict(positions), topic_ids)

    @classmethod
    def in_folder(cls, folder: Path) -> ExportState | None:
        """Return the state stored in the folder; None if there is none. Raises MisuseError if it is damaged."""
        path = folder / STATE
        if not path.exists():
            return None
        try:
            return cls._from_json(path.read_text())
        except (ValueError, KeyError, TypeError) as error:
            raise MisuseError(f"{path} can't be read ({error}): export to another folder") from error

    @classmethod
    def _from_json(cls, text: str) -> ExportState:
        found = json.loads(text)
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']}")
        rows = [(TopicPartition(row["topic"], row["partition"]), row) for row in found["partitions"]]
        ends, positions = ({tp: int(row[name]) for tp, row in rows} for name in ("end", "next"))
        return cls(dict(found["options"]), ends, positions, dict(found["topic_ids"]), int(found["files"]))

    def write(self, folder: Path) -> None:
        """Store the state in the folder, replacing the previous one."""
        partial = partial_of(folder / STATE)
        partial.write_text(self._to_json())
        put(partial, folder / STATE)

    def _to_json(self) -> str:
        rows = [
            {"topic": tp.topic, "partition": tp.partition, "next": self.positions[tp], "end": end}
            for tp, end in sorted(self.ends.items())
        ]
        counted = {"version": VERSION, "options": self.options, "files": self.files}
        return json.dumps({**counted, "partitions": rows, "topic_ids": self.topic_ids}, indent=1)

    def check_continued(self, ranges: Mapping[TopicPartition, OffsetRange]) -> None:
        """Refuse ranges that differ from the rest of the export."""
        for tp in sorted(self.ends):
            begin, end, now = self.positions[tp], self.ends[tp], ranges[tp]
            if begin >= end:
                continue  # nothing is left to read in this partition
            if _id_text(now) != self.topic_ids[tp.topic]:
                message = f"topic {tp.topic!r} was deleted and created again since the export began: export to another"
                raise UnknownTopicError(f"{message} folder", code=ErrorCode.UNKNOWN_TOPIC_ID, partition=tp)
            if (now.start, now.end) != (begin, end):
                has = f"only has {now.start} to {now.end}" if now.start < now.end else f"ends at offset {now.end}"
                raise OffsetOutOfRangeError(
                    f"{tp}: offsets {begin} to {end} are left to export, but the log {has}: export to another folder",
                    code=ErrorCode.OFFSET_OUT_OF_RANGE,
                    partition=tp,
                )


def _id_text(wanted: OffsetRange) -> str | None:
    return None if wanted.topic_id is None else str(wanted.topic_id)
