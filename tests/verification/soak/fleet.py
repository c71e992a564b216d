"""The worker processes of a soak: started, told, signalled, and always reaped; what they say goes to one place."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field

from tests.endtoend.report import Line
from tests.verification.soak.schedule import SHAPES

ROOT = Path(__file__).parents[3]
PATIENCE_S = 45.0  # for a process to end that was asked to
_MODULES = {
    "sync": "tests.verification.soak.worker",
    "async": "tests.verification.soak.async_worker",
    "visitor": "tests.verification.soak.visitor",
    "idle": "tests.verification.soak.idle_reader",
}


@define(eq=False)
class Member:
    """One process; ``asked_at`` is when it was first asked to end, ``may_die`` whether it may by a signal."""

    name: str
    group: str
    kind: str
    specification: Mapping[str, Any]
    process: subprocess.Popen[str]
    errors: Path
    heard: threading.Thread = field(init=False)
    is_ready: bool = False  # its signal handlers are there
    asked_at: float | None = None
    may_die: bool = False
    stopped_until: float | None = None

    @property
    def mode(self) -> str:
        return str(self.specification["mode"])

    @property
    def runs_handlers(self) -> bool:
        return self.mode == "run"

    @property
    def mixes_protocols(self) -> bool:
        """Whether members of both protocols are in its group."""
        shape = SHAPES.get(self.group.rpartition(".")[2])
        return shape is not None and len(shape.protocols) > 1

    @property
    def is_steady(self) -> bool:
        """Whether nothing is done to it but that its credentials change, and its connections are cut then."""
        return bool(self.specification.get("is_steady"))

    @property
    def can_be_disturbed(self) -> bool:
        """Whether it runs, and nobody has asked it to end."""
        return self.is_ready and self.asked_at is None and self.stopped_until is None

    @property
    def instance(self) -> str | None:
        return self.specification["config"].get("group.instance.id")  # type: ignore[no-any-return]

    def order(self, verb: str, amount: float) -> None:
        """Tell it something; one that has just died does not listen."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{verb} {amount}\n")
            self.process.stdin.flush()
        except OSError:
            return

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def errors_tail(self) -> str:
        return self.errors.read_text(errors="replace")[-3000:]


class Fleet:
    """Leaving the context kills every process that still runs. ``hear`` gets each line, in the thread that read it."""

    def __init__(self, logs: Path) -> None:
        self.members: dict[str, Member] = {}  # those not reaped yet
        self.hear: Callable[[Member, Line], None] = lambda member, line: None
        self.refused: list[str] = []  # members that Kafka refused for good since protocols were mixed
        self._logs = logs

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *exception: object) -> None:
        for member in list(self.members.values()):
            member.process.kill()
            self._reap(member)

    def start(self, name: str, group: str, kind: str, specification: Mapping[str, Any]) -> Member:
        errors = self._logs / f"{name}.stderr"
        command = [sys.executable, "-X", "faulthandler", "-m", _MODULES[kind], json.dumps(specification)]
        with errors.open("w") as stderr:
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True
            )
        member = self.members[name] = Member(name, group, kind, specification, process, errors)
        member.heard = threading.Thread(target=self._listen, args=(member,), daemon=True)
        member.heard.start()
        return member

    def ask_to_end(self, member: Member, times: int = 1) -> None:
        """Send SIGTERM so many times; it has ``PATIENCE_S`` from the first."""
        member.asked_at = member.asked_at or time.monotonic()
        member.may_die |= times > 1 or not member.is_ready or member.runs_handlers  # nothing handles SIGTERM for it
        for _ in range(times):
            member.signal(signal.SIGTERM)
            time.sleep(0.05 if times > 1 else 0)

    def kill(self, member: Member) -> None:
        """Kill with SIGKILL, and return when it is dead and all it said was heard."""
        member.may_die = True
        member.process.kill()
        self._reap(member)

    def reap(self) -> list[str]:
        """Take away the processes that have ended; return what is wrong with any, also with one that does not end."""
        found = []
        for member in list(self.members.values()):
            code = member.process.poll()
            if code is not None:
                self._reap(member)
                if is_refused(member):
                    self.refused.append(member.name)
                elif complaint := _complaint(member, code):
                    found.append(complaint)
            elif member.asked_at is not None and time.monotonic() > member.asked_at + PATIENCE_S:
                self._abort(member)
                found.append(f"{member.name} did not end within {PATIENCE_S:.0f} s of SIGTERM\n{member.errors_tail()}")
                self.kill(member)
        return found

    def _abort(self, member: Member) -> None:
        """Have it write the stacks of its threads, and give it a moment for that."""
        member.signal(signal.SIGABRT)
        with suppress(subprocess.TimeoutExpired):
            member.process.wait(5)

    def _reap(self, member: Member) -> None:
        member.process.wait()
        member.heard.join()
        for pipe in (member.process.stdin, member.process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # what was written last reached nobody
                continue
        del self.members[member.name]
        self.hear(member, Line(time.monotonic(), "dead"))

    def _listen(self, member: Member) -> None:
        assert member.process.stdout is not None
        for text in member.process.stdout:
            if text.endswith("\n"):  # or it was cut short by SIGKILL: it was never told
                self.hear(member, Line.load(text))


def is_refused(member: Member) -> bool:
    """Whether Kafka ended a member of a group of both protocols with an error that is fatal in Java's consumer, too.

    GROUP_ID_NOT_FOUND is for a member of the consumer protocol that was removed while a classic member made the empty
    group a classic one. UNKNOWN_SERVER_ERROR comes of a defect: one that joins a classic group which forms its first
    generation makes the coordinator fail (``NoSuchElementException`` in ``ConsumerGroup.fromClassicGroup``).
    """
    last = member.errors_tail().rstrip().rpartition("\n")[2]
    return member.mixes_protocols and any(code in last for code in ("GROUP_ID_NOT_FOUND", "UNKNOWN_SERVER_ERROR"))


def _complaint(member: Member, code: int) -> str:
    if code == 0 and member.asked_at is not None:
        return ""
    if code < 0 and member.may_die:
        return ""
    return f"{member.name} ended by itself with exit code {code}\n{member.errors_tail()}"
