# compiled into serving
"""Counts of each caller's requests to this process, and of those with a wrong token, in memory.

Frequent requests take some hundred microseconds in all, so counting one must cost next to nothing, and no server is
asked: each process counts for itself, and a caller that spreads its requests over all processes may send that many
times as many.
"""

import time
from typing import Final
from wsgiref.types import WSGIEnvironment

from events.engine.access import SEAT_TOKEN, STRANGER
from events.runtime.rates import Rate
from service.http.admission.rates import OF_AN_APP, WHAT, Quota, Scale
from service.http.call import TOKEN_LIMIT, Call

SCHEME: Final = 7  # characters of "Bearer "


class Pace:
    """Counts requests in fixed windows, by token, or by address where there is none. Safe among greenlets and threads.

    A token is counted before it is checked; `Guesses` counts callers that send wrong tokens.
    """

    def __init__(self, rate: Rate, scale: Scale) -> None:
        """`rate`: the rate of one person, who has a seat."""
        self._rate = rate
        self._scale = scale
        self._tokens: dict[str, int] = {}
        self._addresses: dict[str, int] = {}
        self._end = 0.0

    def count(self, call: Call) -> None:
        """Count a request. Raises Problem "rate-limited"."""
        if call.began >= self._end:
            self._tokens = {}
            self._addresses = {}
            self._end = call.began + self._rate.seconds
        header: str | None = call.environ.get("HTTP_AUTHORIZATION")
        token = None if header is None else header[SCHEME:].strip()
        if token is None or len(token) > TOKEN_LIMIT:  # anything else is no token, and is not kept
            token, found = None, self._scale.addresses.of(call.environ)
            count = self._addresses[found] = self._addresses.get(found, 0) + 1
        else:
            count = self._tokens[token] = self._tokens.get(token, 0) + 1
        if count > self._rate.amount:
            self._check(count, token, call)

    def _check(self, count: int, token: str | None, call: Call) -> None:
        """Refuse the request if it exceeds the rate of this kind of caller."""
        if token is None:
            kind, most = "address", self._scale.of_an_address(self._rate)
        elif SEAT_TOKEN.fullmatch(token):
            kind, most = "seat", self._rate.amount
        else:
            kind, most = "app", self._rate.amount * OF_AN_APP
        if count > most:
            if token is None:
                self._scale.addresses.note_refused(call.environ)
            elif kind == "app":
                call.app = self._scale.app_at_hand(token)
            left = self._end - call.began
            raise Quota(f"requests-per-{kind}", most, self._rate.seconds, 0, left).refusal(WHAT["requests"])


class Guesses:
    """Counts wrong tokens by the address that sent them. For an address with too many, no token is looked up for a
    while.

    Wrong tokens that an app's backend sends are counted for the app. A token that this process can check without a
    lookup is never refused, so people behind one address do not suffer for one of them. Safe among threads and
    greenlets.
    """

    def __init__(self, rate: Rate, scale: Scale) -> None:
        """`rate`: the rate of one person."""
        self._rate = rate
        self._scale = scale
        self._wrong: dict[tuple[str, str], int] = {}
        self._end = 0.0
        self.any_refused = False  # lets nearly all requests skip the closer look

    def note(self, environ: WSGIEnvironment, backend: str | None = None) -> None:
        """Count one more wrong token from there; `backend`: the app that sent it."""
        self._turn()
        kind, which, most = self._counted(environ, backend)
        count = self._wrong[kind, which] = self._wrong.get((kind, which), 0) + 1
        self.any_refused = self.any_refused or count >= most

    def check(self, environ: WSGIEnvironment, backend: str | None = None) -> None:
        """Raise Problem "rate-limited" for an address, or an app's backend, that has sent too many wrong tokens."""
        self._turn()
        kind, which, most = self._counted(environ, backend)
        if self._wrong.get((kind, which), 0) >= most:
            if backend is None:
                self._scale.addresses.note_refused(environ)
            left = self._end - time.monotonic()
            raise Quota(f"guesses-per-{kind}", most, self._rate.seconds, 0, left).refusal(WHAT["guesses"])

    def _counted(self, environ: WSGIEnvironment, backend: str | None) -> tuple[str, str, int]:
        [(kind, which, people)] = self._scale.counted(STRANGER, environ, backend)
        return kind, which, self._rate.amount * people

    def _turn(self) -> None:
        now = time.monotonic()
        if now >= self._end:
            self._wrong = {}
            self._end = now + self._rate.seconds
            self.any_refused = False
