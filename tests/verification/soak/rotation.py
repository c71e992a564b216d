"""Changes the credentials of a soak's members from time to time, and cuts their connections: new ones use them."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable

from tests.verification.soak.credentials import Credentials
from tests.verification.soak.stage import Stage

EVERY_S = 12.0
LATE_S = 1.5  # members are refused meanwhile; their sessions are longer


class Rotation:
    """Does one thing at a time, in a thread, from ``begin`` to ``end``; ``counts`` has how often each was done."""

    def __init__(
        self, stage: Stage, credentials: Credentials, every_s: float = EVERY_S, late_s: float = LATE_S
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._stage, self._credentials = stage, credentials
        self._every_s, self._late_s = every_s, late_s
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="rotation", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        steps = (
            ("password", self.rotate_password),
            ("certificate", self.renew_certificate),
            ("password, told late", self.rotate_password_late),
        )
        for name, step in itertools.cycle(steps):
            if self._is_over.wait(self._every_s):
                return
            self._carefully(name, step)

    def _carefully(self, name: str, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # members are told another password than the broker takes
            self._stage.judge.find(f"changing a credential ({name}) failed: {error!r}")
        else:
            self.counts[name] += 1

    def rotate_password(self) -> None:
        """Change the password, tell it, and cut the connections that were let in by the old one."""
        self._tell("changing", "password")
        self._credentials.change_password()
        self._credentials.tell_password()
        self._cut("password")
        self._tell("changed", "password")

    def rotate_password_late(self) -> None:
        """The same, but members have only the old password when their connections are cut: they are refused first."""
        self._tell("changing", "password")
        self._credentials.change_password()
        self._cut("password")
        self._is_over.wait(self._late_s)
        self._credentials.tell_password()
        self._tell("changed", "password")

    def renew_certificate(self) -> None:
        """Renew the certificate long before the old one expires: no one may be refused."""
        self._credentials.renew_certificate()
        self._cut("certificate")
        self._stage.note("event", "renewed", "certificate")

    def _cut(self, credential: str) -> None:
        for member in list(self._stage.fleet.members.values()):
            if member.specification.get("credential") == credential and member.can_be_disturbed:
                member.order("cut", 0)

    def _tell(self, what: str, credential: str) -> None:
        self._stage.tell(what, "", note=credential)
