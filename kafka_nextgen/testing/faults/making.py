"""Creates faults from the arguments of ``Cluster.fault``, and refuses arguments that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypedDict

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.testing.arguments import flag, number, text, whole_number
from kafka_nextgen.testing.faults.apis import Api
from kafka_nextgen.testing.faults.changes import ExpireLogin, LoseTail, MoveLeader, RecreateTopic
from kafka_nextgen.testing.faults.corrupt_batches import CorruptBatch
from kafka_nextgen.testing.faults.fault import Definition
from kafka_nextgen.testing.faults.injected_errors import Error
from kafka_nextgen.testing.faults.kind import Kind
from kafka_nextgen.testing.faults.kinds import Cut, Delay, Drop, Silence, Throttle
from kafka_nextgen.testing.faults.selection import Selection

__all__ = ["KINDS", "How", "make"]


class How(TypedDict, total=False):
    """The keyword arguments of ``Cluster.fault``: exactly one kind of fault, and the selected requests."""

    error: ErrorCode | str
    delay_s: float
    throttle_s: float
    drop: Literal["before", "after"]
    cut_connection: bool
    silent: bool
    move_leader: bool
    recreate_topic: bool
    lose_tail: int
    corrupt_offset: int
    expire_login: bool
    client_id: str | None
    group_id: str | None
    node: int | None
    topic: str | None
    partition: int | None
    times: int | None
    after: int


def make(api: Api | None, how: Mapping[str, Any]) -> Definition:
    """The fault with these arguments. Raises ``MisuseError``, and TypeError if one has a wrong type."""
    for name in how:
        if name not in How.__annotations__:
            raise MisuseError(f"a fault has no argument {name}{_near(name, How.__annotations__)}")
    given = {name: value for name, value in how.items() if name in KINDS and value is not False and value is not None}
    if len(given) != 1:
        told = f"not both {' and '.join(given)}" if given else f"one of {', '.join(KINDS)}"
        raise MisuseError(f"a fault needs exactly one kind: {told}")
    _check_types(how)
    ((name, value),) = given.items()
    kind = KINDS[name](value)
    where = {key: value for key, value in how.items() if key not in KINDS}
    if api is not None and not isinstance(api, Api):
        raise MisuseError(f"the API of a fault must be a member of Api, such as Api.FETCH, not {api!r}")
    selection = Selection(api, **{"times": kind.usual_times, "is_target": kind.has_target, **where})
    complaint = selection.complaint() or kind.complaint(selection)
    if complaint is not None:
        raise MisuseError(complaint)
    return Definition(kind, selection)


def _check_types(how: Mapping[str, Any]) -> None:
    for check, names in _TYPES.items():
        for name in names:
            if how.get(name) is not None:
                check(name, how[name])


def _error(value: ErrorCode | str) -> Kind:
    if isinstance(value, ErrorCode):
        return Error(value)
    if value not in ErrorCode.__members__:
        raise MisuseError(f"there is no error code {value}{_near(str(value), ErrorCode.__members__)}")
    return Error(ErrorCode[value])


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f": did you mean {near[0]}?" if near else ""


def _drop(value: str) -> Kind:
    if value not in ("before", "after"):
        raise MisuseError(f"drop must be 'before' or 'after' the request was served, not {value!r}")
    return Drop(value == "after")


def _seconds(name: str, kind: Callable[[float], Kind]) -> Callable[[Any], Kind]:
    def make_one(value: float) -> Kind:
        if not 0 < value < math.inf:
            raise MisuseError(f"{name} must be above 0, not {value}")
        return kind(value)

    return make_one


def _number(name: str, least: int, kind: Callable[[int], Kind]) -> Callable[[Any], Kind]:
    def make_one(value: int) -> Kind:
        if value < least:
            raise MisuseError(f"{name} must be at least {least}, not {value}")
        return kind(value)

    return make_one


#: The arguments that must have a type.
_TYPES: Mapping[Callable[[str, object], object], tuple[str, ...]] = {
    flag: ("cut_connection", "silent", "move_leader", "recreate_topic", "expire_login"),
    number: ("delay_s", "throttle_s"),
    text: ("client_id", "group_id", "topic"),
    whole_number: ("lose_tail", "corrupt_offset", "node", "partition", "times", "after"),
}

#: The constructor of each kind of fault, by its argument.
KINDS: Mapping[str, Callable[[Any], Kind]] = {
    "error": _error,
    "delay_s": _seconds("delay_s", Delay),
    "throttle_s": _seconds("throttle_s", Throttle),
    "drop": _drop,
    "cut_connection": lambda _: Cut(),
    "silent": lambda _: Silence(),
    "move_leader": lambda _: MoveLeader(),
    "recreate_topic": lambda _: RecreateTopic(),
    "lose_tail": _number("lose_tail", 1, LoseTail),
    "corrupt_offset": _number("corrupt_offset", 0, CorruptBatch),
    "expire_login": lambda _: ExpireLogin(),
}
