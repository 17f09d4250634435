"""Records of an app's bots: their versions, and the versions' shares of new games."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from domain.lifecycle import Json
from events.log.seeds import WHOLE

NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
NAMED: Final = re.compile(rf"(?P<name>{NAME.pattern})(@(?P<version>[1-9][0-9]{{0,5}}))?")


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A registered version: its URL, and the strength that its author states. These never change; if it is `retired`,
    no new game gets it.
    """

    number: int
    url: str = field(repr=False)
    strength: str
    created_at: str
    retired: bool = False


@dataclass(frozen=True, slots=True)
class RegisteredBot:
    """A bot of an app. `current`: the version that the bot's name alone means; `former`: the current version before it;
    None for none.

    `shares`: the per cents that other versions get of new games that name no version, by number; the current version
    gets the rest. `registered`: how many versions there ever were, so that no number is used again. A bot that was
    removed leaves a record without versions.
    """

    app: str
    name: str
    created_at: str
    versions: tuple[BotVersion, ...] = ()
    current: int | None = None
    former: int | None = None
    shares: Mapping[int, int] = field(default_factory=dict)
    registered: int = 0

    def version(self, number: int | None) -> BotVersion | None:
        """The version of that number; None if it is not there."""
        return next((one for one in self.versions if one.number == number), None)

    @property
    def parts(self) -> dict[int, int]:
        """The per cents of new games, by number, of each version that gets some."""
        if self.current is None:
            return {}
        parts = {self.current: WHOLE - sum(self.shares.values()), **self.shares}
        return {number: part for number, part in sorted(parts.items()) if part}

    def record(self) -> Json:
        """The bot as the store keeps it."""
        versions = [[v.number, v.url, v.strength, v.created_at, v.retired] for v in self.versions]
        return {
            "created_at": self.created_at,
            "versions": versions,
            "current": self.current,
            "former": self.former,
            "shares": [list(share) for share in sorted(self.shares.items())],
            "registered": self.registered,
        }

    def without(self, number: int) -> "RegisteredBot":
        """The bot without that version; if that was the current one, the former one takes its place, if it may play."""
        left = tuple(one for one in self.versions if one.number != number)
        shares = {version: share for version, share in self.shares.items() if version != number}
        bot = replace(self, versions=left, shares=shares)
        if self.former == number:
            bot = replace(bot, former=None)
        if self.current != number:
            return bot
        heir = bot.version(bot.former)
        takes = heir is not None and not heir.retired
        current = heir.number if takes and heir is not None else None
        kept = {version: share for version, share in shares.items() if version != current and takes}
        return replace(bot, current=current, former=None, shares=kept)


def bot_of(app: str, name: str, record: Json) -> RegisteredBot:
    """The bot from its stored record."""
    return RegisteredBot(
        app,
        name,
        record["created_at"],
        tuple(BotVersion(*version) for version in record["versions"]),
        record["current"],
        record["former"],
        dict(record["shares"]),
        record["registered"],
    )
