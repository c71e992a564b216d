"""Predicts whether Kafka's brokers accept a regular expression: RE2/J 1.8 (Kafka 4.0 to 4.4), checked with google-re2.

The two engines accept nearly the same patterns and match topic names in the same way. The differences are:

| pattern | RE2/J 1.8 | google-re2 |
|---|---|---|
| ``\\C``, one byte | refuses | accepts |
| ``{*``: an operator after a literal brace | refuses | accepts |
| two groups of the same name, a non-ASCII name | refuses | accepts |
| ``\\p{Kawi}``: a script added after Unicode 6.0 | refuses | accepts |
| a backslash before a non-ASCII character | accepts | refuses |
| ``(a{10}){101}``: nested counts whose product exceeds 1,000 | accepts: bounds each count | refuses |
| a pattern that needs much memory | accepts | refuses |

So a pattern is accepted, refused, or, in the last two rows, undecidable here. google-re2 has no wheels for musl (Alpine
Linux), and is not installed there: then a pattern that the first rows do not refuse is undecidable, and only the broker
checks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Protocol

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = [
    "Judgement",
    "Matcher",
    "Verdict",
    "google_complaint",
    "is_google_re2_installed",
    "judge",
    "matcher_of",
    "tokens",
]

_NOT_INSTALLED = "google-re2 is not installed (pip install google-re2)"

#: The memory google-re2 may use for one pattern; with its default of 8 MiB it refuses ``\\pL{500}``.
_MOST_MEMORY_BYTES = 64 * 1024 * 1024
_MOST_REPEATS = 1000  # the highest count in both engines

#: The classes of RE2/J 1.8: scripts of Unicode 6.0, and general categories.
_CLASS_NAMES = (
    "Arabic Armenian Avestan Balinese Bamum Batak Bengali Bopomofo Brahmi Braille Buginese Buhid "
    "Canadian_Aboriginal Carian Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari "
    "Egyptian_Hieroglyphs Ethiopic Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Han Hangul Hanunoo Hebrew "
    "Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada "
    "Katakana Kayah_Li Kharoshthi Khmer Lao Latin Lepcha Limbu Linear_B Lisu Lycian Lydian Malayalam Mandaic "
    "Meetei_Mayek Mongolian Myanmar New_Tai_Lue Nko Ogham Ol_Chiki Old_Italic Old_Persian Old_South_Arabian "
    "Old_Turkic Oriya Osmanya Phags_Pa Phoenician Rejang Runic Samaritan Saurashtra Shavian Sinhala Sundanese "
    "Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tamil Telugu Thaana Thai Tibetan Tifinagh "
    "Ugaritic Vai Yi Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So "
    "Z Zl Zp Zs"
)
_CLASSES = frozenset(_CLASS_NAMES.split())

_TOKEN = lazy_pattern(
    r"""
    (?P<quoted>\\Q.*?(?:\\E|\Z))
    |(?P<escape>\\(?:[pP](?:\{[^}\\]*\}|.)|x\{[^}\\]*\}|x[0-9A-Fa-f]{2}|0[0-7]{0,2}|[1-7][0-7]{1,2}|.))
    |(?P<set>\[\^?\]?(?:\[:\^?[a-z]+:\]|\\(?:[pP]\{[^}\\]*\}|(?![pP]\{[^}\\]*\}).)|[^\]\\])*\])
    |(?P<rest>\[.*)  # a set that is not closed
    |(?P<group>\(\?(?:P?<[^>=!(]*>|[A-Za-z-]*[:)]|P[=>]|<?.)|\()
    |(?P<count>\{[0-9]+(?:,[0-9]*)?\})
    |(?P<char>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = ("*", "+", "?")
_GROUP_NAME = lazy_pattern(r"\(\?P?<([^>=!]*)>")
_CLASS_NAME = lazy_pattern(r"\\[pP]\{\^?([^}]*)\}")
_ESCAPE = lazy_pattern(r"\\(?:[pP]\{[^}\\]*\}|.)", re.DOTALL)


class Verdict(Enum):
    """Whether a broker accepts a pattern."""

    TAKEN = "taken"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@frozen
class Judgement:
    """The verdict, and the reason unless the pattern is accepted."""

    verdict: Verdict
    reason: str | None = None


class Matcher(Protocol):
    """A compiled pattern."""

    def fullmatch(self, text: str) -> object | None:
        """Match the whole text."""


def judge(pattern: str) -> Judgement:
    """Return whether Kafka's brokers accept the pattern, or that this can't be determined here."""
    has_engine = is_google_re2_installed()
    complaint = google_complaint(pattern) if has_engine else None
    if complaint is not None and not _is_about_size(pattern, complaint):
        return Judgement(Verdict.REFUSED, complaint)
    reason = next(_refused_by_re2j(pattern), None)
    if reason is not None:
        return Judgement(Verdict.REFUSED, reason)
    if not has_engine:
        return Judgement(Verdict.UNKNOWN, _NOT_INSTALLED)
    if complaint is not None:
        return Judgement(Verdict.UNKNOWN, f"it is too large for google-re2 ({complaint})")
    return Judgement(Verdict.TAKEN)


def is_google_re2_installed() -> bool:
    """Whether patterns can be checked and matched here."""
    try:
        import re2  # noqa: F401  (slow to load and rarely needed)
    except ImportError:
        return False
    return True


def google_complaint(pattern: str) -> str | None:
    """google-re2's error message for a pattern; None if it is valid.

    Raises ImportError if google-re2 is not installed.
    """
    import re2

    try:
        matcher_of(pattern)
    except re2.error as error:
        words = error.args[0] if error.args else error
        return words.decode(errors="replace") if isinstance(words, bytes) else str(words)
    return None


@lru_cache(maxsize=1024)
def matcher_of(pattern: str) -> Matcher:
    """Compile the pattern. Raises ``re2.error`` if google-re2 refuses it, and ImportError if it is not installed."""
    import re2

    options = re2.Options()
    options.log_errors = False  # the exception suffices
    options.max_mem = _MOST_MEMORY_BYTES
    compiled: Matcher = re2.compile("".join(_for_google(kind, text) for kind, text in tokens(pattern)), options)
    return compiled


def tokens(pattern: str) -> Iterator[tuple[str, str]]:
    """Split a pattern into quoted text, escapes, sets, beginnings of groups, counts, and single characters.

    The time is linear in the length even if groups and brackets are never closed, because patterns come from group
    members.
    """
    for found in _TOKEN.finditer(pattern):
        yield str(found.lastgroup), found[0]


def _for_google(kind: str, text: str) -> str:
    if kind not in ("escape", "set"):
        return text
    return _ESCAPE.sub(lambda found: found[0] if found[0][1].isascii() else found[0][1:], text)


def _refused_by_re2j(pattern: str) -> Iterator[str]:
    """Why RE2/J refuses a pattern that google-re2 accepts."""
    yield from _refused_groups(pattern)
    previous = ""
    for kind, text in tokens(pattern):
        if previous == "{" and (kind == "count" or text in _OPERATORS):
            yield f"invalid nested repetition operator: {{{text}"
        previous = text if kind == "char" else ""
        if kind == "escape" and text == r"\C":
            yield r"invalid escape sequence: \C"
        if kind in ("escape", "set"):
            yield from (f"invalid character class range: {text}" for name in _class_names(text) if name not in _CLASSES)


def _refused_groups(pattern: str) -> Iterator[str]:
    names: set[str] = set()
    for kind, text in tokens(pattern):
        if kind == "group" and (named := _GROUP_NAME.match(text)):
            if named[1] in names:
                yield f"duplicate capture group name: {named[1]}"
            if not named[1].isascii():
                yield f"invalid named capture: {text}"
            names.add(named[1])


def _class_names(text: str) -> Iterator[str]:
    """The names in ``\\p{...}`` of an escape or a set."""
    for escape in _ESCAPE.findall(text):
        if found := _CLASS_NAME.fullmatch(escape):
            yield found[1]


def _is_about_size(pattern: str, complaint: str) -> bool:
    """Whether google-re2 refuses only because of its size limits: RE2/J bounds each count, but not their product."""
    if complaint.startswith("pattern too large"):
        return True
    return complaint.startswith("invalid repetition size") and all(
        _is_count(text) for kind, text in tokens(pattern) if kind == "count"
    )


def _is_count(text: str) -> bool:
    low, _, high = text[1:-1].partition(",")
    return int(low) <= int(high or low) <= _MOST_REPEATS
