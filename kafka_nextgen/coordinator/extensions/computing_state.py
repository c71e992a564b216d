"""Who computes a group's next target, as a value. None of it is recorded: a new coordinator chooses again."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.assignors.spec import AssignmentSpec

__all__ = ["NOBODY_COMPUTES", "Computing", "Prepared"]


@frozen
class Prepared:
    """The group that an assignment is computed for, and is judged by."""

    group_epoch: int
    spec: AssignmentSpec


@frozen
class Computing:
    """Where the computation stands.

    | | |
    |---|---|
    | no ``assignor`` | there is nothing to compute |
    | an ``assignor`` | a member is to be found |
    | a ``member_id`` | it is told with each answer that it should compute |
    | ``prepared`` | it knows the group, and is at it |

    A member that has ``failed`` is not asked again as long as the group is at that epoch. One that was ``late`` is, if
    no other is left. ``complaint`` says of the last failure what is still to be told to the members in ``untold``.
    ``is_urgent`` after an assignment for an older epoch: the next is not put off.
    """

    assignor: str | None = None
    member_id: str | None = None
    prepared: Prepared | None = None
    is_urgent: bool = False
    failed: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    failed_epoch: int = -1
    complaint: str = ""
    untold: frozenset[str] = frozenset()

    @property
    def was_called_for(self) -> bool:
        """Whether there is a reason to compute that no interval puts off any more."""
        return self.is_urgent or self.assignor is not None


NOBODY_COMPUTES = Computing()
