# compiled into recording
"""Partitions: what belongs to one game, or one player, lies together, in Redis and in the archive."""

from zlib import crc32

PARTITIONS = 256


def partition_of(name: str) -> int:
    """The partition that a game or a player of this id belongs to, for ever."""
    return crc32(name.encode()) % PARTITIONS
