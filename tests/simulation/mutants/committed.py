"""Bugs around offsets: who may commit, what a commit or a lookup that fails means, and in which order commits go."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator import coordinator, offsets
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.requests import OffsetCommit
from kafka_nextgen.coordinator.responses import OffsetsCommitted
from kafka_nextgen.membership.error_actions import ErrorAction
from kafka_nextgen.membership.offsets import auto_commit, commits, ending, lookups, machine, order, sending
from kafka_nextgen.membership.offsets.events import CommitAnswered, CommitLost, LookupAnswered
from kafka_nextgen.membership.offsets.rules import RULES
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["COMMITTED"]


# ---- the coordinator's


def _accepts_all_commits(garden: Garden) -> None:
    garden.set(offsets, "_refuse_commit", lambda draft, request: ErrorCode.NONE)


def _accepts_strangers(garden: Garden) -> None:
    def around(refuse: Any) -> Any:
        def refused(draft: Draft, request: OffsetCommit) -> ErrorCode:
            is_stranger = request.member_id not in draft.group.members
            return ErrorCode.NONE if is_stranger else refuse(draft, request)

        return refused

    garden.wrap(offsets, "_refuse_commit", around)


def _accepts_any_older_epoch(garden: Garden) -> None:
    garden.set(offsets, "_had_all_by", lambda *args: True)


def _accepts_no_older_epoch(garden: Garden) -> None:
    garden.set(offsets, "_had_all_by", lambda *args: False)


def _says_it_is_committed(garden: Garden) -> None:
    def commit_offsets(draft: Draft, request: OffsetCommit) -> Outcome:
        outcome = offsets.commit_offsets(draft, request)
        is_refused = isinstance(outcome.response, OffsetsCommitted) and any(outcome.response.errors.values())
        return outcome if is_refused or len(outcome.records) < 2 else evolve(outcome, records=outcome.records[:-1])

    garden.put(coordinator._ON_ONE_GROUP, OffsetCommit, commit_offsets)


def _tells_anybody(garden: Garden) -> None:
    garden.set(offsets, "_refuse_fetch", lambda draft, request: ErrorCode.NONE)


def _keeps_offsets_of_deleted_topics(garden: Garden) -> None:
    garden.set(coordinator, "delete_offsets_of_deleted_topics", lambda draft, before: None)


# ---- the member's


def _takes_errors_for_no_offset(garden: Garden) -> None:
    def answered(state: Any, event: LookupAnswered, at: Any) -> Any:
        lookup = lookups._returned(state, event.number)[2]
        none = {} if lookup is None else dict.fromkeys(lookup.left)
        found = none | {tp: at_offset for tp, at_offset in event.offsets.items() if not event.codes.get(tp)}
        return rule(state, LookupAnswered(event.number, none if event.code else found, {}, 0), at)

    rule = machine.RULES[LookupAnswered]
    garden.put(machine.RULES, LookupAnswered, answered)


def _takes_what_is_left_out_for_no_offset(garden: Garden) -> None:
    def answered(state: Any, event: LookupAnswered, at: Any) -> Any:
        left_out = {tp for tp, code in event.codes.items() if RULES.fetch.get(code) is ErrorAction.LEAVE_OUT}
        codes = {tp: code for tp, code in event.codes.items() if tp not in left_out}
        return rule(state, evolve(event, offsets={**event.offsets, **dict.fromkeys(left_out)}, codes=codes), at)

    rule = machine.RULES[LookupAnswered]
    garden.put(machine.RULES, LookupAnswered, answered)


def _takes_lost_for_done(garden: Garden) -> None:
    def lost(state: Any, event: CommitLost, at: Any) -> Any:
        return commits.answered(state, CommitAnswered(event.number, {}), at)

    garden.put(machine.RULES, CommitLost, lost)


def _takes_refused_for_done(garden: Garden) -> None:
    def answered(state: Any, event: CommitAnswered, at: Any) -> Any:
        return commits.answered(state, evolve(event, codes={}), at)

    garden.put(machine.RULES, CommitAnswered, answered)


def _is_done_with_one_of_many(garden: Garden) -> None:
    def answered(state: Any, event: CommitAnswered, at: Any) -> Any:
        is_partial = not all(event.codes.values())
        return commits.answered(state, evolve(event, codes={}) if is_partial else event, at)

    garden.put(machine.RULES, CommitAnswered, answered)


def _lets_commits_overtake(garden: Garden) -> None:
    for module in (order, sending):
        garden.set(module, "is_blocked", lambda state, commit: False)
    garden.set(ending, "in_order", lambda commits: tuple(commits))


def _repeats_old_commits(garden: Garden) -> None:
    """What waits for a pause goes out again although a later commit of the partition was made."""
    garden.set(ending, "in_order", lambda commits: tuple(commits))


def _commits_beyond_a_membership(garden: Garden) -> None:
    garden.set(ending, "_is_out", lambda state, commit: False)


def _commits_what_was_given_up(garden: Garden) -> None:
    garden.set(ending, "without_given_up", lambda state, commit: commit)


def _sets_the_application_back(garden: Garden) -> None:
    garden.set(auto_commit, "_ahead", lambda state, consumed: {})


def _gives_up_when_loading(garden: Garden) -> None:
    garden.drop(RULES.fetch, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)


def _asks_the_wrong_coordinator(garden: Garden) -> None:
    for table in (RULES.commit, RULES.fetch):
        garden.put(table, ErrorCode.NOT_COORDINATOR, ErrorAction.RETRY)


_ = Part.OFFSETS

COMMITTED = (
    Mutant("accepts-all-commits", _, "Accepts every commit.",
           "A consumer that lost its partitions sets offsets back.", _accepts_all_commits),
    Mutant("accepts-strangers", _, "Accepts commits of unknown members.",
           "An expired consumer sets offsets back.", _accepts_strangers),
    Mutant("accepts-older-epochs", _, "Accepts commits at any older epoch.",
           "A commit of a former owner sets offsets back.", _accepts_any_older_epoch),
    Mutant("accepts-no-older-epochs",
           _, "Refuses commits at an older epoch although the member had its partitions then.",
           "Commits fail in each rebalance, and records are processed again.", _accepts_no_older_epoch),
    Mutant("stores-all-but-one", _, "Answers that all is committed, but leaves one partition out.",
           "Records are processed again.", _says_it_is_committed),
    Mutant("tells-offsets-to-any", _, "Answers lookups at a stale epoch.",
           "Reading begins before the last commit of the former owner.", _tells_anybody),
    Mutant("offsets-of-deleted-topics", _, "Keeps offsets of deleted topics.",
           "The log grows endlessly.", _keeps_offsets_of_deleted_topics),
    Mutant("errors-are-no-offset", _, "Treats an error of an offset fetch as no offset.",
           "Reading begins at auto.offset.reset after a fail-over.", _takes_errors_for_no_offset),
    Mutant("left-out-is-no-offset", _, "Treats a topic that the broker does not know yet as no offset.",
           "Reading begins at auto.offset.reset when metadata is late.", _takes_what_is_left_out_for_no_offset),
    Mutant("lost-is-done", _, "Treats an unanswered commit as done.",
           "commit() returns, and records are processed again.", _takes_lost_for_done),
    Mutant("refused-is-done", _, "Treats a refused commit as done.",
           "commit() returns, and records are processed again.", _takes_refused_for_done),
    Mutant("partial-is-done", _, "Treats a partly refused commit as done.",
           "commit() returns, and records are processed again.", _is_done_with_one_of_many),
    Mutant("commits-overtake", _, "Sends several commits of a partition at a time.",
           "The offset ends below one that was reported as committed.", _lets_commits_overtake),
    Mutant("old-commits-repeated", _, "Retries a commit although a later one was made.",
           "The offset ends below one that was reported as committed.", _repeats_old_commits),
    Mutant("commits-survive-membership", _, "Retries a commit after joining again.",
           "A consumer that was fenced sets offsets back.", _commits_beyond_a_membership),
    Mutant("commits-what-is-gone", _, "Retries a commit of revoked partitions.",
           "A commit fails, or sets back the next owner's offsets.", _commits_what_was_given_up),
    Mutant("auto-commit-sets-back", _, "Lets auto-commit set back offsets that the application committed.",
           "Records are processed again.", _sets_the_application_back),
    Mutant("loading-fails-lookups", _, "Fails offset fetches while a coordinator loads.",
           "poll() raises in each fail-over.", _gives_up_when_loading),
    Mutant("offsets-ask-the-wrong-one",
           _, "Retries commits and offset fetches at a broker that is not the coordinator.",
           "After a fail-over reading does not begin, and commits time out.", _asks_the_wrong_coordinator),
)  # fmt: skip
