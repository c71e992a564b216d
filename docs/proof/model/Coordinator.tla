------------------------------ MODULE Coordinator ------------------------------
(* The result of a request to a coordinator: the next group, and the response. *)
(* These are functions of a group, without variables.                          *)
(* See kafka_nextgen/testing/coordinator: heartbeat.py, admission.py, target.py,       *)
(* removal.py, offsets.py.                                                     *)
EXTENDS Reconciliation

CONSTANTS
    Members,
    Batches  \* TRUE: a new target may be delayed (group.consumer.assignment.interval.ms)

JOIN == 0
LEAVE == -1
FIRST_EPOCH == 1  \* of a group without members; its first member gets 2 (Kafka 4.3)

NewMember == [epoch |-> 0, previous |-> 0, status |-> "STABLE", assigned |-> NoGrants, pending |-> NoGrants]

EmptyGroup ==
    [epoch |-> FIRST_EPOCH, assignmentEpoch |-> FIRST_EPOCH, members |-> {},
     target |-> [m \in Members |-> {}], current |-> [m \in Members |-> NewMember],
     committed |-> [p \in Partitions |-> 0]]

\* The partitions reserved for a member: no other member may have them.
Reserved(group, m) == PartitionsOf(group.current[m].assigned) \union PartitionsOf(group.current[m].pending)

\* The partitions that this member may be granted, including those it has just released.
FreeFor(group, m) == Partitions \ UNION {Reserved(group, n) : n \in Members \ {m}}

------------------------------------------------------------------------------
(* Fencing: which requests are accepted.                                       *)

\* The response with the new epoch may be lost. It is repeated to a member that owns nothing else.
MissedTheLastAnswer(request, current) ==
    /\ request.epoch = current.previous
    /\ request.epoch <= current.epoch
    /\ request.owned # Silent
    /\ request.owned[1] \subseteq PartitionsOf(current.assigned)

\* Since Kafka 4.2 a known member may join again, and keeps its partitions.
IsAtItsEpoch(request, current) ==
    request.epoch \in {current.epoch, JOIN} \/ MissedTheLastAnswer(request, current)

Refusal(group, request) ==
    IF request.m \notin group.members
    THEN IF request.epoch = JOIN THEN "NONE" ELSE "UNKNOWN_MEMBER_ID"
    ELSE IF request.epoch = LEAVE \/ IsAtItsEpoch(request, group.current[request.m]) THEN "NONE"
    ELSE "FENCED_MEMBER_EPOCH"

------------------------------------------------------------------------------
(* Joining, leaving, and new targets.                                          *)

WithMember(group, m) ==
    IF m \in group.members THEN group
    ELSE [group EXCEPT !.members = @ \union {m}, !.epoch = @ + 1]

WithoutMember(group, m) ==
    [group EXCEPT !.members = @ \ {m}, !.epoch = @ + 1, !.target[m] = {}, !.current[m] = NewMember]

\* The assignor may assign each partition to any member: no rule depends on its choice.
Targets(group) ==
    {[m \in Members |-> {p \in Partitions : owner[p] = m}] : owner \in [Partitions -> group.members]}

\* The group with a new target assignment if one is due: all possible results.
Retargeted(group) ==
    IF group.assignmentEpoch = group.epoch THEN {group}
    ELSE {[group EXCEPT !.target = target, !.assignmentEpoch = group.epoch] : target \in Targets(group)}
         \union (IF Batches /\ group.assignmentEpoch > FIRST_EPOCH THEN {group} ELSE {})

------------------------------------------------------------------------------
(* Requests. A result is a group and a response.                               *)

Refused(group, request, code) ==
    [group |-> group,
     answer |-> [kind |-> request.kind, code |-> code, epoch |-> request.epoch, assignment |-> Silent]]

\* The response has the member's assignment if it changed, or the request was full.
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

\* The member has owned the partition since that epoch (KIP-1251).
HadItBy(current, p, epoch) ==
    \/ current.assigned[p] > 0 /\ current.assigned[p] <= epoch
    \/ current.pending[p] > 0 /\ current.pending[p] <= epoch

\* A commit has an offset for each partition, or this.
Unsaid == -1
Named(offsets) == {p \in Partitions : offsets[p] # Unsaid}

\* A commit with an older epoch is accepted as a whole, or not at all.
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

\* Lookups of offsets need the exact epoch, since reading begins there.
MayLookUp(group, m, epoch) == m \in group.members /\ epoch = group.current[m].epoch
==============================================================================
