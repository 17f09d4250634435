"""The keys in Redis, and the type of each."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from events.fsck.findings import Finding
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.queues import rate_counts
from events.store.whole_games import RedisGames
from events.tracing import redis as trace_contexts

OF_A_PARTITION: Final[Mapping[str, str]] = {
    "feed": "stream",
    "due": "hash",
    "deadlines": "zset",
    "seat-forks": "zset",
    "ended": "set",
    "outages": "zset",
    "watched": "string",
    "standings": "hash",
    "restored": "hash",
    "archived": "string",
    "archiving": "string",
    "erasures": "string",
    "fence": "string",
}
OF_A_GAME_OR_PLAYER: Final[Mapping[str, str]] = {
    "events": "stream",
    "commands": "hash",
    "secrets": "hash",
    "rematch": "hash",
    "tickets": "hash",
    "presence": "zset",
    "invites": "hash",
    "player": "hash",
    "player-key": "string",
    "player-name": "string",
    "player-seeking": "string",
}
OF_APPS: Final[Mapping[str, str]] = {
    keys.APP_NAMES: "zset",
    keys.APPS: "hash",
    keys.APP_KEYS: "hash",
    keys.APP_KEYS_USED: "hash",
    keys.LISTED_APPS: "set",
}
FORM: Final = re.compile(r"\{p[0-9]{3}\}:([a-z-]+)(:.+)?", re.DOTALL)
GAME: Final = re.compile(r"\{p[0-9]{3}\}:(?:events|commands|secrets):(.+)", re.DOTALL)
BESIDE_LISTINGS: Final[Mapping[str, str]] = {  # of an app
    "log": "stream",
    "logged": "string",
    "attendees": "set",
    "endpoints": "hash",
    "endpoint-secrets": "hash",
    "endpoint-cursors": "hash",
    "backlog": "hash",
    "dead": "hash",
}
OF_AN_APP: Final = re.compile(r"\{app:[^}]+\}:([a-z-]+)(?::.+)?", re.DOTALL)
SINGLE: Final[Mapping[str, str]] = {
    keys.PLAYERS_SECRET: "string",
    keys.REQUESTS_SECRET: "string",
    keys.TICKETS_SECRET: "string",
    keys.REMATCHES: "zset",
    keys.APP_LOGS: "zset",
    keys.ATTENDANCE_ASKED: "zset",
    keys.ATTENDED: "zset",
    keys.WEBHOOKS_LEASE: "string",
    keys.WEBHOOKS_CHANGED: "set",
}
LISTING: Final = re.compile(r"\{app:.+\}:(?:(lines)|creating|counting:.+|games(?::.+)?)", re.DOTALL)
RATINGS: Final = re.compile(
    r"\{app:.+\}:(?:(ladders|results|ratings:.+)|(?:results|leaderboard):.+)", re.DOTALL
)

QUICK_MATCH: Final = re.compile(r"\{app:.+\}:quick:(ticket|player|rated|open):.+", re.DOTALL)
OF_QUICK_MATCH: Final[Mapping[str, str]] = {
    "ticket": "hash",
    "player": "string",
    "rated": "zset",
    "open": "zset",
}


def type_of(key: str) -> str | None:
    """The type that a key of this name has; None for a name that no release gives."""
    if key in SINGLE:
        return SINGLE[key]
    if key.startswith((rate_counts.PREFIX, trace_contexts.PREFIX, keys.JOIN_CODES)):
        return "string"
    if key in OF_APPS:
        return OF_APPS[key]
    if (form := FORM.fullmatch(key)) is not None:
        return (OF_A_PARTITION if form[2] is None else OF_A_GAME_OR_PLAYER).get(form[1])
    if (listing := LISTING.fullmatch(key)) is not None:
        return "hash" if listing[1] else "zset"
    if (of_ratings := RATINGS.fullmatch(key)) is not None:
        return "hash" if of_ratings[1] else "zset"
    if (waiting := QUICK_MATCH.fullmatch(key)) is not None:
        return OF_QUICK_MATCH[waiting[1]]
    if (of_app := OF_AN_APP.fullmatch(key)) is not None:
        return BESIDE_LISTINGS.get(of_app[1])
    return None


def typed(link: RedisClient, found: list[bytes]) -> Iterator[tuple[str, Finding | None]]:
    """The names of the keys that are still there, each with the fault of its type."""
    types = link.calls([("TYPE", key) for key in found]) if found else []
    for key, kind in zip(found, types, strict=True):
        name, there = key.decode(errors="replace"), kind.decode()
        if there != "none":
            yield name, _wrong(name, there)


def check_types(link: RedisClient, redis: RedisGames, *patterns: str) -> Iterator[Finding]:
    """The keys of these patterns that are of a wrong type."""
    for pattern in patterns:
        for found in redis.keys(pattern):
            yield from (wrong for _, wrong in typed(link, found) if wrong is not None)


def _wrong(key: str, there: str) -> Finding | None:
    expected, game = type_of(key), GAME.fullmatch(key)
    if expected in (None, there):
        return None
    detail = f"It is a {there}, but should be a {expected}."
    return Finding("wrong-type", None if game is None else game[1], key, detail)
