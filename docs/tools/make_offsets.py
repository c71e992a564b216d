"""Draw docs/concepts/plots/offsets.svg: the offsets of one partition that an application meets.

    python docs/tools/make_offsets.py

A consumer reads on the embedded broker, and says where they are.
"""

from __future__ import annotations

from pathlib import Path

from pictures import Picture

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.testing import Cluster

__all__ = ["offsets_picture"]

PICTURE = Path(__file__).parents[1] / "concepts" / "plots" / "offsets.svg"
GROUP, PARTITION = "billing", TopicPartition("orders", 0)
#: What the run does: records of ended and of open transactions, and those that are polled, stored and committed.
ENDED, OPEN, POLLED, STORED, COMMITTED = 9, 3, 7, 5, 3
LEFT, TOP, CELL, ROW = 24, 152, 38, 42
#: What each offset is, and the row above or below the log where that is written.
MEANINGS = {
    "end": ("the next record is written here", -2),
    "last stable": ("read_committed ends here: a transaction is open", -1),
    "position": ("the next poll starts here", 1),
    "stored": ("what auto-commit commits next", 2),
    "committed": ("the next owner of the partition starts here", 3),
}


def observe() -> dict[str, int]:
    """Read a part of the partition, and return the offsets that are then visible."""
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as cluster:
        cluster.create_topic(PARTITION.topic)
        cluster.produce(PARTITION.topic, list(range(ENDED)))
        settings = {"bootstrap_servers": cluster.bootstrap_servers, "auto_offset_reset": "earliest"}
        with cluster.transaction() as transaction, Consumer(settings, isolation_level="read_uncommitted") as other:
            transaction.produce(PARTITION.topic, list(range(OPEN)))
            with Consumer(
                settings,
                group_id=GROUP,
                isolation_level="read_committed",
                auto_commit_interval_ms=3_600_000,
                enable_auto_offset_store=False,
                max_poll_records=POLLED,
            ) as consumer:
                consumer.subscribe([PARTITION.topic])
                cluster.wait_until(lambda: bool(consumer.poll(0.1)), timeout=60)
                consumer.commit({PARTITION: COMMITTED})
                consumer.store_offsets({PARTITION: STORED})
                found = {
                    "committed": cluster.committed(GROUP)[PARTITION],
                    "position": consumer.position(PARTITION),
                    "last stable": consumer.end_offsets([PARTITION])[PARTITION],
                    "end": other.end_offsets([PARTITION])[PARTITION],
                }
            return found | {"stored": cluster.committed(GROUP)[PARTITION]}  # closing commits what is stored


def offsets_picture() -> str:
    """The picture, as it should be."""
    found = observe()
    told = "; ".join(f"{name} {found[name]}: {meaning}" for name, (meaning, _) in MEANINGS.items())
    picture = Picture("Offsets, positions and commits", f"A partition with {found['end']} records. {told}.", 352)
    picture.text(16, 28, "Offsets of one partition", "title")
    for offset in range(found["end"]):
        kind = "fill box" if offset >= found["last stable"] else "blue" if offset < found["position"] else "faint"
        picture.rect(_x(offset), TOP, CELL - 3, CELL - 3, kind)
        picture.text(_x(offset) + CELL / 2 - 1.5, TOP + 23, str(offset), "small" if "fill" in kind else "on", "middle")
    for name, (meaning, row) in MEANINGS.items():
        _mark(picture, f"{name} {found[name]}", meaning, _x(found[name]) - 1.5, row)
    picture.text(16, 338, "blue: returned by poll; framed: of the open transaction", "small faint")
    return str(picture)


def _mark(picture: Picture, name: str, meaning: str, x: float, row: int) -> None:
    """A line from the log to the row of an offset, and what it is: to the left above the log, to the right below."""
    top = TOP + CELL + ROW * row - 32 if row > 0 else TOP + ROW * row + 2
    picture.line([(x, top), (x, TOP + CELL)] if row < 0 else [(x, top + 28), (x, TOP - 4)])
    anchor, beside = ("end", x - 8) if row < 0 else ("start", x + 8)
    picture.text(beside, top + 12, name, "bold", anchor)
    picture.text(beside, top + 28, meaning, "small", anchor)


def _x(offset: int) -> float:
    return LEFT + CELL * offset


if __name__ == "__main__":
    PICTURE.write_text(offsets_picture())
