---------------------------------- MODULE Trace ----------------------------------
(* Runs of the simulator: each step must be a step of the model. Runs is a      *)
(* module that tests/verification/model/recording.py writes. It has the names of the steps   *)
(* and the observations: requests, responses, the current group, members.       *)
EXTENDS Invariants, Runs

VARIABLES
    run,  \* which run
    at    \* its next step

ASSUME Members = MembersOfRuns /\ Partitions = PartitionsOfRuns

------------------------------------------------------------------------------
(* Observations.                                                               *)

IsGroup(group, seen) ==
    /\ group.epoch = seen.epoch
    /\ group.assignmentEpoch = seen.assignmentEpoch
    /\ group.members = DOMAIN seen.current
    /\ \A m \in group.members : group.target[m] = seen.target[m] /\ group.current[m] = seen.current[m]
    /\ group.committed = seen.committed

\* The group after a step; Silent: unchanged.
Leads(seen) == IF seen = Silent THEN InForce' = InForce ELSE IsGroup(InForce', seen[1])

IsRequest(request, seen) ==
    request.epoch = seen.epoch /\ request.owned = seen.owned /\ request.full = seen.full

IsAnswer(answer, seen) ==
    /\ (answer.code = "NONE") = seen.well
    /\ seen.well => answer.epoch = seen.epoch /\ answer.assignment = seen.assignment

\* The state of a member. It does not read partitions that it gives up, whether it still owns them or not.
IsMember(member, seen) ==
    /\ member.status = seen.status
    /\ member.epoch = seen.epoch
    /\ member.status # "PREPARE_LEAVING" => member.owned = seen.owned
    /\ IF seen.begins THEN seen.working \subseteq WorkingOn(member) ELSE seen.working = WorkingOn(member)

------------------------------------------------------------------------------
(* Each step is one of the model, with its observations.                       *)

\* An abandoned request still arrives, or is lost.
IsLate(request, arrives) == late' = IF arrives THEN late \union {request[1]} ELSE late

CommitOf(e) == [kind |-> "commit", m |-> e.m, epoch |-> e.epoch, offsets |-> e.offsets]
CommitsOf(e) == commits[e.m] \intersect {CommitOf(e)}

LateOnes(e) ==
    late \intersect (IF e.commits THEN {CommitOf(e)} ELSE {r \in late : r.kind # "commit" /\ r.m = e.m /\ IsRequest(r, e)})

LosesCommitAnswer(e) ==
    \E i \in 1..Len(log) : IsAnswerTo(e.m, log[i], TRUE) /\ log[i].answer.offsets = e.offsets /\ LoseCommitAnswer(e.m, i)

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
      [] e.a = "Commit" -> Commit(e.m, e.offsets) /\ CommitOf(e) \in commits'[e.m]
      [] e.a = "Serve" -> Serve(e.m) /\ Leads(e.group)
      [] e.a = "ServeCommit" -> \E request \in CommitsOf(e) : ServeCommit(e.m, request) /\ Leads(e.group)
      [] e.a = "ServeLate" -> \E request \in LateOnes(e) : ServeLate(request) /\ Leads(e.group)
      [] e.a = "ServeDeposed" -> ServeDeposed(e.m)
      [] e.a = "LearnOfTheEnd" -> LearnOfTheEnd
      [] e.a = "Replicate" -> Replicate
      [] e.a = "Expire" -> Expire(e.m) /\ (e.last => Leads(e.group))
      [] e.a = "GiveUpHeartbeat" -> GiveUpHeartbeat(e.m) /\ IsLate(asked[e.m], e.late)
      [] e.a = "GiveUpCommit" -> \E request \in CommitsOf(e) : GiveUpCommit(e.m, request) /\ IsLate(<<request>>, e.late)
      [] e.a = "LoseCommitAnswer" -> LosesCommitAnswer(e)
      [] e.a = "RepeatCommit" -> \E request \in CommitsOf(e) : Repeat(e.m, request)
      [] e.a = "RepeatHeartbeat" -> Repeat(e.m, asked[e.m][1])
      [] e.a = "FailOver" -> FailOver /\ Len(log') = e.copied
      [] e.a = "Is" -> IsMember(mem[e.m], e) /\ UNCHANGED vars

TraceInit == Init /\ run \in 1..Len(Runs) /\ at = 1

\* A run that reaches its end stutters for ever; a run that does not is a deadlock.
TraceNext ==
    \/ at <= Len(Runs[run]) /\ Step(Runs[run][at]) /\ at' = at + 1 /\ UNCHANGED run
    \/ at > Len(Runs[run]) /\ UNCHANGED <<vars, run, at>>

Traced == TraceInit /\ [][TraceNext]_<<vars, run, at>>
================================================================================
