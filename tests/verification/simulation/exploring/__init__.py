"""An explorer of whole groups: the shipped machines, searched breadth first to the end, within small bounds (KIP-848,
"Test Plan", asks for a formal model besides the simulator).

``python -m tests.verification.simulation.exploring --members 2 --partitions 2 --faults 1`` visits every interleaving of
messages, callbacks, polls, timers and at most so many faults, of eight kinds, and asks after every step what must hold
(``pairs``). The first thing that does not hold ends the search; the shortest way there is printed as a scenario of the
pair world, with what happens at each command.

| module | what it is |
|---|---|
| coordinators | states of ``Coordinator``: records, topics, timers that run, and the log |
| clients, crowd | states of ``Member``, with its requests, answers and callbacks under way; its steps and its faults |
| pairs | steps of a coordinator and one client; what must hold |
| shared_faults | faults that are not of one client |
| groups, numbers | whole groups as numbers, those that were met, and what a fail-over may lose of them |
| searching | the search, breadth first |
| telling | a way as a scenario, and the world it is played in |

What makes it fast: a state of a group is a few numbers, one of the coordinator and one of each client. A step is of one
client and the coordinator, or of one alone, so the machines work it out once for each such pair; whole groups only put
numbers together, a level of the search at a time. 27 million groups come from 29,000 states of the coordinator and
69,000 of clients.

What makes it small: the numbers of a group are packed into one of 63 bits, and exactly: no two groups share it. A group
takes 16 bytes, one number among all that were met, sorted, and one in its level. The way to a group is not kept. It is
worked out from the end: some group of the level before leads there.

What keeps the numbers small, and loses nothing:

- Time does not pass. A timer that runs may ring at any moment. So its deadline says nothing, and is left out. The
  session and rebalance timers of a member that heartbeats are the exception: for them to run out is a fault, "member
  silent for too long", as it is for ``max.poll.interval.ms``.
- Numbers of requests, callbacks and targets only name what they belong to. They are counted anew from 1 after each
  step, and what is awaited no more has none. Epochs stay as they are: every new one takes a join or a fault.
- A poll is a step only if the member waits for one. Any other moves nothing but a deadline.
- An idle member's keepalive is a step only if the coordinator would do something or tell something. Until then, and
  until its answer is there, an idle member does nothing by itself, so that one sent later leads to the same. Only a
  fault can tell the difference, and all faults that a keepalive under way can meet are tried.
- That a request or an answer was lost is noticed at once. One noticed later leads where a slow one leads that is lost
  when that is noticed.
- Which records a fail-over may lose is remembered as long as there is a fault left.
- Members are not interchanged: the assignor decides between equals by their ids.

The coordinator's log is kept compacted. Every way to a state writes its own log, and each must lead to that state.

A request of a connection given up may arrive late (a fault, "request repeated, or late"), after others of the same
member. The coordinator can't tell it from one sent now. Two things are not asked then (``pairs``):

- whether a member works on what is its own, once a late request gave up what the member has or may take, or joined in
  its place; until the member joins anew. Pairs with such a member are counted.
- whether a group settles, once the coordinator told a late request of another assignment, which reaches nobody; until
  the member says what it has and is told what it is to have.
"""
