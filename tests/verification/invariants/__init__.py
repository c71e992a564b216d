"""What must hold of every group of a coordinator: ``groups.violations`` asks all of it."""
