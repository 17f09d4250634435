"""Callers' connections spread over the web workers: none takes more than its share of those that there are.

All workers wait at the same sockets, and a caller keeps its connection. If the quickest worker took each connection,
one worker would end up with twice as many as another, and its callers would wait while a core is idle.
"""

import errno
import logging
import socket
import struct
import time
from collections.abc import Callable
from mmap import mmap
from typing import Any, Final

from gevent.server import StreamServer  # type: ignore[import-untyped]

from events.warning_throttle import WarningThrottle

log = logging.getLogger("migrato.web")

PLACES: Final = 64  # workers that are counted; further ones take whatever there is
ABSENT: Final = -1  # in place of a count: no worker that takes connections
MOST: Final = 16  # connections taken at one look: callers that are there already must not wait for all
COURTESY: Final = 0.05  # seconds in which others may take what is theirs
LOOK: Final = 0.001  # seconds between two looks at whether they have
PAUSE: Final = 0.25  # seconds before a system that could give no connection is asked again
HUNG_UP: Final = (errno.ECONNABORTED, errno.EPROTO)  # the caller, before its connection was taken
NO_MORE: Final = "no connection can be taken: %s"
# The field `tcpi_unacked` of Linux's tcp_info: of a listening socket, how many connections wait there.
UNACKED: Final = struct.Struct("24xI")


class ConnectionCounts:
    """Number of connections of each web worker, in memory that is shared with forked processes."""

    def __init__(self) -> None:
        self.counts = memoryview(mmap(-1, 4 * PLACES)).cast("i")
        self._taken = set[int]()
        for place in range(PLACES):
            self.counts[place] = ABSENT

    def take(self) -> "Share":
        """A new worker's, for the process that forks it; without a place if there are too many workers."""
        place = next((place for place in range(PLACES) if place not in self._taken), None)
        if place is not None:
            self._taken.add(place)
        return Share(self, place)

    def free(self, place: int) -> None:
        """The place can be taken again."""
        self.counts[place] = ABSENT
        self._taken.discard(place)


class Share:
    """One worker's connections, and what it may know of the others'."""

    def __init__(self, all_workers: ConnectionCounts, place: int | None) -> None:
        self._all = all_workers
        self._place = place
        self._own = 0
        self._open = False

    def begin(self) -> None:
        """The worker takes connections from now on."""
        self._open = True
        self.add(0)

    def end(self) -> None:
        """The worker takes no more of them."""
        self._open = False
        if self._place is not None:
            self._all.counts[self._place] = ABSENT

    def give_back(self) -> None:
        """The worker has ended; the process that forked it calls this."""
        if self._place is not None:
            self._all.free(self._place)

    def add(self, connections: int) -> None:
        """Add so many connections; a negative number takes some away."""
        self._own += connections
        if self._open and self._place is not None:
            self._all.counts[self._place] = self._own

    def of(self, waiting: int) -> int:
        """Number of the waiting connections that are for this worker; none or fewer if all are for others."""
        counts = [count for count in self._all.counts if count != ABSENT]
        if self._place is None or len(counts) < 2:
            return waiting
        return -(-(sum(counts) + waiting) // len(counts)) - self._own

    def of_others(self) -> int:
        """The others' connections."""
        return sum(
            count for at, count in enumerate(self._all.counts) if count != ABSENT and at != self._place
        )


class FairServer(StreamServer):  # type: ignore[misc]
    """Takes its share of the connections that wait.

    The others' is left to them for a while. They may be busy, or stopped: then some are taken here, and twice as many
    each time that it is in vain again.
    """

    def __init__(
        self,
        listener: Any,
        handle: Callable[..., object],
        share: Share,
        leave: Callable[[], None] = lambda: None,
        **options: Any,
    ) -> None:
        """`leave` is called when the server is closed. `options`: those of a `StreamServer`."""
        super().__init__(listener, handle, **options)
        self._share = share
        self._leave = leave
        self._begun = False
        self._in_vain = 0  # waits in which the others took nothing, one after the other
        self._credit = 0  # connections to be taken at the next look although they are others'
        self._warnings = WarningThrottle(log)

    def begin(self) -> None:
        """Take connections from now on; until then they are left to others."""
        self._begun = True
        self._share.begin()
        self._start_accepting_if_started()

    def end(self) -> None:
        """Leave new connections to others, until the next `begin`."""
        self._begun = False
        self._share.end()
        self.stop_accepting()

    def start_accepting(self) -> None:
        """Look at the socket, if connections are to be taken."""
        if self._begun:
            super().start_accepting()

    def _do_read(self) -> None:
        own = self._share.of(self._waiting())
        if own <= 0 and not self._credit:
            self._leave_to_others(time.monotonic() + COURTESY, self._share.of_others())
            return
        self.max_accept = min(MOST, max(own, self._credit))
        self._credit = 0
        super()._do_read()

    def do_read(self) -> Any:
        """The next connection, if there is one."""
        try:
            taken = super().do_read()
        except OSError as error:
            if error.errno in self.fatal_errors:
                raise
            if error.errno not in HUNG_UP:
                self._rest(error)
            return None
        if taken:
            self._share.add(1)
            self._warnings.over(NO_MORE, "connections can be taken again")
        return taken

    def do_close(self, sock: Any, *args: Any) -> None:
        """The connection is over."""
        self._share.add(-1)
        super().do_close(sock, *args)

    def close(self) -> None:
        """Take no more connections."""
        self._share.end()
        super().close()
        self._leave()

    def _rest(self, error: OSError) -> None:
        """Take none for a while, most likely as too many files are open; who is there already is served."""
        self._warnings.warning(NO_MORE, error.strerror or error)
        self.stop_accepting()
        self._timer = self.loop.timer(PAUSE)
        self._timer.start(self._start_accepting_if_started)

    def _waiting(self) -> int:
        """The connections that wait at the socket; 1 where the system does not say."""
        try:
            said = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, UNACKED.size)
        except (AttributeError, OSError):
            return 1
        return max(1, int(UNACKED.unpack(said)[0])) if len(said) == UNACKED.size else 1

    def _leave_to_others(self, until: float, others: int) -> None:
        """Look away from the socket, and soon again at what the others have, which was `others` so far."""
        self.stop_accepting()
        self._timer = self.loop.timer(LOOK)
        self._timer.start(self._look_again, until, others)

    def _look_again(self, until: float, others: int) -> None:
        if self._share.of_others() != others or self._share.of(self._waiting()) > 0:
            self._in_vain = 0
        elif time.monotonic() < until:
            self._leave_to_others(until, others)
            return
        else:
            self._credit = min(MOST, 2**self._in_vain)
            self._in_vain += 1
        self._start_accepting_if_started()
