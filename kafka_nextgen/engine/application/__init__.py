"""The application's side of the engine: its calls, one at a time, and what waits for them."""
