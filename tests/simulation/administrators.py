"""What an administrator does to a client."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import LeaveGroup, LeavingMember
from tests.simulation.clients import GROUP, Client
from tests.simulation.nodes import Standing

__all__ = ["remove", "take_rights"]


def take_rights(client: Client, code: ErrorCode, seconds: float) -> None:
    """Have a client refused with this code for so long."""
    taken, name = client.cluster.rights_taken, client.name

    def give_them_back() -> None:
        taken.pop(name, None)

    taken[name] = code
    client.timeline.after(seconds, give_them_back)


def remove(client: Client, *, by_instance: bool) -> bool:
    """Take its member out; False if there is none, or nobody to ask."""
    node, instance_id = client.cluster.leading, client.settings.instance_id
    by_instance = by_instance and instance_id is not None
    who = LeavingMember("", instance_id) if by_instance else LeavingMember(client.member_id)
    if node is None or node.standing is not Standing.ACTIVE or not (by_instance or client.member_id):
        return False
    answers: list[object] = []  # nobody reads them
    node.ask(LeaveGroup(GROUP, (who,)), answers.append)
    return True
