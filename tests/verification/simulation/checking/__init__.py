"""What must hold in a run, seen from outside: ``judge`` opens with the table, and asks the others."""
