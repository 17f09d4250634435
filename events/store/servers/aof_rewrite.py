"""Erased players leave the append-only file too: the server is asked to rewrite it, some time after each erasure.

An erasure counts itself, in the same step that destroys the player (`events.features.players.redis`); the count is
taken back only when a rewrite that began after it has ended well. So none is forgotten, whatever process dies
meanwhile, and any number of erasures within PAUSE seconds costs one rewrite.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from redis.exceptions import ResponseError

from events.errors import StoreForbids
from events.store import keys
from events.store.connections.client import RedisClient, ServerClient
from events.store.servers.info import fields

log = logging.getLogger("migrato.aof_rewrite")

PAUSE = 60.0  # seconds from one rewrite to the next; a large file takes its time
PARTITIONS = range(keys.PARTITIONS)

# Takes a count back, unless there were more erasures meanwhile.
# KEYS: the count of erasures
# ARGV: what it was
SETTLE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite that is going on: on which run of the server, and the counts that it settles, by partition."""

    run: str
    erasures: Mapping[int, bytes]


class AofRewriter:
    """Watches the counts of erasures. Several may do so at once: the file is then rewritten more often, that is all."""

    def __init__(self, link: RedisClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._link = link
        self._clock = clock
        self._of_server: dict[ServerClient, ServerRewriter] = {}

    def step(self) -> None:
        """Begin a rewrite where one is needed, or see how it has ended; call it now and then.

        Raises StoreUnavailable.
        """
        known, self._of_server = self._of_server, {}
        counted = {keys.erasures(partition): partition for partition in PARTITIONS}
        for server, own in self._link.by_server(list(counted)):
            rewriter = known.get(server) or ServerRewriter(server, self._clock)
            self._of_server[server] = rewriter
            rewriter.step([counted[key] for key in own])


class ServerRewriter:
    """Watches the counts of one server, which has the counts of some partitions or of all."""

    def __init__(self, link: ServerClient, clock: Callable[[], float]) -> None:
        self._link = link
        self._clock = clock
        self._rewrite: Rewrite | None = None
        self._not_before = float("-inf")

    def step(self, partitions: Sequence[int]) -> None:
        """Begin a rewrite where one is needed, or see how it has ended. Raises StoreUnavailable."""
        if self._rewrite is None and self._clock() < self._not_before:
            return
        erasures = self._erasures(partitions)
        if not erasures:
            self._rewrite = None
            return
        try:
            self._step(erasures)
        except (ResponseError, StoreForbids) as refusal:
            log.warning("erased names stay in the append-only file, which cannot be rewritten: %s", refusal)
            self._not_before = self._clock() + PAUSE

    def _step(self, erasures: Mapping[int, bytes]) -> None:
        server = fields([self._link.call("INFO", "server"), self._link.call("INFO", "persistence")])
        if server.get("aof_enabled") == "0":
            self._settle(erasures)  # there is no such file
        elif server.get("aof_rewrite_in_progress") == "1" or server.get("aof_rewrite_scheduled") == "1":
            return
        elif self._rewrite is None:
            self._begin(server.get("run_id", ""), erasures)
        else:
            self._end(self._rewrite, server)

    def _begin(self, run: str, erasures: Mapping[int, bytes]) -> None:
        try:
            self._link.call("BGREWRITEAOF")
        except ResponseError as refusal:
            if "in progress" not in str(refusal):  # another process's; the next step waits for it
                raise
        else:
            self._rewrite = Rewrite(run, erasures)

    def _end(self, rewrite: Rewrite, server: Mapping[str, str]) -> None:
        """End a rewrite; after a failure, or a restart that may have cut it short, it is begun again."""
        self._rewrite, self._not_before = None, self._clock() + PAUSE
        if server.get("run_id") == rewrite.run and server.get("aof_last_bgrewrite_status") == "ok":
            self._settle(rewrite.erasures)
        else:
            log.warning("the rewrite of the append-only file has failed; it will be tried again")

    def _erasures(self, partitions: Sequence[int]) -> dict[int, bytes]:
        counts = self._link.calls([("GET", keys.erasures(partition)) for partition in partitions])
        found = zip(partitions, counts, strict=True)
        return {partition: count for partition, count in found if isinstance(count, bytes)}

    def _settle(self, erasures: Mapping[int, bytes]) -> None:
        for partition, count in erasures.items():
            self._link.script(SETTLE, [keys.erasures(partition)], [count])
