------------------------------ MODULE Coordinator ------------------------------
(* What a coordinator makes of a request: the group after it, and the answer.  *)
(* All of this is functions of a group; nothing is stored here.                *)
(* See kafka_nextgen/coordinator: heartbeat.py, admission.py, target.py,       *)
(* removal.py, offsets.py.                                                     *)
EXTENDS Reconciliation

CONSTANTS
    Members,
    Batches  \* TRUE: a target that is due may stay away for a while (group.consumer.assignment.interval.ms)

JOIN == 0
LEAVE == -1
FIRST_EPOCH == 1  \* of a group without members; its first member is answered 2 (Kafka 4.3)

NewMember == [epoch |-> 0, previous |-> 0, status |-> "STABLE", assigned |-> NoGrants, pending |-> NoGrants]

EmptyGroup ==
    [epoch |-> FIRST_EPOCH, assignmentEpoch |-> FIRST_EPOCH, members |-> {},
     target |-> [m \in Members |-> {}], current |-> [m \in Members |-> NewMember],
     committed |-> [p \in Partitions |-> 0]]

\* What is kept for a member: nobody else may have it.
Reserved(group, m) == PartitionsOf(group.current[m].assigned) \union PartitionsOf(group.current[m].pending)

\* What this member may be granted: also what it has just given back itself.
FreeFor(group, m) == Partitions \ UNION {Reserved(group, n) : n \in Members \ {m}}

------------------------------------------------------------------------------
(* Fencing: who is let in.                                                     *)

\* The answer that brought the new epoch may be lost. It is repeated to a member that owns nothing beyond it.
MissedTheLastAnswer(request, current) ==
    /\ request.epoch = current.previous
    /\ request.epoch <= current.epoch
    /\ request.owned # Silent
    /\ request.owned[1] \subseteq PartitionsOf(current.assigned)

\* Since Kafka 4.2 a member that is known may join again, and keeps its place.
IsAtItsEpoch(request, current) ==
    request.epoch \in {current.epoch, JOIN} \/ MissedTheLastAnswer(request, current)

Refusal(group, request) ==
    IF request.m \notin group.members
    THEN IF request.epoch = JOIN THEN "NONE" ELSE "UNKNOWN_MEMBER_ID"
    ELSE IF request.epoch = LEAVE \/ IsAtItsEpoch(request, group.current[request.m]) THEN "NONE"
    ELSE "FENCED_MEMBER_EPOCH"

------------------------------------------------------------------------------
(* Members come and go, and targets are made.                                  *)

WithMember(group, m) ==
    IF m \in group.members THEN group
    ELSE [group EXCEPT !.members = @ \union {m}, !.epoch = @ + 1]

WithoutMember(group, m) ==
    [group EXCEPT !.members = @ \ {m}, !.epoch = @ + 1, !.target[m] = {}, !.current[m] = NewMember]

\* The assignor may give each partition to any member: no rule here depends on how it chooses.
Targets(group) ==
    {[m \in Members |-> {p \in Partitions : owner[p] = m}] : owner \in [Partitions -> group.members]}

\* The group with a new target assignment, if one is due: all the ways that may come out.
Retargeted(group) ==
    IF group.assignmentEpoch = group.epoch THEN {group}
    ELSE {[group EXCEPT !.target = target, !.assignmentEpoch = group.epoch] : target \in Targets(group)}
         \union (IF Batches /\ group.assignmentEpoch > FIRST_EPOCH THEN {group} ELSE {})

------------------------------------------------------------------------------
(* Requests. A result is a group and an answer.                                *)

Refused(group, request, code) ==
    [group |-> group,
     answer |-> [kind |-> request.kind, code |-> code, epoch |-> request.epoch, assignment |-> Silent]]

\* The member's assignment goes with the answer if it changed, or the request said everything.
HeartbeatResult(before, group, request) ==
    LET m == request.m
        old == before.current[m]
        new == Reconcile(old, request.owned, group.assignmentEpoch, group.target[m], FreeFor(group, m))
        isNews == request.full \/ PartitionsOf(new.assigned) # PartitionsOf(old.assigned)
    IN [group |-> [group EXCEPT !.current[m] = new],
        answer |-> [kind |-> request.kind, code |-> "NONE", epoch |-> new.epoch,
                    assignment |-> IF isNews THEN Says(PartitionsOf(new.assigned)) ELSE Silent]]

Left(group, request) ==
    [group |-> WithoutMember(group, request.m),
     answer |-> [kind |-> request.kind, code |-> "NONE", epoch |-> LEAVE, assignment |-> Silent]]

HeartbeatResults(group, request) ==
    LET code == Refusal(group, request)
    IN IF code # "NONE" THEN {Refused(group, request, code)}
       ELSE IF request.epoch = LEAVE THEN {Left(group, request)}
       ELSE {HeartbeatResult(group, after, request) : after \in Retargeted(WithMember(group, request.m))}

\* The member had the partition at that epoch already, and has not lost it since (KIP-1251).
HadItBy(current, p, epoch) ==
    \/ current.assigned[p] > 0 /\ current.assigned[p] <= epoch
    \/ current.pending[p] > 0 /\ current.pending[p] <= epoch

\* A commit has an offset for each partition, or this.
Unsaid == -1
Named(offsets) == {p \in Partitions : offsets[p] # Unsaid}

\* A commit of an older epoch is taken as a whole, or not at all.
MayCommit(group, request) ==
    /\ request.m \in group.members
    /\ \/ request.epoch = group.current[request.m].epoch
       \/ /\ request.epoch < group.current[request.m].epoch
          /\ \A p \in Named(request.offsets) : HadItBy(group.current[request.m], p, request.epoch)

CommitResults(group, request) ==
    IF MayCommit(group, request)
    THEN {[group |-> [group EXCEPT !.committed =
                [p \in Partitions |-> IF request.offsets[p] = Unsaid THEN @[p] ELSE request.offsets[p]]],
           answer |-> [kind |-> "commit", code |-> "NONE", m |-> request.m, offsets |-> request.offsets]]}
    ELSE {[group |-> group, answer |-> [kind |-> "commit", code |-> "STALE_MEMBER_EPOCH"]]}

Results(group, request) ==
    IF request.kind = "commit" THEN CommitResults(group, request) ELSE HeartbeatResults(group, request)

\* Looking offsets up is strict about the epoch: reading begins there.
MayLookUp(group, m, epoch) == m \in group.members /\ epoch = group.current[m].epoch
==============================================================================
