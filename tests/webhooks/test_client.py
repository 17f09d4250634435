"""One attempt at a delivery: what is made of its answer, and what whoever names its address is told."""

import socket

from events.engine.remote_seat import new_secret
from events.features.signing_secrets import SigningSecret
from events.features.webhooks.attempts import Outcome
from events.features.webhooks.deliveries import LONGEST_PAUSE
from events.url_guard import Allowed, Guard
from tests.support.bot_server import answer, bot_server, drip
from workers.webhooks.client import WebhookClient

INSIDE = {"vault.corp.example": ["10.0.0.7"], "mixed.corp.example": ["198.41.0.4", "10.0.0.7"]}


SECONDS = 20.0  # more than any call here takes
LOCAL = WebhookClient(Guard(Allowed.of(["127.0.0.1"])), SECONDS)


def resolve(host: str, port: int) -> list[str]:
    """As a network does that has names of its own."""
    try:
        return INSIDE[host]
    except KeyError:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None


def test_names_of_our_own_network_are_told_from_others_by_nobody() -> None:
    """A name may lead elsewhere once a webhook has it: then too, whether it exists in here is not told."""
    client = WebhookClient(Guard(Allowed(), resolve), 5.0)
    secrets = [SigningSecret(new_secret())]
    outcomes: set[Outcome] = {
        client.post(f"https://{host}/hook", secrets, "ping-1", b"{}")
        for host in (*INSIDE, "nowhere.corp.example")
    }
    (outcome,) = outcomes
    assert (outcome.kind, outcome.status) == ("unreachable", None)


def test_the_head_of_an_answer_decides() -> None:
    """The head of an answer decides, and nobody waits for a body that never ends."""
    for status in (200, 201):
        head = f"HTTP/1.1 {status} Fine\r\nContent-Length: 1000000\r\n\r\n"
        with bot_server(drip(head.encode(), b".")) as server:
            outcome = LOCAL.post(server.url, [SigningSecret(new_secret())], "ping-1", b"{}")
        assert outcome == Outcome("delivered", status)


def test_a_receiver_that_is_away_may_say_until_when() -> None:
    """In seconds or by a date, which is one of its own clock; up to the longest pause."""
    for when, pause in (
        *(("30", 30.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 3.0)),
        *((text, LONGEST_PAUSE) for text in ("99999999999", "Fri, 31 Dec 9999 23:59:59 GMT")),
    ):
        away = answer(b"", 503, f"Retry-After: {when}", "Date: Wed, 21 Oct 2026 07:27:57 GMT")
        with bot_server(away) as server:
            outcome = LOCAL.post(server.url, [SigningSecret(new_secret())], "ping-1", b"{}")
        assert outcome == Outcome("unreachable", 503, "status 503", pause)
