"""Memory of a size for tests."""

from events.caching import SHARES, Memory


def memory_of(kind: str, most: float) -> Memory:
    """Memory of which the cache of this kind may keep so many bytes."""
    return Memory(most / SHARES[kind])
