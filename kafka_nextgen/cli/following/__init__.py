"""The parts of ``history follow``: sources of events, the state they lead to, and the screen."""
