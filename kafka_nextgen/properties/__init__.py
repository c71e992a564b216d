"""Configuration values as text: parsers of properties, and the types that some of them become."""
