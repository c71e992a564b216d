-------------------------------- MODULE Member --------------------------------
(* A member: what it is after each event, and what it says in a heartbeat.     *)
(* All of this is functions of a member's record. See kafka_nextgen/membership *)
(* (transitions.py has the table; reconciliation.py, heartbeats.py).           *)
EXTENDS Coordinator

\* OUT is UNSUBSCRIBED. `step` is the step of a reconciliation that runs: Begin -> REVOKING -> ASSIGNING -> done.
NotAMember ==
    [status |-> "OUT", epoch |-> LEAVE, owned |-> {}, target |-> {}, goal |-> {}, step |-> "IDLE",
     latest |-> FALSE,  \* what it owns, or is on its way to, is by the latest target it was told
     told |-> FALSE,    \* its last heartbeat acknowledged what it owns
     full |-> TRUE]     \* its next heartbeat says everything: what the coordinator knows is not known

Joining == [NotAMember EXCEPT !.status = "JOINING", !.epoch = JOIN]
Fenced == [NotAMember EXCEPT !.status = "FENCED"]

InTheGroup == {"RECONCILING", "ACKNOWLEDGING", "STABLE"}
Heartbeating == InTheGroup \union {"JOINING", "PREPARE_LEAVING"}

\* What records may be handed out of. What is to be revoked stops when its revocation begins; what stays flows on.
WorkingOn(member) ==
    IF member.status \notin InTheGroup THEN {}
    ELSE CASE member.step = "IDLE" -> member.owned
           [] member.step = "REVOKING" -> member.owned \intersect member.goal
           [] member.step = "ASSIGNING" -> member.goal

------------------------------------------------------------------------------
(* Heartbeats.                                                                 *)

\* What is owned, and what will be before this heartbeat is answered: nobody else may have that.
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

\* No answer: nobody knows what arrived. Who was leaving is out all the same.
HeartbeatLost(member) ==
    IF member.status = "LEAVING" THEN NotAMember ELSE [member EXCEPT !.full = TRUE, !.told = FALSE]

------------------------------------------------------------------------------
(* Answers.                                                                    *)

WithTarget(member, assignment) ==
    IF assignment = Silent \/ assignment[1] = member.target THEN member
    ELSE [member EXCEPT !.target = assignment[1], !.latest = FALSE]

\* Nothing is begun while something is under way; the latest target counts after that.
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

\* The callback on_partitions_revoked has returned. The assignment is in force here before on_partitions_assigned.
HasRevoked(member) == [member EXCEPT !.owned = @ \intersect member.goal, !.step = "ASSIGNING"]

HasAssigned(member) ==
    [member EXCEPT !.owned = member.goal, !.goal = {}, !.step = "IDLE", !.status = "ACKNOWLEDGING", !.told = FALSE]

\* It stops reading, and may still commit; then it says good-bye.
GivingUp(member) ==
    [member EXCEPT !.status = "PREPARE_LEAVING", !.step = "IDLE", !.target = {}, !.goal = {},
                   !.owned = member.owned \union member.goal, !.latest = FALSE, !.told = FALSE]

Leaving == [NotAMember EXCEPT !.status = "LEAVING"]
==============================================================================
