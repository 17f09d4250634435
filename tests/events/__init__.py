"""Tests of the event store, the chain, the use-cases and the feed."""
