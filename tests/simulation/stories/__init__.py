"""Findings as scenarios: a run is recorded as decisions, told as commands of the cluster world, made small, and played.

| module | what it is |
|---|---|
| seams | what is decided where, by a word |
| recording | a run, and all that was decided and done in it |
| stage | a simulation that does what it is told |
| world | its commands |
| drawn | a run by its draws: any seed, exactly, also what no word is for |
| telling | a finding as commands, as few as show it |
"""
