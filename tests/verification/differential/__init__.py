"""The same random requests to the embedded broker and to real Kafka, compared: docs/proof/side-by-side.md."""
