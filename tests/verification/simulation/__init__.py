"""A simulator of whole groups: members, coordinators and the network between them meet at random (KIP-848,
"Test Plan").

Everything that ships and does no I/O takes part as it is: the membership machines of both protocols, the offsets'
machine, the coordinator, and the codec between them. Made up are time, which is virtual, the network, the brokers' log
and the applications. One seed decides everything: the same seed is the same run, byte for byte.

| module | what it makes up |
|---|---|
| timeline | time: what happens when; clocks that drift |
| dice | chance: how often which fault comes, drawn anew for each seed |
| replicas | the log of the coordinator's partition on three nodes, in bytes, with its high watermark |
| nodes, held_answers | a broker node: it coordinates, loads, and fails over; its answers that wait |
| cluster | the nodes, their leader, and the topics |
| connections | requests and answers on their way, in order, cut, silent or late |
| exchanges | each request and answer in bytes, from both ends |
| clients, consumer_clients, classic_clients | a client: what drives the machines, of these parts |
| member_effects | what it does for a member of either protocol |
| committing, reader | its offsets' machine, and where it is in its partitions |
| client_network | its connections, and its calls |
| applications | what the application does: it polls, commits, subscribes, and may be slow or wrong |
| whims, timing | what moves it to do something odd, at any time, or at the one that leads to rare arrows |
| assignors, assigning | assignors, which may fail, and what drives the machine of those of members |
| faults, mishaps | what goes wrong, also with clients, and how it heals |
| checking | what must hold, seen from outside, after each event |
| coverage | what a run went through, and the closed list of what none has to |
| recording | the log of a run |
| running, batches | one seed from its beginning to its verdict, and many |
"""
