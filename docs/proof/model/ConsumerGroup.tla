----------------------------- MODULE ConsumerGroup -----------------------------
(* A consumer group of KIP-848: a coordinator with its log, members, commits,  *)
(* and a network that loses, delays and repeats messages. Coordinator has the  *)
(* results of requests, Member the states of a member, this module the steps.  *)
EXTENDS Member, FiniteSets, TLC

CONSTANTS
    IdleRequests,     \* FALSE: keepalives and commits that change nothing are not sent, for fewer states
    MaxOffset,        \* the number of records of each partition; 0: nothing is read or committed
    MaxLog,           \* how many outcomes may wait for replication
    MaxDisturbances,  \* how many disturbances may happen
    Disturbances,     \* their kinds: "leave", "rebalance", "expire", "lose", "late", "repeat", "failover"
    Overtakes         \* kinds of requests that may be handled after a newer one of the same member

VARIABLES
    mem,           \* each member
    position,      \* by member and partition: the next record to read; -1: none
    asked,         \* the heartbeat of each member on its way to the coordinator, or Silent
    heard,         \* the answer on its way to each member, or Silent
    commits,       \* the commits of each member on their way, of different partitions
    late,          \* abandoned requests that may still arrive
    stored,        \* the group in the replicated log
    log,           \* later outcomes, not replicated: [group, to, answer]
    deposed,       \* the group of a coordinator that does not know that it was replaced, or Silent
    disturbances,  \* how many have happened
    handed,        \* by partition: the offset after the records that members have read
    promised       \* by partition: the committed offset that a member was told

vars == <<mem, position, asked, heard, commits, late, stored, log, deposed, disturbances, handed, promised>>
network == <<asked, heard, commits, late>>
coordinator == <<stored, log, deposed>>
reading == <<position, handed, promised>>

NoOne == "no one"
Max(a, b) == IF a > b THEN a ELSE b

\* The current group of the coordinator, replicated or not.
InForce == IF log = <<>> THEN stored ELSE log[Len(log)].group

Init ==
    /\ mem = [m \in Members |-> NotAMember]
    /\ position = [m \in Members |-> [p \in Partitions |-> -1]]
    /\ asked = [m \in Members |-> Silent]
    /\ heard = [m \in Members |-> Silent]
    /\ commits = [m \in Members |-> {}]
    /\ late = {}
    /\ stored = EmptyGroup
    /\ log = <<>>
    /\ deposed = Silent
    /\ disturbances = 0
    /\ handed = [p \in Partitions |-> 0]
    /\ promised = [p \in Partitions |-> 0]

Disturbs(kind) ==
    /\ kind \in Disturbances
    /\ disturbances < MaxDisturbances
    /\ disturbances' = disturbances + 1

------------------------------------------------------------------------------
(* Messages in flight.                                                         *)

IsAnswerTo(m, entry, commit) == entry.to = m /\ (entry.answer.kind = "commit") = commit

HeartbeatInFlight(m) ==
    asked[m] # Silent \/ heard[m] # Silent \/ \E i \in 1..Len(log) : IsAnswerTo(m, log[i], FALSE)
\* The partitions of a member's commits in flight.
Committing(m) ==
    UNION {Named(request.offsets) : request \in commits[m]}
        \union UNION {Named(log[i].answer.offsets) : i \in {i \in 1..Len(log) : IsAnswerTo(m, log[i], TRUE)}}

\* The response to the member's heartbeat is abandoned.
Unaddressed(m) ==
    [i \in 1..Len(log) |-> IF IsAnswerTo(m, log[i], FALSE) THEN [log[i] EXCEPT !.to = NoOne] ELSE log[i]]

\* After a newer request of the member was handled: the late ones that may still be.
NotOvertaken(request) ==
    {r \in late : \/ r.m # request.m
                  \/ r.kind \in Overtakes
                  \/ (r.kind = "commit") # (request.kind = "commit")}

\* The member changes; it has no position in partitions that it gave up.
Becomes(m, member) ==
    /\ mem' = [mem EXCEPT ![m] = member]
    /\ position' = [position EXCEPT ![m] =
            [p \in Partitions |-> IF p \in member.owned \union WorkingOn(member) THEN @[p] ELSE -1]]

------------------------------------------------------------------------------
(* Members.                                                                    *)

Join(m) ==
    /\ mem[m].status \in {"OUT", "FENCED"}
    /\ Becomes(m, Joining)
    /\ UNCHANGED <<network, coordinator, disturbances, handed, promised>>

\* The heartbeat or its response has news.
IsOfUse(request) ==
    \/ request.owned # Silent
    \/ \E result \in HeartbeatResults(InForce, request) :
        \/ result.group # InForce
        \/ result.answer.code # "NONE"
        \/ result.answer.epoch # request.epoch

Send(m) ==
    /\ mem[m].status \in Heartbeating
    /\ ~HeartbeatInFlight(m)
    /\ LET request == Heartbeat(m, mem[m])
       IN /\ IdleRequests \/ IsOfUse(request)
          /\ asked' = [asked EXCEPT ![m] = Says(request)]
    /\ mem' = [mem EXCEPT ![m] = Sent(@)]
    /\ UNCHANGED <<heard, commits, late, coordinator, reading, disturbances>>

Hear(m) ==
    /\ heard[m] # Silent
    /\ Becomes(m, Heard(mem[m], heard[m][1]))
    /\ heard' = [heard EXCEPT ![m] = Silent]
    /\ UNCHANGED <<asked, commits, late, coordinator, disturbances, handed, promised>>

Begin(m) ==
    /\ MayBegin(mem[m])
    /\ Becomes(m, Begun(mem[m]))
    /\ UNCHANGED <<network, coordinator, disturbances, handed, promised>>

Revoked(m) ==
    /\ mem[m].step = "REVOKING"
    /\ Becomes(m, HasRevoked(mem[m]))
    /\ UNCHANGED <<network, coordinator, disturbances, handed, promised>>

Assigned(m) ==
    /\ mem[m].step = "ASSIGNING"
    /\ Becomes(m, HasAssigned(mem[m]))
    /\ UNCHANGED <<network, coordinator, disturbances, handed, promised>>

GiveUpAll(m) ==
    /\ mem[m].status \in InTheGroup
    /\ Disturbs("leave")
    /\ Becomes(m, GivingUp(mem[m]))
    /\ UNCHANGED <<network, coordinator, handed, promised>>

\* The leave is sent after all requests in flight, on the same connection, and its response is not awaited.
LeaveGoesOut(m) ==
    /\ Becomes(m, Leaving)
    /\ asked' = [asked EXCEPT ![m] = Says(LeaveOf(m))]
    /\ late' = IF asked[m] = Silent THEN late ELSE late \union {asked[m][1]}
    /\ heard' = [heard EXCEPT ![m] = Silent]
    /\ log' = Unaddressed(m)
    /\ UNCHANGED <<commits, stored, deposed, handed, promised>>

SendLeave(m) == mem[m].status = "PREPARE_LEAVING" /\ LeaveGoesOut(m) /\ UNCHANGED disturbances

\* A member that has not joined yet has nothing to give up.
LeaveAtOnce(m) == mem[m].status = "JOINING" /\ LeaveGoesOut(m) /\ Disturbs("leave")

------------------------------------------------------------------------------
(* Reading and committing.                                                     *)

\* A lookup of the committed offset is one step, since delays of the response do not matter. The response is sent when
\* everything appended before is replicated. Commits in flight on the same connection are handled before.
LookUp(m, p) ==
    /\ MaxOffset > 0
    /\ p \in WorkingOn(mem[m]) \ Committing(m)
    /\ position[m][p] = -1
    /\ \E group \in {stored} \union (IF deposed = Silent THEN {} ELSE {deposed[1]}) :
        /\ MayLookUp(group, m, mem[m].epoch)
        /\ position' = [position EXCEPT ![m][p] = group.committed[p]]
    /\ UNCHANGED <<mem, network, coordinator, disturbances, handed, promised>>

HandOut(m, p) ==
    /\ p \in WorkingOn(mem[m])
    /\ position[m][p] \in 0..(MaxOffset - 1)
    /\ position' = [position EXCEPT ![m][p] = @ + 1]
    /\ handed' = [handed EXCEPT ![p] = Max(@, position[m][p] + 1)]
    /\ UNCHANGED <<mem, network, coordinator, disturbances, promised>>

\* A member commits at most what it has read, since it may not have processed all, and at least what it knows to be
\* committed. A removed member does not know of later commits.
Commit(m, offsets) ==
    /\ Named(offsets) # {} /\ Named(offsets) \intersect Committing(m) = {}
    /\ \A p \in Named(offsets) : offsets[p] \in (IF m \in stored.members THEN promised[p] ELSE 0)..position[m][p]
    /\ IdleRequests \/ \E p \in Named(offsets) : offsets[p] # InForce.committed[p]
    /\ commits' = [commits EXCEPT ![m] =
            @ \union {[kind |-> "commit", m |-> m, epoch |-> mem[m].epoch, offsets |-> offsets]}]
    /\ UNCHANGED <<mem, asked, heard, late, coordinator, reading, disturbances>>

CommitAny(m) == MaxOffset > 0 /\ \E offsets \in [Partitions -> Unsaid..MaxOffset] : Commit(m, offsets)

------------------------------------------------------------------------------
(* The coordinator. The records of a request are appended, and apply at once.  *)
(* A response is sent when everything appended before is replicated.           *)

Append1(group, to, answer) ==
    /\ Len(log) < MaxLog
    /\ log' = Append(log, [group |-> group, to |-> to, answer |-> answer])

\* Nothing to write, and nothing waits for replication: the response is sent at once.
AnswersAtOnce(result) == log = <<>> /\ result.group = stored

Serve(m) ==
    /\ asked[m] # Silent
    /\ \E result \in HeartbeatResults(InForce, asked[m][1]) :
        IF AnswersAtOnce(result)
        THEN heard' = [heard EXCEPT ![m] = Says(result.answer)] /\ UNCHANGED log
        ELSE Append1(result.group, m, result.answer) /\ UNCHANGED heard
    /\ asked' = [asked EXCEPT ![m] = Silent]
    /\ late' = NotOvertaken(asked[m][1])
    /\ UNCHANGED <<mem, commits, stored, deposed, reading, disturbances>>

ServeCommit(m, request) ==
    /\ \E result \in CommitResults(InForce, request) :
        IF result.answer.code # "NONE" THEN UNCHANGED log ELSE Append1(result.group, m, result.answer)
    /\ commits' = [commits EXCEPT ![m] = @ \ {request}]
    /\ late' = NotOvertaken(request)
    /\ UNCHANGED <<mem, asked, heard, stored, deposed, reading, disturbances>>

ServeAnyCommit(m) == \E request \in commits[m] : ServeCommit(m, request)

ServeLate(request) ==
    /\ late' = late \ {request}
    /\ \E result \in Results(InForce, request) :
        IF result.group = InForce THEN UNCHANGED log ELSE Append1(result.group, NoOne, result.answer)
    /\ UNCHANGED <<mem, asked, heard, commits, stored, deposed, reading, disturbances>>

ServeAnyLate == \E request \in late : ServeLate(request)

\* The first waiting outcome is replicated, and its response is sent.
Replicate ==
    /\ log # <<>>
    /\ stored' = log[1].group
    /\ log' = Tail(log)
    /\ LET answer == log[1].answer
           to == log[1].to
       IN IF to = NoOne THEN UNCHANGED <<heard, promised>>
          ELSE IF answer.kind = "commit"
          THEN promised' = [p \in Partitions |-> Max(promised[p], answer.offsets[p])]
               /\ UNCHANGED heard
          ELSE heard' = [heard EXCEPT ![to] = Says(answer)] /\ UNCHANGED promised
    /\ UNCHANGED <<mem, asked, commits, late, deposed, position, handed, disturbances>>

NoAnswer == [kind |-> "none"]

------------------------------------------------------------------------------
(* Disturbances.                                                               *)

\* A session or rebalance timeout expires: the member is removed without knowing it.
Expire(m) ==
    /\ m \in InForce.members
    /\ Append1(WithoutMember(InForce, m), NoOne, NoAnswer)
    /\ Disturbs("expire")
    /\ UNCHANGED <<mem, network, stored, deposed, reading>>

\* A new target is needed for another reason: topics were created or got partitions.
Rebalance ==
    /\ InForce.members # {}
    /\ Append1([InForce EXCEPT !.epoch = @ + 1], NoOne, NoAnswer)
    /\ Disturbs("rebalance")
    /\ UNCHANGED <<mem, network, stored, deposed, reading>>

\* The member drops its connection. Its heartbeat is lost, either the request or the response, or the request arrives
\* later ("late").
GiveUpHeartbeat(m) ==
    /\ HeartbeatInFlight(m)
    /\ \/ Disturbs("lose") /\ UNCHANGED late
       \/ Disturbs("late") /\ asked[m] # Silent /\ late' = late \union {asked[m][1]}
    /\ asked' = [asked EXCEPT ![m] = Silent]
    /\ heard' = [heard EXCEPT ![m] = Silent]
    /\ log' = Unaddressed(m)
    /\ Becomes(m, HeartbeatLost(mem[m]))
    /\ UNCHANGED <<commits, stored, deposed, handed, promised>>

GiveUpCommit(m, request) ==
    /\ \/ Disturbs("lose") /\ UNCHANGED late
       \/ Disturbs("late") /\ late' = late \union {request}
    /\ commits' = [commits EXCEPT ![m] = @ \ {request}]
    /\ UNCHANGED <<mem, asked, heard, coordinator, reading>>

LoseCommitAnswer(m, i) ==
    /\ IsAnswerTo(m, log[i], TRUE)
    /\ Disturbs("lose")
    /\ log' = [log EXCEPT ![i].to = NoOne]
    /\ UNCHANGED <<mem, network, stored, deposed, reading>>

GiveUpAnyCommit(m) ==
    \/ \E request \in commits[m] : GiveUpCommit(m, request)
    \/ \E i \in 1..Len(log) : LoseCommitAnswer(m, i)

\* A request arrives twice.
Repeat(m, request) ==
    /\ late' = late \union {request}
    /\ Disturbs("repeat")
    /\ UNCHANGED <<mem, asked, heard, commits, coordinator, reading>>

RepeatAny(m) ==
    \/ asked[m] # Silent /\ Repeat(m, asked[m][1])
    \/ \E request \in commits[m] : Repeat(m, request)

\* Another coordinator starts with the replicated log, and maybe a few outcomes more. Waiting members get an error. The
\* old coordinator may not know this yet: it still answers, but what it appends is never replicated, and it can't answer
\* anything after that.
FailOver ==
    /\ Disturbs("failover")
    /\ \E copied \in 0..Len(log) :
        /\ log' = [i \in 1..copied |-> [log[i] EXCEPT !.to = NoOne]]
        /\ deposed' = IF copied = Len(log) /\ "deposed" \in Disturbances THEN Says(InForce) ELSE Silent
    /\ mem' = [m \in Members |->
            IF \E i \in 1..Len(log) : IsAnswerTo(m, log[i], FALSE) THEN HeartbeatLost(mem[m]) ELSE mem[m]]
    /\ UNCHANGED <<network, stored, reading>>

\* A coordinator that was replaced still answers requests that change nothing.
ServeDeposed(m) ==
    /\ deposed # Silent
    /\ asked[m] # Silent
    /\ \E result \in HeartbeatResults(deposed[1], asked[m][1]) :
        /\ result.group = deposed[1]
        /\ heard' = [heard EXCEPT ![m] = Says(result.answer)]
    /\ asked' = [asked EXCEPT ![m] = Silent]
    /\ UNCHANGED <<mem, commits, late, coordinator, reading, disturbances>>

LearnOfTheEnd ==
    /\ deposed # Silent
    /\ deposed' = Silent
    /\ UNCHANGED <<mem, network, stored, log, reading, disturbances>>

------------------------------------------------------------------------------

MemberStep(m) ==
    \/ Join(m) \/ Send(m) \/ Hear(m) \/ Begin(m) \/ Revoked(m) \/ Assigned(m) \/ SendLeave(m)
    \/ Serve(m) \/ ServeAnyCommit(m)
ReadStep(m) == CommitAny(m) \/ \E p \in Partitions : LookUp(m, p) \/ HandOut(m, p)

Disturbance ==
    \/ \E m \in Members :
        GiveUpAll(m) \/ LeaveAtOnce(m) \/ Expire(m) \/ GiveUpHeartbeat(m) \/ GiveUpAnyCommit(m) \/ RepeatAny(m) \/ ServeDeposed(m)
    \/ Rebalance \/ FailOver

Next ==
    \/ \E m \in Members : MemberStep(m) \/ ReadStep(m)
    \/ ServeAnyLate \/ Replicate \/ LearnOfTheEnd
    \/ Disturbance

Safety == Init /\ [][Next]_vars

\* Fairness of all steps that are not disturbances.
Fairness ==
    /\ \A m \in Members :
        /\ WF_vars(Join(m)) /\ WF_vars(Send(m)) /\ WF_vars(Hear(m)) /\ WF_vars(Begin(m)) /\ WF_vars(Revoked(m))
        /\ WF_vars(Assigned(m)) /\ WF_vars(SendLeave(m)) /\ WF_vars(Serve(m)) /\ WF_vars(ServeAnyCommit(m))
        /\ \A p \in Partitions : WF_vars(LookUp(m, p)) /\ WF_vars(HandOut(m, p))
    /\ WF_vars(ServeAnyLate) /\ WF_vars(Replicate) /\ WF_vars(LearnOfTheEnd)

Spec == Safety /\ Fairness

\* Members are symmetric, and so are partitions.
Symmetry == Permutations(Members) \union Permutations(Partitions)
===============================================================================
