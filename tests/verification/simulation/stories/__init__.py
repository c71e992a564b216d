"""Findings as scenarios: a run is recorded as decisions, told as commands of the cluster world, made small, and played.

| module | what it is |
|---|---|
| seams | what is decided where, by a word |
| recording, actions | a run as commands: all that was decided and done in it |
| stage | a simulation that does what it is told |
| world, verbs, lines | its commands, and what is told of them |
| drawn | a run by its draws: any seed, exactly, also what no word is for |
| telling, editing | a finding as commands, as few as show it |
| ladder | any scenario as a picture |
"""
