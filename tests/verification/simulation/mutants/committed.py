"""Bugs around offsets: who may commit, what a commit or a lookup that fails means, and in which order commits go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.offsets import auto_commit, commits, ending, lookups, machine, order, sending
from kafka_nextgen.membership.offsets.events import CommitAnswered, CommitLost, LookupAnswered
from kafka_nextgen.membership.offsets.rules import RULES
from kafka_nextgen.testing.coordinator import coordinator, offsets
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.requests import OffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from tests.verification.simulation.mutants.planting import Garden, Plant


def _accepts_strangers(garden: Garden) -> None:
    def instead(refuse: Any, draft: Draft, request: OffsetCommit) -> ErrorCode:
        is_stranger = request.member_id not in draft.group.members
        return ErrorCode.NONE if is_stranger else refuse(draft, request)

    garden.wrap(offsets, "_refuse_commit", instead)


def _says_it_is_committed(garden: Garden) -> None:
    def instead(commit: Any, draft: Draft, request: OffsetCommit) -> Outcome:
        outcome: Outcome = commit(draft, request)
        is_refused = isinstance(outcome.response, OffsetsCommitted) and any(outcome.response.errors.values())
        return outcome if is_refused or len(outcome.records) < 2 else evolve(outcome, records=outcome.records[:-1])

    garden.wrap_entry(coordinator._ON_ONE_GROUP, OffsetCommit, instead)


def _takes_errors_for_no_offset(garden: Garden) -> None:
    def instead(rule: Any, state: Any, event: LookupAnswered, at: Any) -> Any:
        lookup = lookups._returned(state, event.number)[2]
        none = {} if lookup is None else dict.fromkeys(lookup.left)
        found = none | {tp: at_offset for tp, at_offset in event.offsets.items() if not event.codes.get(tp)}
        return rule(state, LookupAnswered(event.number, none if event.code else found, {}, 0), at)

    garden.wrap_entry(machine.RULES, LookupAnswered, instead)


def _takes_what_is_left_out_for_no_offset(garden: Garden) -> None:
    def instead(rule: Any, state: Any, event: LookupAnswered, at: Any) -> Any:
        left_out = {tp for tp, code in event.codes.items() if RULES.fetch.get(code) is ErrorAction.LEAVE_OUT}
        codes = {tp: code for tp, code in event.codes.items() if tp not in left_out}
        return rule(state, evolve(event, offsets={**event.offsets, **dict.fromkeys(left_out)}, codes=codes), at)

    garden.wrap_entry(machine.RULES, LookupAnswered, instead)


def _lets_commits_overtake(garden: Garden) -> None:
    for module in (order, sending):
        garden.set(module, "is_blocked", lambda state, commit: False)
    garden.set(ending, "in_order", lambda commits: tuple(commits))


def _asks_the_wrong_coordinator(garden: Garden) -> None:
    for table in (RULES.commit, RULES.fetch):
        garden.put(table, ErrorCode.NOT_COORDINATOR, ErrorAction.RETRY)


COMMITTED: Mapping[str, Plant] = {
    "accepts-all-commits": lambda garden: garden.set(offsets, "_refuse_commit", lambda draft, request: ErrorCode.NONE),
    "accepts-strangers": _accepts_strangers,
    "accepts-older-epochs": lambda garden: garden.set(offsets, "_had_all_by", lambda *args: True),
    "accepts-no-older-epochs": lambda garden: garden.set(offsets, "_had_all_by", lambda *args: False),
    "stores-all-but-one": _says_it_is_committed,
    "tells-offsets-to-any": lambda garden: garden.set(offsets, "_refuse_fetch", lambda draft, request: ErrorCode.NONE),
    "offsets-of-deleted-topics": lambda garden: garden.set(
        coordinator, "delete_offsets_of_deleted_topics", lambda draft, before: None
    ),
    "errors-are-no-offset": _takes_errors_for_no_offset,
    "left-out-is-no-offset": _takes_what_is_left_out_for_no_offset,
    "lost-is-done": lambda garden: garden.put(
        machine.RULES,
        CommitLost,
        lambda state, event, at: commits.answered(state, CommitAnswered(event.number, {}), at),
    ),
    "refused-is-done": lambda garden: garden.put(
        machine.RULES, CommitAnswered, lambda state, event, at: commits.answered(state, evolve(event, codes={}), at)
    ),
    "partial-is-done": lambda garden: garden.wrap_entry(
        machine.RULES,
        CommitAnswered,
        lambda rule, state, event, at: rule(state, event if all(event.codes.values()) else evolve(event, codes={}), at),
    ),
    "commits-overtake": _lets_commits_overtake,
    "old-commits-repeated": lambda garden: garden.set(ending, "in_order", lambda commits: tuple(commits)),
    "commits-survive-membership": lambda garden: garden.set(ending, "_is_out", lambda state, commit: False),
    "commits-what-is-gone": lambda garden: garden.set(ending, "without_given_up", lambda state, commit: commit),
    "auto-commit-sets-back": lambda garden: garden.set(auto_commit, "_ahead", lambda state, consumed: {}),
    "loading-fails-lookups": lambda garden: garden.drop(RULES.fetch, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
    "offsets-ask-the-wrong-one": _asks_the_wrong_coordinator,
}
