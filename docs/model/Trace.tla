---------------------------------- MODULE Trace ----------------------------------
(* Runs of the simulator, step by step: each must be a step of the model. Runs  *)
(* is a module that tests/model/recording.py writes. It has the steps, by their *)
(* names, with what was seen: requests, answers, the group in force, members.   *)
EXTENDS Invariants, Runs

VARIABLES
    run,  \* which run
    at    \* its next step

ASSUME Members = MembersOfRuns /\ Partitions = PartitionsOfRuns

------------------------------------------------------------------------------
(* What was seen.                                                              *)

IsGroup(group, seen) ==
    /\ group.epoch = seen.epoch
    /\ group.assignmentEpoch = seen.assignmentEpoch
    /\ group.members = DOMAIN seen.current
    /\ \A m \in group.members : group.target[m] = seen.target[m] /\ group.current[m] = seen.current[m]
    /\ group.committed = seen.committed

\* The group in force after a step; Silent: the one before.
Leads(seen) == IF seen = Silent THEN InForce' = InForce ELSE IsGroup(InForce', seen[1])

IsRequest(request, seen) ==
    request.epoch = seen.epoch /\ request.owned = seen.owned /\ request.full = seen.full

IsAnswer(answer, seen) ==
    /\ (answer.code = "NONE") = seen.well
    /\ seen.well => answer.epoch = seen.epoch /\ answer.assignment = seen.assignment

\* What a member is. What it gives up it may read no more, be it counted as its own or not.
IsMember(member, seen) ==
    /\ member.status = seen.status
    /\ member.epoch = seen.epoch
    /\ member.status # "PREPARE_LEAVING" => member.owned = seen.owned
    /\ IF seen.begins THEN seen.working \subseteq WorkingOn(member) ELSE seen.working = WorkingOn(member)

------------------------------------------------------------------------------
(* Each step is one of the model, with what was seen of it.                    *)

\* A request on its way that is this one; it is given up, and lost, or late.
GivenUp(request, seen) == late' = IF seen.late THEN late \union {request[1]} ELSE late

LateOne(e) ==
    {r \in late : r.m = e.m /\ (r.kind = "commit") = e.commits /\
        IF e.commits THEN r.epoch = e.epoch /\ r.offsets = e.offsets ELSE IsRequest(r, e)}

Step(e) ==
    CASE e.a = "Join" -> Join(e.m)
      [] e.a = "Send" -> Send(e.m) /\ IsRequest(asked'[e.m][1], e)
      [] e.a = "Hear" -> Hear(e.m) /\ IsAnswer(heard[e.m][1], e)
      [] e.a = "Begin" -> Begin(e.m)
      [] e.a = "Revoked" -> Revoked(e.m)
      [] e.a = "Assigned" -> Assigned(e.m)
      [] e.a = "GiveUpAll" -> GiveUpAll(e.m)
      [] e.a = "SendLeave" -> SendLeave(e.m)
      [] e.a = "LeaveAtOnce" -> LeaveAtOnce(e.m)
      [] e.a = "LookUp" -> LookUp(e.m, e.p) /\ position'[e.m][e.p] = e.offset
      [] e.a = "HandOut" -> HandOut(e.m, e.p) /\ position[e.m][e.p] = e.offset
      [] e.a = "Commit" -> Commit(e.m, e.offsets) /\ commits'[e.m][1].epoch = e.epoch
      [] e.a = "Serve" -> Serve(e.m) /\ Leads(e.group)
      [] e.a = "ServeCommit" -> ServeCommit(e.m) /\ Leads(e.group)
      [] e.a = "ServeLate" -> \E request \in LateOne(e) : ServeLate(request) /\ Leads(e.group)
      [] e.a = "ServeDeposed" -> ServeDeposed(e.m)
      [] e.a = "LearnOfTheEnd" -> LearnOfTheEnd
      [] e.a = "Replicate" -> Replicate
      [] e.a = "Expire" -> Expire(e.m) /\ (e.last => Leads(e.group))
      [] e.a = "Rebalance" -> Rebalance /\ Leads(e.group)
      [] e.a = "GiveUpHeartbeat" -> GiveUpHeartbeat(e.m) /\ GivenUp(asked[e.m], e)
      [] e.a = "GiveUpCommit" -> GiveUpCommit(e.m) /\ GivenUp(commits[e.m], e)
      [] e.a = "Repeat" -> Repeat(e.m) /\ GivenUp(IF e.commits THEN commits[e.m] ELSE asked[e.m], e)
      [] e.a = "FailOver" -> FailOver /\ Len(log') = e.copied
      [] e.a = "Is" -> IsMember(mem[e.m], e) /\ UNCHANGED vars

TraceInit == Init /\ run \in 1..Len(Runs) /\ at = 1

\* A run that ends goes on for ever; one that does not get to its end is a deadlock.
TraceNext ==
    \/ at <= Len(Runs[run]) /\ Step(Runs[run][at]) /\ at' = at + 1 /\ UNCHANGED run
    \/ at > Len(Runs[run]) /\ UNCHANGED <<vars, run, at>>

Traced == TraceInit /\ [][TraceNext]_<<vars, run, at>>
================================================================================
