---------------------------- MODULE Reconciliation ----------------------------
(* One member on its way from what it owns to its target, as                   *)
(* kafka_nextgen/coordinator/reconciliation.py has it.                         *)
EXTENDS Integers, Sequences

CONSTANTS Partitions

\* What may be said or not, such as the partitions of a heartbeat: <<>> says nothing, <<x>> says x.
Silent == <<>>
Says(x) == <<x>>

\* Partitions with the assignment epoch that each was granted at; 0: the member does not have it.
NoGrants == [p \in Partitions |-> 0]
PartitionsOf(granted) == {p \in Partitions : granted[p] > 0}
Only(granted, kept) == [p \in Partitions |-> IF p \in kept THEN granted[p] ELSE 0]

\* The request proves that the member let go of all of these.
ShowsGone(owned, partitions) ==
    \/ partitions = {}
    \/ owned # Silent /\ owned[1] \intersect partitions = {}

Reached(current, epoch, status, assigned, pending) ==
    [epoch |-> epoch, previous |-> current.epoch, status |-> status, assigned |-> assigned, pending |-> pending]

(* keep   = assigned & target                                                  *)
(* revoke = assigned - keep                                                    *)
(* wanted = target - keep                                                      *)
(* grant  = those of wanted that no other member has or must still give back   *)
Advance(current, owned, targetEpoch, target, free) ==
    LET assigned == PartitionsOf(current.assigned)
        keep == assigned \intersect target
        revoke == assigned \ keep
        wanted == target \ keep
        grant == wanted \intersect free
        granted == [p \in Partitions |-> IF p \in grant THEN targetEpoch ELSE Only(current.assigned, keep)[p]]
    IN IF ShowsGone(owned, revoke)
       THEN Reached(current, targetEpoch, IF grant = wanted THEN "STABLE" ELSE "UNRELEASED", granted, NoGrants)
       ELSE Reached(current, current.epoch, "UNREVOKED",
                    Only(current.assigned, keep), Only(current.assigned, revoke))

(* STABLE at the target's epoch: no step.                                      *)
(* UNREVOKED, and the request does not acknowledge: no step.                   *)
(* All else: advance, towards the latest target.                               *)
Reconcile(current, owned, targetEpoch, target, free) ==
    IF current.status = "STABLE" /\ current.epoch = targetEpoch THEN current
    ELSE IF ~ShowsGone(owned, PartitionsOf(current.pending)) THEN current
    ELSE Advance(current, owned, targetEpoch, target, free)
=============================================================================
