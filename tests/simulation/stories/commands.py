"""A recorded run as commands of the cluster world: all that was done in it, and each decision that is not plain.

A decision that is still to come is said before the latest thing that was done, with how many of its kind come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.simulation.stories.recording import Asked, Done, Recording
from tests.simulation.stories.seams import written
from tests.simulation.stories.world import PLAIN_REQUEST_TIMEOUT, PLAIN_SETTINGS
from tests.simulation.timeline import BEGINNING

__all__ = ["commands_in"]

#: So much virtual time after the last event all heals, or the story ends: times are written as rounded differences.
_ROOM_S = 1e-6


def commands_in(recording: Recording, *, settles: bool) -> Iterator[str]:
    """All that was decided and done in a run; ``settles`` if it was looked at how the group settles."""
    yield from _settings(recording)
    if settles:
        yield from _actions(recording.log.entries)
        yield "settle"
    else:
        yield from _actions([*recording.log.entries, Done(recording.timeline.now, "")])


def _settings(recording: Recording) -> Iterator[str]:
    settings = recording.cluster.settings
    said = []
    for option, (field_name, plain) in PLAIN_SETTINGS.items():
        value = getattr(settings, field_name)
        if value != plain:
            said.append(f"{option}={_setting(option, value)}")
    timeout = written(recording._request_timeout_s)
    if timeout != PLAIN_REQUEST_TIMEOUT:
        said.append(f"request_timeout={timeout}")
    if said:
        yield f"settings {' '.join(said)}"


def _setting(option: str, value: object) -> str:
    if option == "migration":
        return str(value.value)  # type: ignore[attr-defined]
    return str(value) if option == "max_size" else f"{value}ms"


def _actions(entries: Sequence[Asked | Done]) -> Iterator[str]:
    now = BEGINNING
    yield from _decided(entries, -1)
    for place, entry in enumerate(entries):
        if not isinstance(entry, Done):
            continue
        due = entry.at + (_ROOM_S if entry.command in ("heal", "") else 0.0)
        if due > now:
            yield f"tick {written(due - now)}"
            now = due
        yield from _decided(entries, place)
        if entry.command:
            yield entry.command


def _decided(entries: Sequence[Asked | Done], place: int) -> Iterator[str]:
    """What is decided after this, until something is done."""
    counts: dict[tuple[str, str], int] = {}
    for entry in entries[place + 1 :]:
        if isinstance(entry, Done):
            return
        nth = counts[entry.owner, entry.word] = counts.get((entry.owner, entry.word), 0) + 1
        if not entry.is_plain:
            yield _next(entry, nth)


def _next(asked: Asked, nth: int) -> str:
    value = f" {asked.value}" if asked.value else ""
    return f"next {asked.owner} {asked.word}{value}{f' nth={nth}' if nth > 1 else ''}"
