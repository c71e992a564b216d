"""Drawing requests: one file per kind, and the session that they are drawn for."""
