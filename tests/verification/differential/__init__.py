"""The same random requests to the embedded broker and to real Kafka, compared: docs/develop/side-by-side.md."""
