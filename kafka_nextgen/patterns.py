"""Subscription patterns: RE2 expressions that match whole topic names.

The coordinator matches them with RE2/J (KIP-848, "Consumer API", ``SubscriptionPattern``). Python's ``re`` differs: it
searches by default, and has look-around and back-references. So patterns are checked before they are sent:

* constructs that RE2 does not have (look-around, back-references, possessive quantifiers) are refused;
* patterns that google-re2 refuses cause a warning, since RE2/J may accept them;
* an anchor at only one end causes a warning, since the user may expect a search.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING

from attrs import field, frozen

from kafka_nextgen.errors import ConfigError

if TYPE_CHECKING:
    import re2

__all__ = ["SubscriptionPattern", "half_anchor_advice", "matching", "re2_complaint"]

#: Constructs of Python's ``re`` that RE2 does not have, with their names. Escapes are removed before the search.
_NOT_RE2 = (
    (re.compile(r"\(\?<?[=!]"), "look-around"),
    (re.compile(r"\(\?P=\w+\)"), "back-references"),
    (re.compile(r"[*+?}]\+"), "possessive quantifiers"),
    (re.compile(r"\(\?>"), "atomic groups"),
    (re.compile(r"\(\?\("), "conditions"),
)
_BACK_REFERENCE = re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]")
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_BRACKETS = re.compile(r"\[\^?\]?[^\]]*\]")
_OPEN_ENDS = (".*", ".+", ".*?", ".+?")


@frozen
class SubscriptionPattern:
    """A pattern for ``subscribe``: all topics whose whole name matches, including topics created later.

    ``pattern`` has RE2's syntax. Raises ConfigError for constructs that RE2 does not have.
    """

    pattern: str = field()

    @pattern.validator
    def _check(self, _attribute: object, value: str) -> None:
        if not isinstance(value, str) or not value:
            raise ConfigError("a subscription pattern must be a non-empty string")
        _refuse_what_re2_lacks(value)
        _warn_of_what_re2_refuses(value)
        _warn_of_half_anchors(value)

    def preview(self, topics: Iterable[str]) -> tuple[str, ...]:
        """The topics that the pattern matches, sorted. Raises ConfigError if google-re2 refuses the pattern."""
        return matching(self.pattern, topics)

    @classmethod
    def of_compiled(cls, compiled: re.Pattern[str]) -> SubscriptionPattern:
        """Convert a pattern of ``re.compile``, with a DeprecationWarning.

        Raises ConfigError for bytes, and for flags that are not in the text, since only the text is sent.
        """
        _warn(
            "subscribe(re.compile(...)) sends the pattern's text to be matched by RE2 against whole names; "
            "use SubscriptionPattern(...)",
            DeprecationWarning,
        )
        if not isinstance(compiled.pattern, str) or compiled.flags != re.compile(compiled.pattern).flags:
            raise ConfigError(f"{compiled!r} can't be sent: write flags into the pattern, as in (?i)orders-.*")
        return cls(compiled.pattern)


def matching(pattern: str, topics: Iterable[str]) -> tuple[str, ...]:
    """The topics whose whole name matches, sorted. Raises ConfigError if google-re2 refuses the pattern."""
    import re2  # slow to load and rarely needed

    try:
        compiled = re2.compile(pattern, _quiet())
    except re2.error as error:
        raise ConfigError(f"pattern {pattern!r} can't be tried here: {_words_of(error)}") from None
    return tuple(sorted(topic for topic in topics if compiled.fullmatch(topic)))


def _quiet() -> re2.Options:
    import re2

    options = re2.Options()
    options.log_errors = False  # an exception is enough
    return options


def _refuse_what_re2_lacks(pattern: str) -> None:
    plain = _BRACKETS.sub("[]", _ESCAPE.sub("__", pattern))
    found = [name for construct, name in _NOT_RE2 if construct.search(plain)]
    if _BACK_REFERENCE.search(pattern):
        found.append("back-references")
    if found:
        raise ConfigError(f"pattern {pattern!r} uses {' and '.join(found)}, which RE2 does not have")


def _warn_of_what_re2_refuses(pattern: str) -> None:
    complaint = re2_complaint(pattern)
    if complaint:
        _warn(
            f"pattern {pattern!r} is not valid for google-re2 ({complaint}); the coordinator decides",
            UserWarning,
        )


def re2_complaint(pattern: str) -> str | None:
    """google-re2's error message for a pattern; None if it is valid."""
    import re2

    try:
        re2.compile(pattern, _quiet())
    except re2.error as error:
        return _words_of(error)
    return None


def _words_of(error: Exception) -> str:
    """The message of an error of google-re2, which may be bytes."""
    words = error.args[0] if error.args else error
    return words.decode(errors="replace") if isinstance(words, bytes) else str(words)


def _warn_of_half_anchors(pattern: str) -> None:
    advice = half_anchor_advice(pattern)
    if advice:
        _warn(advice, UserWarning)


def half_anchor_advice(pattern: str) -> str | None:
    """Advice for a pattern that looks as if its author expects a search; None for others."""
    searched = [_searched(branch) for branch in _branches(pattern)]
    if not any(searched):
        return None
    meant = "|".join(wanted or branch for wanted, branch in zip(searched, _branches(pattern), strict=True))
    return (
        f"pattern {pattern!r} matches whole topic names, so an anchor at one end has no effect; "
        f"if you mean a search, write {meant!r}"
    )


def _branches(pattern: str) -> list[str]:
    """The alternatives outside groups and brackets; each has its own anchors."""
    plain = _BRACKETS.sub(lambda found: "_" * len(found[0]), _ESCAPE.sub("__", pattern))
    depth, cuts = 0, [-1]
    for at, char in enumerate(plain):
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            cuts.append(at)
    return [pattern[begin + 1 : end] for begin, end in zip(cuts, [*cuts[1:], len(pattern)], strict=True)]


def _searched(branch: str) -> str | None:
    """The equivalent of a search for a branch with an anchor at one end; None for other branches."""
    begins, ends = branch.startswith("^"), branch.endswith("$") and not branch.endswith("\\$")
    if begins and not ends and not branch.endswith(_OPEN_ENDS):
        return f"{branch[1:]}.*"
    if ends and not begins and not branch.startswith(_OPEN_ENDS):
        return f".*{branch[:-1]}"
    return None


def _warn(message: str, category: type[Warning]) -> None:
    """Attribute the warning to the application's code, since Python hides most warnings about libraries."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == __package__ or frame.f_code.co_filename.startswith("<attrs generated")
