------------------------------ MODULE Invariants ------------------------------
(* What must hold, named as the checkers of the shipped machines name it.      *)
EXTENDS ConsumerGroup

------------------------------------------------------------------------------
(* Of the coordinator: tests/invariants/groups.py. It holds of                 *)
(* what is in force, so it held of what is replicated when that was.           *)

\* A partition belongs to one member, be it assigned or still to be given back.
OneOwner ==
    /\ \A m, n \in Members : m # n => Reserved(InForce, m) \intersect Reserved(InForce, n) = {}
    /\ \A m \in Members :
        PartitionsOf(InForce.current[m].assigned) \intersect PartitionsOf(InForce.current[m].pending) = {}

\* Group epoch >= assignment epoch >= member epochs >= the epochs their partitions were granted at.
EpochsInOrder ==
    /\ InForce.epoch >= InForce.assignmentEpoch
    /\ \A m \in Members :
        LET current == InForce.current[m] IN
        /\ InForce.assignmentEpoch >= current.epoch
        /\ current.epoch >= current.previous
        /\ \A p \in Partitions : current.epoch >= current.assigned[p] /\ current.epoch >= current.pending[p]

\* A member is UNREVOKED exactly while it has something to give back.
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

\* A target up to date has every partition.
TargetComplete ==
    InForce.members # {} /\ InForce.assignmentEpoch = InForce.epoch
        => UNION {InForce.target[m] : m \in Members} = Partitions

------------------------------------------------------------------------------
(* Of a member, seen from outside: tests/scenario_language/watching.py.        *)

\* One heartbeat is in flight.
OneHeartbeatInFlight ==
    \A m \in Members :
        Cardinality({i \in 1..Len(log) : IsAnswerTo(m, log[i], FALSE)})
            + (IF asked[m] = Silent THEN 0 ELSE 1) + (IF heard[m] = Silent THEN 0 ELSE 1) <= 1

\* A join says everything, and owns nothing.
JoinOwnsNothing ==
    \A m \in Members :
        /\ asked[m] # Silent /\ asked[m][1].epoch = JOIN => asked[m][1].full /\ asked[m][1].owned = Says({})
        /\ mem[m].status \in {"OUT", "JOINING", "FENCED", "LEAVING"} => mem[m].owned = {}

\* What the application has is reported until it is done giving it up.
ReportedUntilGivenUp ==
    \A m \in Members :
        asked[m] # Silent /\ asked[m][1].owned # Silent => WorkingOn(mem[m]) \subseteq asked[m][1].owned[1]

------------------------------------------------------------------------------
(* Of both together: tests/simulation/checking/.                               *)

\* Of those that the coordinator counts as members, each works on nothing but what is reserved for it.
NoTrespasser == \A m \in InForce.members : WorkingOn(mem[m]) \subseteq Reserved(InForce, m)

\* No two work on one partition, but for one the coordinator has removed and that can't know yet.
OneReader ==
    \A m, n \in InForce.members : m # n => WorkingOn(mem[m]) \intersect WorkingOn(mem[n]) = {}

\* An answer's epoch is not below the request's: the member's is the request's as long as no answer is heard.
AnswerNotBelowRequest ==
    \A m \in Members :
        heard[m] # Silent /\ heard[m][1].code = "NONE" /\ mem[m].status \in Heartbeating
            => heard[m][1].epoch >= mem[m].epoch

\* Nothing is committed that was not handed out.
NothingCommittedUnread == \A p \in Partitions : InForce.committed[p] <= handed[p]

\* What a member was told is committed stays so.
CommittedStays == \A p \in Partitions : stored.committed[p] >= promised[p] /\ InForce.committed[p] >= promised[p]

\* Nothing is skipped: no one reads beyond what was handed out to it or to those before it.
NothingSkipped == \A m \in Members, p \in Partitions : position[m][p] <= handed[p]

\* Reading begins at what is committed.
ReadingBeginsAtThePromise ==
    [][\A m \in Members, p \in Partitions :
        position[m][p] = -1 /\ position'[m][p] # -1 => position'[m][p] >= promised[p]]_vars

\* A commit is taken from a member that has the partition, or has still to give it back.
CommitsAreTheOwners ==
    [][Len(log') > Len(log) /\ log'[Len(log')].answer.kind = "commit"
        => LET answer == log'[Len(log')].answer
           IN answer.m \in InForce.members /\ Named(answer.offsets) \subseteq Reserved(InForce, answer.m)]_vars

\* No epoch falls: the group's and the assignment's in what is replicated, a member's while it is one.
EpochsNeverFall ==
    [][/\ stored'.epoch >= stored.epoch
       /\ stored'.assignmentEpoch >= stored.assignmentEpoch
       /\ \A m \in stored.members \intersect stored'.members :
            stored.current[m].epoch <= stored'.current[m].epoch]_vars

------------------------------------------------------------------------------

\* Everyone is a member at the group's epoch with its target, knows it, and reads it to the end.
AllSettled ==
    /\ InForce.members = Members
    /\ \A m \in Members :
        /\ mem[m].status = "STABLE"
        /\ mem[m].epoch = InForce.epoch
        /\ mem[m].owned = InForce.target[m]
        /\ InForce.current[m].status = "STABLE"
        /\ MaxOffset > 0 => \A p \in mem[m].owned : position[m][p] = MaxOffset

\* When nothing disturbs any more the group settles, and stays so.
Settles == <>[]AllSettled
===============================================================================
