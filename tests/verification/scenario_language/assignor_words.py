"""How scenarios write what members and assignors of the application's own say to each other.

A member's word is ``v1:heavy``, metadata of version 1; with ``/r3`` for a reason and ``/0-2`` for the versions that it
reads. An assignor's is ``v1:light``, with ``/e2`` for an error; or ``INVALID_ASSIGNMENT:why`` if it failed.
"""

from __future__ import annotations

import re

from attrs import evolve

from kafka_nextgen.assignors.spec import AssignorMetadata, ClientAssignor, Metadata
from kafka_nextgen.assignors.user_data import AssignorWord, Failure, MemberWord
from kafka_nextgen.codes import ErrorCode, name_of
from tests.verification.scenario_language.notation import NotationError

_METADATA = re.compile(r"v(?P<version>-?\d+)(?::(?P<payload>.*))?")
_REASON = re.compile(r"r(-?\d+)")
_ERROR = re.compile(r"e(-?\d+)")
_VERSIONS = re.compile(r"(-?\d+)-(\d+)")
_FAILURE = re.compile(r"(?P<code>[A-Z_]+):(?P<message>.*)")

#: The word of a member that has nothing to say.
_SILENT = MemberWord(AssignorMetadata(), 0, 0)


def client_assignor(name: str, word: MemberWord) -> ClientAssignor:
    """The assignor of that name, as a member that says this tells of it."""
    return ClientAssignor(name, word.minimum_version, word.maximum_version, word.said.reason, word.said.metadata)


def parse_member_word(text: str, before: MemberWord = _SILENT) -> MemberWord:
    """Read ``v1:heavy/r3/0-2``; what is not written is as ``before``. Raises ``NotationError``."""
    word = before
    for part in text.split("/"):
        if match := _METADATA.fullmatch(part):
            word = evolve(word, said=evolve(word.said, metadata=_metadata(match)))
        elif match := _REASON.fullmatch(part):
            word = evolve(word, said=evolve(word.said, reason=int(match[1])))
        elif match := _VERSIONS.fullmatch(part):
            word = evolve(word, minimum_version=int(match[1]), maximum_version=int(match[2]))
        else:
            raise NotationError(f"{text!r} is no word to an assignor: write v1:heavy/r3/0-2")
    return word


def write_member_word(word: MemberWord) -> str:
    """Write ``v1:heavy/r3``; the versions that a member reads are not told."""
    reason = f"/r{word.said.reason}" if word.said.reason else ""
    return _written(word.said.metadata) + reason


def parse_assignor_word(text: str) -> AssignorWord:
    """Read ``v1:light/e2`` or ``INVALID_ASSIGNMENT:why``. Raises ``NotationError``."""
    if (match := _FAILURE.fullmatch(text)) and match["code"] in ErrorCode.__members__:
        return AssignorWord(failure=Failure(ErrorCode[match["code"]], match["message"]))
    word = AssignorWord()
    for part in text.split("/"):
        if match := _METADATA.fullmatch(part):
            word = evolve(word, metadata=_metadata(match))
        elif match := _ERROR.fullmatch(part):
            word = evolve(word, error=int(match[1]))
        else:
            raise NotationError(f"{text!r} is no word of an assignor: write v1:light/e2, or INVALID_ASSIGNMENT:why")
    return word


def write_assignor_word(word: AssignorWord) -> str:
    """Write ``v1:light/e2`` or ``INVALID_ASSIGNMENT``; empty if it says nothing."""
    if word.failure is not None:
        return name_of(word.failure.code)
    said = [_written(word.metadata)] if word.metadata is not None else []
    return "/".join(said + ([f"e{word.error}"] if word.error else []))


def _metadata(match: re.Match[str]) -> Metadata:
    return Metadata(int(match["version"]), (match["payload"] or "").encode())


def _written(metadata: Metadata) -> str:
    payload = metadata.payload.decode(errors="replace")
    return f"v{metadata.version}:{payload}" if payload else f"v{metadata.version}"
