"""A member's own assignors: it computes its group's assignment when the coordinator asks it to."""
