"""The application's side of the engine: its calls, which run one at a time, and the futures they wait for."""
