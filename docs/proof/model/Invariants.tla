------------------------------ MODULE Invariants ------------------------------
(* Invariants, with the names that the checkers of the machines use.           *)
EXTENDS ConsumerGroup

------------------------------------------------------------------------------
(* Of the coordinator: tests/verification/invariants/groups.py. They hold for the current   *)
(* group, so they also held for the replicated group when it was current.      *)

\* A partition belongs to one member, assigned or to be revoked.
OneOwner ==
    /\ \A m, n \in Members : m # n => Reserved(InForce, m) \intersect Reserved(InForce, n) = {}
    /\ \A m \in Members :
        PartitionsOf(InForce.current[m].assigned) \intersect PartitionsOf(InForce.current[m].pending) = {}

\* Group epoch >= assignment epoch >= member epochs >= the epochs at which their partitions were granted.
EpochsInOrder ==
    /\ InForce.epoch >= InForce.assignmentEpoch
    /\ \A m \in Members :
        LET current == InForce.current[m] IN
        /\ InForce.assignmentEpoch >= current.epoch
        /\ current.epoch >= current.previous
        /\ \A p \in Partitions : current.epoch >= current.assigned[p] /\ current.epoch >= current.pending[p]

\* A member is UNREVOKED exactly while it has partitions to revoke.
RevocationAndStatusAgree ==
    \A m \in Members : (InForce.current[m].status = "UNREVOKED") = (InForce.current[m].pending # NoGrants)

\* A stable member at the target's epoch has its target.
StableMeansAllThere ==
    \A m \in InForce.members :
        LET current == InForce.current[m] IN
        current.status = "STABLE" /\ current.epoch = InForce.assignmentEpoch
            => PartitionsOf(current.assigned) = InForce.target[m]

\* No partition is in two targets, and only members have one.
TargetDisjoint ==
    /\ \A m, n \in Members : m # n => InForce.target[m] \intersect InForce.target[n] = {}
    /\ \A m \in Members \ InForce.members : InForce.target[m] = {}

\* An up-to-date target has every partition.
TargetComplete ==
    InForce.members # {} /\ InForce.assignmentEpoch = InForce.epoch
        => UNION {InForce.target[m] : m \in Members} = Partitions

------------------------------------------------------------------------------
(* Of a member, as seen from outside: tests/verification/scenario_language/watching.py.     *)

\* At most one heartbeat is in flight.
OneHeartbeatInFlight ==
    \A m \in Members :
        Cardinality({i \in 1..Len(log) : IsAnswerTo(m, log[i], FALSE)})
            + (IF asked[m] = Silent THEN 0 ELSE 1) + (IF heard[m] = Silent THEN 0 ELSE 1) <= 1

\* A join has all fields, and no owned partitions.
JoinOwnsNothing ==
    \A m \in Members :
        /\ asked[m] # Silent /\ asked[m][1].epoch = JOIN => asked[m][1].full /\ asked[m][1].owned = Says({})
        /\ mem[m].status \in {"OUT", "JOINING", "FENCED", "LEAVING"} => mem[m].owned = {}

\* The application's partitions are reported until their revocation is complete.
ReportedUntilGivenUp ==
    \A m \in Members :
        asked[m] # Silent /\ asked[m][1].owned # Silent => WorkingOn(mem[m]) \subseteq asked[m][1].owned[1]

------------------------------------------------------------------------------
(* Of both together: tests/verification/simulation/checking/.                               *)

\* Each member of the group works only on partitions that are reserved for it.
NoTrespasser == \A m \in InForce.members : WorkingOn(mem[m]) \subseteq Reserved(InForce, m)

\* Two members never work on one partition, except one that was removed and can't know it yet.
OneReader ==
    \A m, n \in InForce.members : m # n => WorkingOn(mem[m]) \intersect WorkingOn(mem[n]) = {}

\* The epoch of a response is not below that of its request.
AnswerNotBelowRequest ==
    \A m \in Members :
        heard[m] # Silent /\ heard[m][1].code = "NONE" /\ mem[m].status \in Heartbeating
            => heard[m][1].epoch >= mem[m].epoch

\* Only offsets of records that were read are committed.
NothingCommittedUnread == \A p \in Partitions : InForce.committed[p] <= handed[p]

\* A commit that was acknowledged is never lost.
CommittedStays == \A p \in Partitions : stored.committed[p] >= promised[p] /\ InForce.committed[p] >= promised[p]

\* No record is skipped: a position is never after the records that were read.
NothingSkipped == \A m \in Members, p \in Partitions : position[m][p] <= handed[p]

\* Reading begins at the committed offset.
ReadingBeginsAtThePromise ==
    [][\A m \in Members, p \in Partitions :
        position[m][p] = -1 /\ position'[m][p] # -1 => position'[m][p] >= promised[p]]_vars

\* A commit is accepted only from a member that owns the partition, or has to revoke it.
CommitsAreTheOwners ==
    [][Len(log') > Len(log) /\ log'[Len(log')].answer.kind = "commit"
        => LET answer == log'[Len(log')].answer
           IN answer.m \in InForce.members /\ Named(answer.offsets) \subseteq Reserved(InForce, answer.m)]_vars

\* Epochs never decrease: the replicated group and assignment epochs, and a member's while it is in the group.
EpochsNeverFall ==
    [][/\ stored'.epoch >= stored.epoch
       /\ stored'.assignmentEpoch >= stored.assignmentEpoch
       /\ \A m \in stored.members \intersect stored'.members :
            stored.current[m].epoch <= stored'.current[m].epoch]_vars

------------------------------------------------------------------------------

\* Each member is at the group epoch with its target, knows this, and has read its partitions to the end.
AllSettled ==
    /\ InForce.members = Members
    /\ \A m \in Members :
        /\ mem[m].status = "STABLE"
        /\ mem[m].epoch = InForce.epoch
        /\ mem[m].owned = InForce.target[m]
        /\ InForce.current[m].status = "STABLE"
        /\ MaxOffset > 0 => \A p \in mem[m].owned : position[m][p] = MaxOffset

\* Without further disturbances the group settles, and stays settled.
Settles == <>[]AllSettled
===============================================================================
