"""A client of Migrato Engine: typed documents, and what every program around them needs."""

from migrato_client.client import Client
from migrato_client.errors import Altered, ApiError, InvalidSignature, StreamGap, Unreachable
from migrato_client.following import Seen
from migrato_client.game import Game, Turn
from migrato_client.streams import Connection
from migrato_client.webhooks import verify, verify_question

__all__ = [
    "Altered",
    "ApiError",
    "Client",
    "Connection",
    "Game",
    "InvalidSignature",
    "Seen",
    "StreamGap",
    "Turn",
    "Unreachable",
    "verify",
    "verify_question",
]
