---------------------------- MODULE Reconciliation ----------------------------
(* The reconciliation of one member with its target, as in                     *)
(* kafka_nextgen/testing/coordinator/reconciliation.py.                                *)
EXTENDS Integers, Sequences

CONSTANTS Partitions

\* Optional values, such as the partitions of a heartbeat: <<>> is none, <<x>> is x.
Silent == <<>>
Says(x) == <<x>>

\* Partitions with the epoch at which each was granted; 0: the member does not have it.
NoGrants == [p \in Partitions |-> 0]
PartitionsOf(granted) == {p \in Partitions : granted[p] > 0}
Only(granted, kept) == [p \in Partitions |-> IF p \in kept THEN granted[p] ELSE 0]

\* The request proves that the member has revoked all of these.
ShowsGone(owned, partitions) ==
    \/ partitions = {}
    \/ owned # Silent /\ owned[1] \intersect partitions = {}

Reached(current, epoch, status, assigned, pending) ==
    [epoch |-> epoch, previous |-> current.epoch, status |-> status, assigned |-> assigned, pending |-> pending]

(* keep   = assigned & target                                                  *)
(* revoke = assigned - keep                                                    *)
(* wanted = target - keep                                                      *)
(* grant  = those of wanted that no other member owns or has to revoke         *)
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
