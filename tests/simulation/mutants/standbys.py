"""Bugs around standbys (``group.target.size``): who becomes active when, and what it gets."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.coordinator.extensions import standby_changes, standbys
from kafka_nextgen.coordinator.extensions.hooks import Extensions
from kafka_nextgen.coordinator.extensions.registration import waiting
from kafka_nextgen.coordinator.records import TargetAssignmentMember
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["STANDBYS"]


def _takes_over_with_nothing(garden: Garden) -> None:
    garden.set(standbys, "_give_target", lambda draft, swap: None)


def _takes_over_with_all(garden: Garden) -> None:
    def give_target(draft: Any, swap: Any) -> None:
        group = draft.group
        target, metadata = group.target(swap.predecessor), group.target_metadata.get(swap.predecessor)
        draft.write(TargetAssignmentMember(group.group_id, swap.successor, target, metadata))

    garden.set(standbys, "_give_target", give_target)


def _takes_any_target_for_up_to_date(garden: Garden) -> None:
    garden.set(standbys, "_is_target_up_to_date", lambda draft: True)


def _takes_over_from_the_living_only(garden: Garden) -> None:
    garden.set(Extensions, "member_absent", staticmethod(lambda draft, member: None))


def _has_instances_forgotten(garden: Garden) -> None:
    garden.set(Extensions, "instance_came_back", staticmethod(lambda draft, former_id, member_id: None))


def _leaves_targets(garden: Garden) -> None:
    garden.set(standbys, "clear_targets", lambda draft: None)


def _settles_places_only(garden: Garden) -> None:
    garden.set(Extensions, "settle", lambda self, draft: waiting.settle(draft))


def _activates_the_absent(garden: Garden) -> None:
    garden.set(standby_changes, "is_away", lambda group, member_id: False)


_ = Part.STANDBYS

STANDBYS = (
    Mutant("standby-gets-nothing", _, "Has a standby take over without its predecessor's partitions.",
           "They have no reader.", _takes_over_with_nothing),
    Mutant("standby-gets-all", _, "Gives a standby also partitions of topics that it does not subscribe to.",
           "An application reads records that it does not know.", _takes_over_with_all),
    Mutant("standby-repeats-target", _, "Takes the former target for the next although other things changed.",
           "Partitions of new topics have no reader.", _takes_any_target_for_up_to_date),
    Mutant("standby-keeps-target", _, "Leaves its target to a member that stands by.",
           "It goes on reading, and so does its successor.", _leaves_targets),
    Mutant("standby-not-for-absent", _, "Has no standby take over from a static member that is away.",
           "Its partitions have no reader until its session ends.", _takes_over_from_the_living_only),
    Mutant("standby-absent-active", _, "Has a standby take over that is away itself.",
           "Partitions have no reader until its session ends.", _activates_the_absent),
    Mutant("standby-size-unnoticed", _, "Does not compare the group with its target size after a fail-over.",
           "A group stays as small as it was until a member comes or goes.", _settles_places_only),
    Mutant("standby-instance-forgotten", _, "Forgets a standby whose instance comes back.",
           "More members are active than the target size allows.", _has_instances_forgotten),
)  # fmt: skip
