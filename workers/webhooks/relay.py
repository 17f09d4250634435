"""The relay from the feed to apps' logs: recorded events of games become messages to their apps."""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from gevent.pool import Pool  # type: ignore[import-untyped]

from events.errors import Busy, EngineError, StoreUnavailable
from events.features.webhooks.app_logs import AppLogs
from events.ports import Feed, FeedEntry
from events.rhythm import block, pause

log = logging.getLogger("migrato.webhooks")

BLOCK: Final = 0.5  # seconds for which it waits for new events
IDLE: Final = 2.0  # seconds between two looks while no app has ever asked for its log
AT_ONCE: Final = 32  # games that are logged at the same time
TIDY: Final = 60.0  # seconds between two removals of old entries


class Relay:
    """A reader of the feed. It acknowledges an entry once it is logged; logging it twice does no harm."""

    def __init__(self, feed: Feed, logs: AppLogs, tell: Callable[[str], object] = lambda _: None) -> None:
        """`tell` is called with the name of an app whose log has grown."""
        self._feed = feed
        self._logs = logs
        self._tell = tell
        self._next_tidy = 0.0
        self._started = False

    def step(self, block_ms: int | None = None) -> None:
        """Log new events, for which this waits at most so long, BLOCK by default. Raises StoreUnavailable."""
        if not self._logs.logs.has_begun():
            time.sleep(pause(IDLE))
            return
        try:
            if not self._started:  # first the entries that a dead process has read
                self._feed.join()
                while entries := self._feed.claim_stale(min_idle_ms=0):
                    self.handle(entries)
                self._started = True
            self.handle(self._feed.read(round(1000 * block(BLOCK)) if block_ms is None else block_ms))
        except (StoreUnavailable, Busy):
            self._started = False
            raise
        if time.monotonic() >= self._next_tidy:
            self._next_tidy = time.monotonic() + TIDY
            self._logs.logs.drop_unused()

    def handle(self, entries: Sequence[FeedEntry]) -> None:
        """Log the events of these entries of the feed, then acknowledge the entries."""
        if not entries:
            return
        if active := self._logs.logs.active():
            owners = self._logs.owners_of({entry.game_id for entry in entries})
            ranges = dict[str, tuple[int, int]]()
            for entry in entries:
                if entry.said is not None:
                    continue
                first, last = ranges.get(entry.game_id, (entry.first, entry.version))
                ranges[entry.game_id] = (min(first, entry.first), max(last, entry.version))
            wanted = [(owners[game_id], game_id, *found) for game_id, found in ranges.items()]
            wanted = [one for one in wanted if one[0] in active]
            told = [entry for entry in entries if entry.said is not None and owners[entry.game_id] in active]
            # Words of seats follow the end of their game, and a rematch follows these words.
            over, pool = {entry.game_id for entry in told}, Pool(AT_ONCE)
            outcomes = [self._record(*one) for one in wanted if one[1] in over]
            outcomes += [
                self._say(owners[one.game_id], one) for one in sorted(told, key=lambda one: one.place)
            ]
            others = [one for one in wanted if one[1] not in over]
            outcomes += pool.imap(lambda one: self._record(*one), others)
            failed = [error for error in outcomes if error is not None]
            if failed:
                raise failed[0]
            for app in {app for app, *_ in wanted} | {owners[entry.game_id] for entry in told}:
                self._tell(app)
        self._feed.ack(entries)

    def _say(self, app: str, entry: FeedEntry) -> StoreUnavailable | Busy | None:
        """Log the word of a seat; returns the error after which it must be tried again, None without one."""
        assert entry.said is not None
        at = int(entry.entry_id.partition("-")[0])
        log_it = partial(self._logs.say, app, entry.game_id, *entry.said, at, entry.place)
        return self._failure(log_it, entry.game_id, entry.version, entry.version)

    def _record(self, app: str, game_id: str, first: int, last: int) -> StoreUnavailable | Busy | None:
        """Log these versions; returns the error after which they must be tried again. A game that would fail again is
        skipped.
        """
        return self._failure(partial(self._logs.record, app, game_id, first, last), game_id, first, last)

    def _failure(
        self, log_it: Callable[[], object], game_id: str, first: int, last: int
    ) -> StoreUnavailable | Busy | None:
        try:
            log_it()
        except (StoreUnavailable, Busy) as error:
            return error
        except EngineError as error:
            log.warning(
                "%s: versions %d to %d cannot be logged",
                error.detail,
                first,
                last,
                extra={"game_id": game_id},
            )
        except Exception:
            log.exception("versions %d to %d cannot be logged", first, last, extra={"game_id": game_id})
        return None
