"""An assignor of the application's own, which keeps what it is asked and told."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kafka_nextgen.assignors import (
    AssignmentSpec,
    AssignorMetadata,
    ConsumerGroupMetadata,
    GroupAssignment,
    MemberAssignment,
    Metadata,
    PartitionAssignor,
    UniformAssignor,
)

Work = Callable[[AssignmentSpec], GroupAssignment]


class Own(PartitionAssignor):
    """Does ``work``, as the uniform assignor would if it is given none; keeps what it is asked and told."""

    name = "own"
    maximum_version = 2

    def __init__(self, word: bytes = b"", work: Work | None = None, version: int = 0) -> None:
        self.word, self.work, self.version = word, work, version
        self.groups: list[AssignmentSpec] = []
        self.told: list[tuple[int, int, MemberAssignment]] = []
        self.threads: set[str] = set()

    def metadata(self) -> AssignorMetadata:
        self.threads.add(threading.current_thread().name)
        return AssignorMetadata(metadata=Metadata(self.version, self.word))

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        self.threads.add(threading.current_thread().name)
        self.groups.append(group)
        return (self.work or UniformAssignor().assign)(group)

    def on_assignment(self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
        self.told.append((group.member_epoch, error, assignment))
