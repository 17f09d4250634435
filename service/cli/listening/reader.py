"""Events of an app, page by page, from an engine that may be away for a while."""

import time
from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode

from events.features.webhooks.deliveries import Delivery, of_message
from events.features.webhooks.event_types import LoggedMessage, Message
from service.cli.exits import Failure, Refusal
from service.cli.http_client import Client, Json, Refused

WAIT: Final = 25  # seconds of a long poll
KEY: Final = "The key is that of MIGRATO_APP_KEY, or in the file of --key-file."
ADVICE: Final = {
    "unauthorized": KEY,
    "forbidden": KEY,
    "events-expired": "Without --since only new events come; --since 0 begins with the oldest one that is kept.",
}
PAUSE: Final = 1.0  # seconds until an engine that is away is asked again
PASSING: Final = {"busy", "rate-limited", "store-unavailable", "internal-error"}


class Reader:
    """The events after a cursor, for ever. An engine that is away, or has no time, is asked again."""

    def __init__(
        self, client: Client, types: str | None, since: str, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """The first request is made at once: Refusal where it is refused, Failure where nothing answers.

        `begin` is the cursor after which the events come.
        """
        self._client = client
        self._types = types
        self._pause = pause
        try:
            page = self._page(since, 0)
        except Refused as refused:
            raise Refusal(_told(refused)) from refused
        self._read: list[Json] = page["events"]
        self._place: str = page["next"]
        self.begin = self._place if since == "now" else since

    @property
    def url(self) -> str:
        """Address of the engine."""
        return self._client.url

    def page(self, say: Callable[[str], object]) -> list[Delivery]:
        """The next events, after a wait for them if need be; none if nothing happened for so long.

        `say` is told that the engine is away, and that it is back. Raises Failure if it refuses for good.
        """
        events, self._read = self._read, []
        if not events:
            page = self._patiently(say)
            events, self._place = page["events"], page["next"]
        return [_delivery(event) for event in events]

    def _patiently(self, say: Callable[[str], object]) -> Json:
        is_away = False
        while True:
            try:
                page = self._page(self._place, WAIT)
            except Failure as failure:
                reason = failure.message
            except Refused as refused:
                if refused.code not in PASSING:
                    raise Failure(_told(refused)) from refused
                reason = str(refused)
            else:
                if is_away:
                    say("the engine answers again")
                return page
            if not is_away:
                say(f"{reason} Asking again.")
            is_away = True
            self._pause(PAUSE)

    def _page(self, after: str, wait: int) -> Json:
        query = {"after": after, "views": "true", "wait": wait}
        if self._types is not None:
            query["types"] = self._types
        return self._client.get(f"/v1/events?{urlencode(query)}")


def _told(refused: Refused) -> str:
    return " ".join(["The engine refuses:", str(refused), ADVICE.get(refused.code, "")]).rstrip()


def _delivery(event: Json) -> Delivery:
    """The event's delivery."""
    data = event["data"]
    message = Message(event["type"], event["timestamp"], data["game_id"], data["version"] or 0, data)
    return of_message(LoggedMessage(event["id"], message))
