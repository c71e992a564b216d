"""Who gets which partition: range and uniform, as pure functions."""
