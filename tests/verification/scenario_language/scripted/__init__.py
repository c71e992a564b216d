"""Members of a classic group against a coordinator whose every answer is in the scenario."""
