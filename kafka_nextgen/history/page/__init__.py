"""One HTML page with everything that happened to the groups in a log, to be looked at without a network."""
