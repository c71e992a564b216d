"""Where a soak takes place: its topics, groups and members, and what knows of them all."""

from __future__ import annotations

import itertools
import json
import random
import re
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from attrs import define, field

from kafka_nextgen.admin import GroupAdmin
from tests.endtoend.report import Line
from tests.support.clients import create_named_topic
from tests.verification.soak.accounts import FOREVER, Reader
from tests.verification.soak.brokers import HURRY, SoakBroker, configure
from tests.verification.soak.fleet import Fleet, Member
from tests.verification.soak.judge import Judge
from tests.verification.soak.ledger import Ledger
from tests.verification.soak.places import key_at, topic_of
from tests.verification.soak.schedule import (
    SHAPES,
    STEADY_GROUP_CONFIG,
    TOPICS,
    Shape,
    Veteran,
    base_config,
    draw_specification,
)
from tests.verification.soak.steadiness import Holdings
from tests.verification.soak.vitals import Vitals

PARTITIONS = (4, 2, 2)
assert len(PARTITIONS) == TOPICS
FLEETING = 2  # the topic that is deleted and created again; the others stay
GROWING = 1
MOST_PARTITIONS = 6
INSTANCES = ("a", "b", "c")
EVENT_LOGS = "members"  # the folder of what members keep of their history


@define
class Topic:
    """A topic by its number, in its current incarnation; ``is_there`` is false while it is deleted."""

    number: int
    partitions: int
    incarnation: int = 0
    is_there: bool = True

    def keys_now(self) -> list[int]:
        return [key_at(self.number * 1000 + partition, self.incarnation) for partition in range(self.partitions)]


@define(eq=False)
class Stage:
    """Everything that takes part; used by the thread that drives the soak, and by one that administers topics."""

    broker: SoakBroker
    prefix: str
    chance: random.Random
    fleet: Fleet
    judge: Judge
    ledger: Ledger
    admin: GroupAdmin
    logs: Path
    vitals_s: float
    topics: list[Topic] = field(factory=list)
    readers: dict[str, Reader] = field(factory=dict)
    vitals: dict[str, list[Vitals]] = field(factory=lambda: defaultdict(list))
    errors: Counter[str] = field(factory=Counter)
    holdings: Holdings = field(factory=Holdings)
    loops: Counter[str] = field(factory=Counter)  # of asynchronous members, by whose they are
    events: Counter[str] = field(factory=Counter)
    _numbers: Any = field(factory=itertools.count)
    _log: Any = field(init=False)
    _log_lock: Any = field(factory=threading.Lock)

    def __attrs_post_init__(self) -> None:
        self._log = (self.logs / "events.log").open("w", buffering=1)
        self.note("clock", "wall", time.time() - time.monotonic())

    @property
    def bootstrap_servers(self) -> str:
        return self.broker.bootstrap_servers

    # ---- setting up

    def set_up(self) -> None:
        (self.logs / EVENT_LOGS).mkdir()
        for number, partitions in enumerate(PARTITIONS):
            create_named_topic(self.bootstrap_servers, topic_of(self.prefix, number), partitions)
            self.topics.append(Topic(number, partitions))
            self.begin_writing(self.topics[-1])
        for name, shape in self.shapes.items():
            configure(self.bootstrap_servers, self.group(name), STEADY_GROUP_CONFIG if shape.is_steady else HURRY)
            for veteran in shape.veterans:
                self._start_veteran(name, shape, veteran)
            for number in range(shape.visitors):
                self.start(
                    f"visitor-{name}-{number}",
                    name,
                    "visitor",
                    mode="visit",
                    commits="sync",
                    stay_s=shape.stay_s,
                    vitals_s=self.vitals_s,
                )

    def _start_veteran(self, name: str, shape: Shape, veteran: Veteran) -> None:
        credentials = self.broker.credentials
        secured = credentials.specification(veteran.credential) if credentials and veteran.credential else {}
        self.start(
            f"veteran-{name}-{veteran.name}",
            name,
            veteran.kind,
            mode=veteran.mode,
            commits=veteran.commits,
            loop=veteran.loop,
            topics=shape.topics,
            is_steady=shape.is_steady,
            vitals_s=self.vitals_s,
            **secured,
        )

    @property
    def shapes(self) -> dict[str, Shape]:
        """Return the groups that are here: those of a steady life need a broker that asks for credentials."""
        has_credentials = self.broker.credentials is not None
        return {name: shape for name, shape in SHAPES.items() if has_credentials or not shape.is_steady}

    def begin_writing(self, topic: Topic) -> None:
        name = topic_of(self.prefix, topic.number)
        self.ledger.begin(name, topic.number * 1000, topic.incarnation, topic.partitions)

    def group(self, shape: str) -> str:
        return f"{self.prefix}.{shape}"

    # ---- members

    def start(self, name: str, shape: str, kind: str, **more: Any) -> Member:
        """Start a member; what ``more`` does not say is as usual."""
        group = self.group(shape)
        protocols = SHAPES[shape].protocols if shape in SHAPES else ("consumer",)
        is_steady = bool(more.get("is_steady"))
        config = base_config(self.bootstrap_servers, group, self.chance.choice(protocols), is_steady)
        specification = {
            "prefix": self.prefix,
            "topics": TOPICS,
            "pattern": False,
            "seed": self.chance.getrandbits(32),
            **more,
            "config": {**config, "client.id": name, **self._event_log(name), **more.get("config", {})},
        }
        self.readers[name] = Reader.of(name, specification)
        self.note("start", name, f"{kind} {specification}")
        return self.fleet.start(name, group, kind, specification)

    def _event_log(self, name: str) -> dict[str, str]:
        """Some of those that stay for a while keep an event log of their own."""
        keeps = name == "veteran-storm-sync" or (not name.startswith("v") and self.chance.random() < 0.5)
        return {"history.log.dir": str(self.logs / EVENT_LOGS)} if keeps else {}

    def start_worker(self, shape: str) -> Member:
        taken = {member.instance for member in self.members(shape)}
        free = [name for name in INSTANCES if name not in taken]
        kind, specification = draw_specification(self.chance, free)
        return self.start(f"{shape}-{next(self._numbers)}", shape, kind, **specification)

    def members(self, shape: str) -> list[Member]:
        return [member for member in list(self.fleet.members.values()) if member.group == self.group(shape)]

    def workers(self, shape: str) -> list[Member]:
        """Return those of them that come and go, and were not asked to end."""
        return [
            member for member in self.members(shape) if member.name.startswith(f"{shape}-") and member.can_be_disturbed
        ]

    def is_ready(self) -> bool:
        """Return whether all have begun that were started, and few have yet to end: this machine keeps up."""
        members = list(self.fleet.members.values())
        return all(each.is_ready for each in members) and sum(each.asked_at is not None for each in members) < 4

    def trouble(self, member: Member, lasts_s: float = 0.0) -> None:
        now = time.monotonic()
        self.judge.trouble(member.name, now, now + lasts_s)
        self.note("trouble", member.name, f"{now} {now + lasts_s}")

    def end(self, member: Member, times: int = 1) -> None:
        if times > 1:  # the second may be its death
            self.trouble(member, FOREVER)
        self.fleet.ask_to_end(member, times)

    # ---- what is there

    def ends(self, shape: str) -> dict[int, int]:
        ends, topics = self.ledger.snapshot(), self.topics[: SHAPES[shape].topics]
        return {key: ends.get(key, 0) for topic in topics if topic.is_there for key in topic.keys_now()}

    def is_settled(self, shape: str) -> bool:
        names = [member.name for member in self.members(shape)]
        return self.holdings.are_settled(names, sum(PARTITIONS[: SHAPES[shape].topics]), time.monotonic())

    # ---- being told

    def hear(self, member: Member, line: Line) -> None:
        if line.what == "vitals":
            self.vitals[member.name].append(Vitals(**json.loads(line.note)))
        elif line.what == "trouble":
            self.errors[_kind_of(line.note)] += 1
        elif line.what == "started":
            member.is_ready = True
            if line.note:
                self.loops[line.note] += 1
        elif line.what == "dead":
            code = member.process.returncode
            line = Line(line.at, "dead", note="killed" if code < 0 else "")
        self.holdings.hear(member.name, line)
        self.judge.hear(self.readers[member.name], line)
        self.note("told", member.name, line.dump())

    def tell(self, what: str, group: str, **more: Any) -> None:
        """Tell the judge what nobody but the soak itself knows."""
        line = Line(time.monotonic(), what, **more)
        self.judge.hear(Reader("soak", group), line)
        self.note("told", f"soak:{group}", line.dump())

    def note(self, what: str, about: str, more: object = "") -> None:
        with self._log_lock:
            self._log.write(f"{time.monotonic():.3f} {what} {about} {more}\n")


def _kind_of(note: str) -> str:
    """Return what was called, the error's type and, of a commit, the codes, without what differs each time."""
    call, _, _ = note.partition("(")
    codes = re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", note)
    return " ".join([call, *dict.fromkeys(codes)])
