"""The same random requests to the embedded broker and to real Kafka, and what they answer: docs/develop/testing.md."""
