"""The group coordinator: a replicated state machine without I/O (KIP-848, "Group Coordinator").

Call ``handle`` for each request and, when ``deadline`` has passed, ``expire``. They change no state: they return the
records to store and the answer to send. The caller stores the records and then calls ``commit``, which applies them and
sets the timers; then it may send the answer. After a restart the caller passes the stored records to ``apply``, one by
one, and ``restart`` restarts the members' timers. The state therefore always matches the records, except in classic
groups between two generations, since that part of their state is not recorded. A classic member's request may be
parked; a later outcome answers it.

``now`` is in seconds since the Unix epoch, because records carry timestamps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from attrs import evolve

from kafka_nextgen.groups.extension_requests import ExtensionRequest
from kafka_nextgen.groups.records import Record
from kafka_nextgen.testing.coordinator import requests as q
from kafka_nextgen.testing.coordinator import responses as a
from kafka_nextgen.testing.coordinator.applying import apply
from kafka_nextgen.testing.coordinator.classic import requests as cq
from kafka_nextgen.testing.coordinator.classic import responses as ca
from kafka_nextgen.testing.coordinator.classic.generation import session_heartbeat, sync_group
from kafka_nextgen.testing.coordinator.classic.joining import join_group
from kafka_nextgen.testing.coordinator.classic.leaving import leave_group
from kafka_nextgen.testing.coordinator.describe import delete_group, describe_classic_group, describe_group, list_groups
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.expiry import ring
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.group_configs import settings_of_group
from kafka_nextgen.testing.coordinator.heartbeat import heartbeat
from kafka_nextgen.testing.coordinator.hooks import NO_EXTENSIONS, Hooks
from kafka_nextgen.testing.coordinator.offset_deletion import (
    delete_expired_offsets,
    delete_offsets,
    delete_offsets_of_deleted_topics,
)
from kafka_nextgen.testing.coordinator.offsets import commit_offsets, fetch_offsets
from kafka_nextgen.testing.coordinator.restart import restart
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.timers import Arm, Cancel, TimerChange, TimerKey, TimerKind, Timers
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.testing.coordinator.transactions import commit_in_transaction, end_transaction

__all__ = ["Coordinator", "Outcome"]

RETENTION = TimerKey("", TimerKind.RETENTION)

#: The requests that concern a single group.
_ON_ONE_GROUP: Mapping[type, Callable[[Draft, Any], Outcome]] = {
    q.ConsumerGroupHeartbeat: heartbeat,
    q.OffsetCommit: commit_offsets,
    q.TxnOffsetCommit: commit_in_transaction,
    q.OffsetDelete: delete_offsets,
    q.OffsetFetch: fetch_offsets,
    cq.JoinGroup: join_group,
    cq.SyncGroup: sync_group,
    cq.Heartbeat: session_heartbeat,
    cq.LeaveGroup: leave_group,
}


class Coordinator:
    """All groups of one coordinator, and the hooks of its extensions."""

    def __init__(self, settings: CoordinatorSettings, hooks: Hooks = NO_EXTENSIONS) -> None:
        self.settings = settings
        self.hooks = hooks
        self.topics = Topics()
        self.group_settings: Mapping[str, CoordinatorSettings] = {}  # of groups that have a configuration
        self.groups: dict[str, Group] = {}
        self.timers = Timers()
        self._handlers: Mapping[type, Callable[[Any, float], Outcome]] = {
            q.EndTransaction: self._end_transaction,
            q.ConsumerGroupDescribe: self._describe,
            q.ListGroups: self._list,
            q.DeleteGroups: self._delete,
            q.TopicsChanged: self._topics_changed,
            q.ConfigsChanged: self._configs_changed,
            cq.DescribeGroups: self._describe_groups,
        }

    def handle(self, request: q.Request, now: float) -> Outcome:
        """Return the outcome of a request; no state changes before ``commit``."""
        outcome = self._work_out(request, now)
        if outcome.records and RETENTION not in self.timers.running():
            return evolve(outcome, timers=(*outcome.timers, self._next_retention(now)))
        return outcome

    def _work_out(self, request: Any, now: float) -> Outcome:
        if on_one_group := _ON_ONE_GROUP.get(type(request)):
            return on_one_group(self._draft(request.group_id, now), request)
        if isinstance(request, ExtensionRequest):
            return self.hooks.serve(self._draft(request.group_id, now), request)
        return self._handlers[type(request)](request, now)

    def expire(self, now: float) -> tuple[Outcome, ...]:
        """Handle the timers that have expired; return one outcome per group, each of which must be committed.

        The check of offsets runs alone, when no other timer is due: it concerns every group.
        """
        timers = self.timers.due(now)
        if [timer.key for timer in timers] == [RETENTION]:
            return (self._delete_expired_offsets(now),)
        of_groups = [timer for timer in timers if timer.key != RETENTION]
        outcomes = []
        for group_id, due in groupby(of_groups, key=lambda timer: timer.key.group_id):
            draft = self._draft(group_id, now)
            ring(draft, due)
            outcomes.append(draft.outcome(None))
        return tuple(outcomes)

    def deadline(self) -> float | None:
        """When to call ``expire`` next; None if no timer is running. Every ``commit`` may change it."""
        return self.timers.deadline()

    def commit(self, outcome: Outcome) -> None:
        """Apply an outcome whose records are stored."""
        for record in outcome.records:
            self.apply(record)
        for change in outcome.timers:
            self.timers.change(change)
        if outcome.topics is not None:
            self.topics = outcome.topics
        if outcome.configs is not None:
            self._configure(outcome.configs)
        if not self.groups:
            self.timers.change(Cancel(RETENTION))
        self._remember(outcome)

    def _remember(self, outcome: Outcome) -> None:
        """Apply the parts of an outcome that are not recorded."""
        for classic in outcome.classic:
            self._group(classic.group_id).classic = classic
        for group_id, version in outcome.checked_topics:
            if group_id in self.groups:
                self.groups[group_id].checked_topics_version = version
        for group_id, remembered in outcome.remembered:
            if group_id in self.groups:
                self.groups[group_id].remembered = remembered

    def apply(self, record: Record) -> None:
        """Apply one record, new or from the log."""
        group = self._group(record.group_id)
        apply(group, record)
        if group.holds_anything:
            self.groups[record.group_id] = group
        else:
            self.groups.pop(record.group_id, None)

    def restart(self, now: float) -> tuple[Outcome, ...]:
        """Start work after the log was applied and the topics are known. The caller commits each group's outcome."""
        outcomes = []
        for group_id in sorted(self.groups):
            draft = self._draft(group_id, now)
            restart(draft)
            outcomes.append(draft.outcome(None))
        if outcomes:
            outcomes.append(Outcome(None, timers=(self._next_retention(now),)))
        return tuple(outcomes)

    def _group(self, group_id: str) -> Group:
        return self.groups.get(group_id) or Group(group_id, self.settings.behaviour.first_epoch, self.hooks)

    def _draft(self, group_id: str, now: float) -> Draft:
        return Draft(self._group(group_id).overlay(), self.topics, self._settings_of(group_id), now)

    def _settings_of(self, group_id: str) -> CoordinatorSettings:
        return self.group_settings.get(group_id, self.settings)

    def _configure(self, configs: q.ConfigsChanged) -> None:
        self.settings = configs.settings
        self.group_settings = {
            group_id: settings_of_group(config, configs.settings) for group_id, config in configs.groups.items()
        }

    def _end_transaction(self, request: q.EndTransaction, now: float) -> Outcome:
        return end_transaction(self.groups.values(), request)

    def _delete_expired_offsets(self, now: float) -> Outcome:
        drafts = [self._draft(group_id, now) for group_id in sorted(self.groups)]
        for draft in drafts:
            delete_expired_offsets(draft)
        return _together(None, drafts, self._next_retention(now))

    def _next_retention(self, now: float) -> TimerChange:
        return Arm(RETENTION, now + self.settings.offsets_retention_check_interval_ms / 1000)

    def _describe(self, request: q.ConsumerGroupDescribe, now: float) -> Outcome:
        groups = tuple(describe_group(self._group(group_id), self.settings) for group_id in request.group_ids)
        return Outcome(a.ConsumerGroupDescribed(groups, self.topics.names()))

    def _describe_groups(self, request: cq.DescribeGroups, now: float) -> Outcome:
        groups = tuple(describe_classic_group(self._group(group_id)) for group_id in request.group_ids)
        return Outcome(ca.GroupsDescribed(groups))

    def _list(self, request: q.ListGroups, now: float) -> Outcome:
        return Outcome(list_groups(self.groups.values(), request))

    def _delete(self, request: q.DeleteGroups, now: float) -> Outcome:
        drafts = {group_id: self._draft(group_id, now) for group_id in request.group_ids}
        results = {group_id: delete_group(draft) for group_id, draft in drafts.items()}
        return _together(a.GroupsDeleted(results), drafts.values())

    def _topics_changed(self, request: q.TopicsChanged, now: float) -> Outcome:
        """Store the topics and forget offsets of deleted ones. Groups see the change at their next heartbeats."""
        topics = self.topics.changed_to(request.topics, int(now * 1000))
        if topics is not self.topics:
            topics = evolve(topics, remembered=self.hooks.topics_changed(self.topics, topics))
        records: list[Record] = []
        for group_id in sorted(self.groups):
            draft = Draft(self.groups[group_id].overlay(), topics, self._settings_of(group_id), now)
            delete_offsets_of_deleted_topics(draft, self.topics)
            records.extend(draft.records)
        return Outcome(a.Noted(), tuple(records), topics=topics)

    def _configs_changed(self, request: q.ConfigsChanged, now: float) -> Outcome:
        """Store the configuration. Members see the change at their next heartbeats."""
        return Outcome(a.Noted(), configs=request)


def _together(response: a.Response | None, drafts: Iterable[Draft], *timers: TimerChange) -> Outcome:
    """Merge the outcomes of several groups, which have only records and timers."""
    drafts = tuple(drafts)
    records = tuple(record for draft in drafts for record in draft.records)
    changes = tuple(change for draft in drafts for change in draft.timers)
    return Outcome(response, records, changes + timers)
