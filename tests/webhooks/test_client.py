"""One attempt at a delivery: what whoever names its address is told."""

import socket

from events.runtime.url_guard import Allowed, Guard
from events.use_cases.webhooks.endpoints import new_secret
from events.use_cases.webhooks.records import SigningSecret
from workers.webhooks.client import Outcome, WebhookClient

INSIDE = {"vault.corp.example": ["10.0.0.7"], "mixed.corp.example": ["198.41.0.4", "10.0.0.7"]}


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
