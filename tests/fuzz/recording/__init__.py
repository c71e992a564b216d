"""Making the corpus again: ``python -m tests.fuzz.recording`` runs clients of all kinds on a real Kafka and listens."""
