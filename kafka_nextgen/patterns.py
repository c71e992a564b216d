"""Subscribing by pattern: RE2, matched against whole topic names.

The coordinator matches (KIP-848, "Consumer API", ``SubscriptionPattern``), with RE2/J and against the whole name.
Python's ``re`` is another language: it searches unless told otherwise, has look-around and back-references, and
backtracks. So a pattern is looked at here before it is sent:

* what no RE2 takes (look-around, back-references, possessive quantifiers) is refused at once;
* what google-re2 does not take, but RE2/J might, is sent with a warning: the two differ in corners, and the
  coordinator decides;
* an anchor at one end only is a sign that searching was meant, and causes a warning.
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

#: Constructs of Python's ``re`` that RE2 has none of, each with its name. Escapes are blanked out before looking.
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
    """A pattern for ``subscribe``: all topics whose whole name matches, also those created later.

    ``pattern`` is RE2 syntax. Raises ConfigError for what RE2 can't do.
    """

    pattern: str = field()

    @pattern.validator
    def _check(self, _attribute: object, value: str) -> None:
        if not isinstance(value, str) or not value:
            raise ConfigError("a subscription pattern is a string that is not empty")
        _refuse_what_re2_lacks(value)
        _warn_of_what_re2_refuses(value)
        _warn_of_half_anchors(value)

    def preview(self, topics: Iterable[str]) -> tuple[str, ...]:
        """Those of ``topics`` that the pattern matches, sorted; raises ConfigError if google-re2 can't read it."""
        return matching(self.pattern, topics)

    @classmethod
    def of_compiled(cls, compiled: re.Pattern[str]) -> SubscriptionPattern:
        """Take the text of a pattern made by ``re.compile``, with a DeprecationWarning.

        Flags can't be sent unless they are in the text. Raises ConfigError for others, and for bytes.
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
    """Those of ``topics`` whose whole name matches, sorted; raises ConfigError if google-re2 can't read the pattern."""
    import re2  # a library of its own, which takes as long to load as it is rarely needed

    try:
        compiled = re2.compile(pattern, _quiet())
    except re2.error as error:
        raise ConfigError(f"pattern {pattern!r} can't be tried here: {_words_of(error)}") from None
    return tuple(sorted(topic for topic in topics if compiled.fullmatch(topic)))


def _quiet() -> re2.Options:
    import re2

    options = re2.Options()
    options.log_errors = False  # a pattern that can't be read is told as an exception, not on stderr
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
            f"pattern {pattern!r} is not valid RE2 as far as can be told here ({complaint}); the coordinator decides",
            UserWarning,
        )


def re2_complaint(pattern: str) -> str | None:
    """What google-re2 has against a pattern; None if nothing."""
    import re2

    try:
        re2.compile(pattern, _quiet())
    except re2.error as error:
        return _words_of(error)
    return None


def _words_of(error: Exception) -> str:
    """What google-re2 says, which may come as bytes."""
    words = error.args[0] if error.args else error
    return words.decode(errors="replace") if isinstance(words, bytes) else str(words)


def _warn_of_half_anchors(pattern: str) -> None:
    advice = half_anchor_advice(pattern)
    if advice:
        _warn(advice, UserWarning)


def half_anchor_advice(pattern: str) -> str | None:
    """What to write instead if the pattern looks as if searching was meant; None if it does not."""
    searched = [_searched(branch) for branch in _branches(pattern)]
    if not any(searched):
        return None
    meant = "|".join(wanted or branch for wanted, branch in zip(searched, _branches(pattern), strict=True))
    return (
        f"pattern {pattern!r} matches whole topic names, so an anchor at one end says nothing; "
        f"if you meant to search, write {meant!r}"
    )


def _branches(pattern: str) -> list[str]:
    """What ``|`` separates, outside of groups and brackets; each has anchors of its own."""
    plain = _BRACKETS.sub(lambda found: "_" * len(found[0]), _ESCAPE.sub("__", pattern))
    depth, cuts = 0, [-1]
    for at, char in enumerate(plain):
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            cuts.append(at)
    return [pattern[begin + 1 : end] for begin, end in zip(cuts, [*cuts[1:], len(pattern)], strict=True)]


def _searched(branch: str) -> str | None:
    """What a branch with an anchor at one end would be in a search; None if it has no such anchor."""
    begins, ends = branch.startswith("^"), branch.endswith("$") and not branch.endswith("\\$")
    if begins and not ends and not branch.endswith(_OPEN_ENDS):
        return f"{branch[1:]}.*"
    if ends and not begins and not branch.startswith(_OPEN_ENDS):
        return f".*{branch[:-1]}"
    return None


def _warn(message: str, category: type[Warning]) -> None:
    """Warn the application, wherever in its code it came here from: Python hides most warnings about a library."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == __package__ or frame.f_code.co_filename.startswith("<attrs generated")
