"""Faults that are done to the engine: each breaks one thing, holds it broken for a while, and mends it."""
