"""A pause of all archivers while a backup is taken: no game moves, so store and archive are of one moment."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from events.errors import StoreUnavailable
from events.ports import LockLost
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.whole_games import RedisGames, RedisLock

LOOK: Final = 0.1  # seconds between two looks at what an archiver holds
RENEWAL: Final = 2.0  # seconds


class ArchiverAtWork(Exception):
    """An archiver moved games meanwhile, and went on for too long; the message is a sentence."""


@contextmanager
def archive_at_rest(link: RedisClient, patience: float = 60.0) -> Iterator[None]:
    """Hold all archivers off, and wait for those at work; ArchiverAtWork if that takes more than `patience` seconds.

    Archivers are free again 20 seconds after a holder died. ArchiverAtWork in the end if they were free in between.
    """
    locks = _all_locks(RedisGames(link), time.monotonic() + patience)
    ended, lost = threading.Event(), threading.Event()
    renewal = threading.Thread(target=_renew, args=(locks, ended, lost), daemon=True)
    renewal.start()
    try:
        yield
        ended.set()
        renewal.join()
        if lost.is_set():
            raise ArchiverAtWork(
                "An archiver could have moved games while the backup was taken. Take it again."
            )
    finally:
        ended.set()
        renewal.join()
        for lock in locks:
            lock.release()


def _all_locks(games: RedisGames, deadline: float) -> list[RedisLock]:
    locks: list[RedisLock] = []
    try:
        for partition in range(keys.PARTITIONS):
            locks.append(_lock(games, partition, locks, deadline))
    except BaseException:
        for lock in locks:
            lock.release()
        raise
    return locks


def _lock(games: RedisGames, partition: int, held: list[RedisLock], deadline: float) -> RedisLock:
    """The lock of a partition, once no other process has it; the locks in `held` are renewed meanwhile."""
    while (lock := games.lock(partition)) is None:
        try:
            for other in held:
                other.renew()
        except LockLost as error:
            raise ArchiverAtWork("Another archiver has come in between. Try again.") from error
        if time.monotonic() > deadline:
            raise ArchiverAtWork("An archiver is at work. Try again when it is done.")
        time.sleep(LOOK)
    return lock


def _renew(locks: list[RedisLock], ended: threading.Event, lost: threading.Event) -> None:
    while not ended.wait(RENEWAL):
        try:
            for lock in locks:
                lock.renew()
        except (LockLost, StoreUnavailable):
            lost.set()
            return


def forget_locks(link: RedisClient) -> None:
    """Delete the locks and the processes' announcements that a store held when a copy of it was made."""
    held = [
        keys.RETAINING,
        keys.READERS,
        *(keys.archiving(partition) for partition in range(keys.PARTITIONS)),
    ]
    link.calls([("DEL", key) for key in held])
