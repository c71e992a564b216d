"""Client-side assignors: a member computes its group's assignment when the coordinator requests it."""
