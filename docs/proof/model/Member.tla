-------------------------------- MODULE Member --------------------------------
(* A member: its state after each event, and its heartbeats. These are         *)
(* functions of a member's record, without variables. See                      *)
(* kafka_nextgen/membership: transitions.py, reconciliation.py, heartbeats.py. *)
EXTENDS Coordinator

\* OUT is UNSUBSCRIBED. `step` is the step of the current reconciliation: Begin -> REVOKING -> ASSIGNING -> done.
NotAMember ==
    [status |-> "OUT", epoch |-> LEAVE, owned |-> {}, target |-> {}, goal |-> {}, step |-> "IDLE",
     latest |-> FALSE,  \* its partitions, or those it reconciles to, are those of the latest target
     told |-> FALSE,    \* its last heartbeat acknowledged its partitions
     full |-> TRUE]     \* its next heartbeat has all fields, since the coordinator may not know them

Joining == [NotAMember EXCEPT !.status = "JOINING", !.epoch = JOIN]
Fenced == [NotAMember EXCEPT !.status = "FENCED"]

InTheGroup == {"RECONCILING", "ACKNOWLEDGING", "STABLE"}
Heartbeating == InTheGroup \union {"JOINING", "PREPARE_LEAVING"}

\* The partitions that are read. A revocation stops its partitions when it begins; the others continue.
WorkingOn(member) ==
    IF member.status \notin InTheGroup THEN {}
    ELSE CASE member.step = "IDLE" -> member.owned
           [] member.step = "REVOKING" -> member.owned \intersect member.goal
           [] member.step = "ASSIGNING" -> member.goal

------------------------------------------------------------------------------
(* Heartbeats.                                                                 *)

\* The partitions owned now or before the response arrives: no other member may have them.
Reported(member) ==
    IF member.status \notin {"RECONCILING", "ACKNOWLEDGING"} THEN member.owned
    ELSE member.owned \union member.goal \union member.target

Heartbeat(m, member) ==
    LET full == member.status # "PREPARE_LEAVING"
                /\ \/ member.full \/ member.status = "JOINING" \/ Reported(member) = {}
                   \/ member.status = "ACKNOWLEDGING" /\ ~(member.target \subseteq member.owned)
        acknowledges == member.status = "ACKNOWLEDGING" /\ ~member.told
        owned == IF full \/ acknowledges THEN Says(Reported(member)) ELSE Silent
    IN [kind |-> IF member.status = "JOINING" THEN "join" ELSE IF owned = Silent THEN "keepalive" ELSE "owning",
        m |-> m, epoch |-> member.epoch, owned |-> owned, full |-> full]

LeaveOf(m) == [kind |-> "leave", m |-> m, epoch |-> LEAVE, owned |-> Silent, full |-> FALSE]

Sent(member) ==
    IF member.status = "PREPARE_LEAVING" THEN member
    ELSE [member EXCEPT !.full = FALSE, !.told = member.status = "ACKNOWLEDGING"]

\* No response: it is unknown whether the request arrived. A leaving member is out anyway.
HeartbeatLost(member) ==
    IF member.status = "LEAVING" THEN NotAMember ELSE [member EXCEPT !.full = TRUE, !.told = FALSE]

------------------------------------------------------------------------------
(* Responses.                                                                  *)

WithTarget(member, assignment) ==
    IF assignment = Silent \/ assignment[1] = member.target THEN member
    ELSE [member EXCEPT !.target = assignment[1], !.latest = FALSE]

\* No reconciliation begins while another one is in progress; then the latest target counts.
Settled(member) ==
    IF member.step # "IDLE" THEN member
    ELSE [member EXCEPT !.status = IF member.latest /\ member.owned = member.target THEN "STABLE" ELSE "RECONCILING"]

HeardWell(member, answer) ==
    LET known == [member EXCEPT !.epoch = answer.epoch]
        taken == WithTarget(known, answer.assignment)
    IN CASE member.status = "JOINING" ->
              [taken EXCEPT !.status = "RECONCILING", !.target = answer.assignment[1], !.latest = FALSE]
         [] member.status = "ACKNOWLEDGING" /\ ~member.told -> taken
         [] member.status \in InTheGroup -> Settled(taken)
         [] member.status = "PREPARE_LEAVING" -> known
         [] member.status = "LEAVING" -> NotAMember

Heard(member, answer) ==
    IF answer.code = "NONE" THEN HeardWell(member, answer)
    ELSE IF member.status \in {"PREPARE_LEAVING", "LEAVING"} THEN NotAMember
    ELSE Fenced

------------------------------------------------------------------------------
(* The reconciliation, one at a time.                                          *)

MayBegin(member) == member.status = "RECONCILING" /\ member.step = "IDLE"

Begun(member) ==
    [member EXCEPT !.goal = member.target, !.latest = TRUE,
                   !.step = IF member.owned \subseteq member.target THEN "ASSIGNING" ELSE "REVOKING"]

\* on_partitions_revoked has returned. The assignment applies before on_partitions_assigned.
HasRevoked(member) == [member EXCEPT !.owned = @ \intersect member.goal, !.step = "ASSIGNING"]

HasAssigned(member) ==
    [member EXCEPT !.owned = member.goal, !.goal = {}, !.step = "IDLE", !.status = "ACKNOWLEDGING", !.told = FALSE]

\* It stops reading, and may still commit; then it leaves.
GivingUp(member) ==
    [member EXCEPT !.status = "PREPARE_LEAVING", !.step = "IDLE", !.target = {}, !.goal = {},
                   !.owned = member.owned \union member.goal, !.latest = FALSE, !.told = FALSE]

Leaving == [NotAMember EXCEPT !.status = "LEAVING"]
==============================================================================
