"""Recording the corpus: ``python -m tests.verification.fuzz.recording`` runs all clients on a real Kafka."""
