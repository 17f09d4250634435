"""External bots as `migrato arena --bots` names them.

mybot.py:MyBot      a class in a file
package.mod:MyBot   a class in a module
mybot               an entry point of the group `migrato.bots`
https://...         a server
NAME=..., NAME@VERSION=...    any of these, under another name and with a version
"""

import os
import re
from typing import Final
from urllib.parse import urlsplit

from domain.game import Game
from events.engine.remote_seat import is_secret
from service.cli.external_bots import classes
from service.cli.external_bots.classes import ClassBot
from service.cli.external_bots.servers import KINDS, ServerBot
from service.cli.selfplay.match import Contestant

SECRET: Final = "MIGRATO_BOT_SECRET"  # noqa: S105 (the name of a variable)
NAME: Final = re.compile(r"(?P<name>[\w.-]{1,60})(@(?P<version>[\w.-]{1,39}))?", re.ASCII)
UNFIT: Final = re.compile(r"[^\w.-]+", re.ASCII)


def external_bot(text: str, game: Game) -> Contestant | None:
    """The external bot that the text names; None if it names none. ValueError says what is wrong with it."""
    given, equals, place = text.rpartition("=") if _is_given_a_name(text) else ("", "", text)
    found = NAME.fullmatch(given)
    if equals and found is None:
        raise ValueError(
            f"{given!r} is no name: letters, digits, '.', '-' and '_', then @VERSION if need be."
        )
    label = found["version"] or "" if found else ""
    if found and found["name"] in game.bots:
        raise ValueError(f"{found['name']} is the name of one of the engine's own bots.")
    if "://" in place:
        _check(place)
        return ServerBot(given or _name_of(place), place, _secret(), label or "unknown")
    if ":" in place or (place not in game.bots and classes.named(place)):
        classes.loaded(place)
        return ClassBot(given or UNFIT.sub("-", place.rpartition(":")[2]), place, label)
    if equals:
        raise ValueError(f"{place!r} is no external bot: mybot.py:MyBot, or https://...")
    return None


def _is_given_a_name(text: str) -> bool:
    """True for NAME=...; an address may have such a sign in its query."""
    return "=" in text.partition("://")[0]


def _name_of(url: str) -> str:
    """A name for the bot at the address: its host, port and path, without what may be secret."""
    where = urlsplit(url)
    return UNFIT.sub("-", where.netloc + where.path).strip("-")[:60]


def _check(url: str) -> None:
    """ValueError unless the text is an address of a server."""
    try:
        parts = urlsplit(url)
        fits = parts.scheme in KINDS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or not url.isascii() or not url.isprintable() or " " in url or "@" in parts.netloc:
        raise ValueError(f"{url} is no http:// or https:// address without a user.")


def _secret() -> str:
    """The secret by which questions to servers are signed."""
    secret = os.environ.get(SECRET, "")
    if not is_secret(secret):
        raise ValueError(
            f"Questions to a bot on a server are signed: set {SECRET} to the secret, whsec_..., that it knows."
        )
    return secret
