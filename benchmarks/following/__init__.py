"""Following a record, a poll, a heartbeat and a commit through the code."""
