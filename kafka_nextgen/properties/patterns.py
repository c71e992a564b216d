"""Subscription patterns: RE2 expressions that match whole topic names.

The coordinator matches them with RE2/J (KIP-848, "Consumer API", ``SubscriptionPattern``). Python's ``re`` differs: it
searches by default, and has look-around and back-references. So patterns are checked before they are sent:

* constructs that RE2 does not have (look-around, back-references, possessive quantifiers) are refused;
* patterns that RE2/J refuses (``kafka_nextgen.properties.re2j``), or for which this can't be determined here, cause a
  warning, since the broker may use another version of RE2/J; without google-re2 only the broker checks the rest;
* an anchor at only one end causes a warning, since the user may expect a search.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable
from types import FrameType

from attrs import field

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.re2j import Verdict, is_google_re2_installed, judge, matcher_of, tokens

__all__ = ["SubscriptionPattern", "half_anchor_advice", "matching"]

#: Constructs of Python's ``re`` that RE2 does not have, with their names; searched for outside escapes and sets.
_NOT_RE2 = (
    (lazy_pattern(r"\(\?<?[=!]"), "look-around"),
    (lazy_pattern(r"\(\?P=\w+\)|\\[1-9]"), "back-references"),
    (lazy_pattern(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\+"), "possessive quantifiers"),
    (lazy_pattern(r"\(\?>"), "atomic groups"),
    (lazy_pattern(r"\(\?\("), "conditions"),
)
_BACK_REFERENCE = lazy_pattern(r"\\[1-9]")
_FLAGS = lazy_pattern(r"(?:\(\?[A-Za-z-]+\))*")
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
        _warn_of_what_kafka_refuses(value)
        _warn_of_half_anchors(value)

    def preview(self, topics: Iterable[str]) -> tuple[str, ...]:
        """The topics that the pattern matches, sorted.

        Raises ConfigError if Kafka's RE2/J refuses the pattern, if the pattern is too large to try here, or if
        google-re2 is not installed.
        """
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
    """The topics whose whole name matches, sorted.

    Raises ConfigError unless the pattern is valid for both engines, and if google-re2 is not installed.
    """
    judgement = judge(pattern)
    if judgement.verdict is not Verdict.TAKEN:
        raise ConfigError(f"pattern {pattern!r} can't be tried here: {judgement.reason}")
    compiled = matcher_of(pattern)
    return tuple(sorted(topic for topic in topics if compiled.fullmatch(topic)))


def _refuse_what_re2_lacks(pattern: str) -> None:
    plain = _plain(pattern, keep=_BACK_REFERENCE)
    found = [name for construct, name in _NOT_RE2 if construct.search(plain)]
    if found:
        raise ConfigError(f"pattern {pattern!r} uses {' and '.join(found)}, which RE2 does not have")


def _plain(pattern: str, keep: re.Pattern[str] | None = None) -> str:
    """The pattern with quoted text, sets and escapes replaced by underscores, except for those that match ``keep``."""
    return "".join(
        text if kind in ("group", "count", "char") or (keep and keep.fullmatch(text)) else "_" * len(text)
        for kind, text in tokens(pattern)
    )


def _warn_of_what_kafka_refuses(pattern: str) -> None:
    judgement = judge(pattern)
    if judgement.verdict is Verdict.REFUSED:
        _warn(f"pattern {pattern!r} is not valid for RE2/J ({judgement.reason}); the coordinator decides", UserWarning)
    elif judgement.verdict is Verdict.UNKNOWN and is_google_re2_installed():
        _warn(f"pattern {pattern!r} can't be checked here: {judgement.reason}; the coordinator decides", UserWarning)


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
    """The top-level alternatives, outside groups and brackets; each has its own anchors."""
    plain = _plain(pattern)
    depth, cuts = 0, [-1]
    for at, char in enumerate(plain):
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            cuts.append(at)
    return [pattern[begin + 1 : end] for begin, end in zip(cuts, [*cuts[1:], len(pattern)], strict=True)]


def _searched(branch: str) -> str | None:
    """The equivalent of a search for a branch with an anchor at one end; None for other branches."""
    flags = _FLAGS.match(branch)
    body = branch[flags.end() :] if flags else branch
    begins, ends = body.startswith("^"), _plain(body).endswith("$")
    if begins and not ends and not body.endswith(_OPEN_ENDS):
        return f"{branch[: -len(body)]}{body[1:]}.*"
    if ends and not begins and not body.startswith(_OPEN_ENDS):
        return f"{branch[: -len(body)]}.*{body[:-1]}"
    return None


def _warn(message: str, category: type[Warning]) -> None:
    """Attribute the warning to the application's code, since Python hides most warnings about libraries.

    The number of library frames in between varies. From Python 3.12 on ``skip_file_prefixes`` would do the same.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == "kafka_nextgen" or frame.f_code.co_filename.startswith("<attrs generated")
