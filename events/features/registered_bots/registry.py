"""The registry: an app registers versions of its bots, chooses the one that plays, and replaces secrets.

A registered version never changes. The version that plays in a game is fixed when the game is created (`.seating`).
Later changes affect no running game, except that a removed version is not called any more.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from domain.errors import invalid
from domain.registry import GAMES
from events.engine.command_handler import Clock
from events.engine.remote_seat import new_secret
from events.errors import BotNotFound, StoreUnavailable, TooManyBots, UrlRefused, VersionConflict
from events.features.registered_bots.health import DAYS, BotMeasures, by_version, counts_of, day_of
from events.features.registered_bots.port import RegisteredBotStore
from events.features.registered_bots.records import NAME, BotVersion, RegisteredBot
from events.features.signing_secrets import SigningSecret, good, promised
from events.log.game_secrets import Remote
from events.log.seeds import WHOLE
from events.measures import UNCOUNTED, Measures
from events.ports import UrlGuard
from events.times import time_of, timestamp

MOST: Final = 100  # bots of an app, including removed ones, whose version numbers must not be used again
MOST_VERSIONS: Final = 100  # versions of a bot at the same time
ATTEMPTS: Final = 20  # attempts at a bot while other processes change it


class Registry:
    """The use cases of registered bots. Every method may raise StoreUnavailable, and BotNotFound if it takes a name."""

    def __init__(
        self,
        store: RegisteredBotStore | None,
        guard: UrlGuard,
        now: Clock,
        measures: Measures = UNCOUNTED,
    ) -> None:
        self._given = store
        self._measures = BotMeasures(measures)
        self._guard = guard
        self._now = now

    @property
    def store(self) -> RegisteredBotStore:
        """Store of the bots."""
        if self._given is None:
            raise StoreUnavailable("there is no store for bots")
        return self._given

    def register(
        self, app: str, name: str, url: str, secret: str | None, strength: str, share: int | None
    ) -> tuple[RegisteredBot, str | None]:
        """Register the next version of a bot, or the first one of a new bot. Returns the bot, and its new secret if the
        engine made one.

        The first version becomes the current one. A later version gets `share` per cent of new games; none if that is
        None. A request with the URL and strength of the newest version registers nothing, so it is safe to repeat.
        Raises TooManyBots, VersionConflict, DomainError "validation-error".
        """
        if NAME.fullmatch(name) is None:
            raise invalid("name", "Must have 1 to 32 of the characters a-z, 0-9 and -.")
        if any(name in game.bots for game in GAMES.values()):
            raise invalid("name", "One of the engine's own bots has this name.")
        try:
            self._guard.check(url)
        except UrlRefused as refusal:
            raise invalid("url", str(refusal)) from refusal
        for _ in range(ATTEMPTS):
            former, at = self.store.find(app, name), timestamp(self._now())
            is_new = former is None or not former.versions
            if secret is not None and not is_new:
                raise invalid("secret", "The bot has a secret: POST /v1/bots/{bot}/secret replaces it.")
            if former is not None and not is_new and _is_registered(former, url, strength):
                return former, None  # the same request was repeated
            bot = _with_version(former or RegisteredBot(app, name, at), url, strength, share, at)
            its = (secret or new_secret()) if is_new else None
            done = self.store.put(former, bot, MOST, None if its is None else [SigningSecret(its)])
            if done == "full":
                raise TooManyBots(MOST, "bots of the app")
            if done == "done":
                return bot, its if secret is None else None
        raise VersionConflict(0)

    def all_of(self, app: str) -> list[RegisteredBot]:
        """The app's bots, in the order of their names; [] without a store for bots."""
        return [] if self._given is None else [bot for bot in self._given.of_app(app) if bot.versions]

    def get(self, app: str, name: str) -> RegisteredBot:
        """The app's bot of that name."""
        found = self._given.find(app, name) if self._given is not None and NAME.fullmatch(name) else None
        if found is None or not found.versions:
            raise BotNotFound
        return found

    def place(self, app: str, name: str, number: int) -> Remote | None:
        """Address of a version, and the secrets that sign now; None for a version that was removed."""
        bot = self.store.find(app, name)
        version = None if bot is None else bot.version(number)
        secrets = good(self.store.secrets(app, name), self._now()) if version is not None else []
        return (
            Remote(version.url, secrets[0], tuple(secrets[1:])) if version is not None and secrets else None
        )

    def note(self, app: str, named: str, outcome: str, seconds: float) -> None:
        """Count a call of a version, such as my-bot@3: it "answered" after so many seconds, or gave that reason for a
        fallback move.

        A count may be lost with the store, and a call that is made twice counts twice.
        """
        self._measures.asked(f"{app}/{named}", outcome, seconds)
        with suppress(StoreUnavailable):
            self.store.count(app, day_of(self._now()), counts_of(named, outcome, seconds))

    def counts(self, app: str) -> Mapping[str, Mapping[str, int]]:
        """Counts of the calls of the app's bots by version, such as my-bot@3, today and yesterday (see `.health`)."""
        today = day_of(self._now())
        return by_version(self.store.counts(app, range(today - DAYS + 1, today + 1)))

    def change(self, app: str, name: str, wanted: Mapping[str, Any]) -> RegisteredBot:
        """Change the `current` version, the `shares` of others, the `retired` versions, or remove the `removed` ones:
        games that have a removed version go on with fallback moves. Repeating a change has no further effect. A bot
        without versions is gone.
        """
        for _ in range(ATTEMPTS):
            known = self.get(app, name)
            changed = _changed(known, wanted)
            for number in wanted.get("removed", ()):
                changed = changed.without(number)
            if not changed.versions:
                changed = RegisteredBot(app, known.name, known.created_at, registered=known.registered)
            if self.store.put(known, changed, MOST, None if changed.versions else ()) == "done":
                return changed
        raise VersionConflict(0)

    def rotate(self, app: str, name: str, overlap: int) -> tuple[str, str | None]:
        """Make a new secret. Returns it, and the end of the time in which the old one signs too; None if it no longer
        signs.
        """
        now = self._now().timestamp()
        while True:
            self.get(app, name)
            known = self.store.secrets(app, name)
            former = promised(known, now, overlap, "bot")
            secret = new_secret()
            if self.store.replace_secrets(app, name, known, [SigningSecret(secret), *former]):
                return secret, time_of(int((now + overlap) * 1000)) if former else None


def _is_registered(bot: RegisteredBot, url: str, strength: str) -> bool:
    newest = bot.versions[-1]
    return (newest.url, newest.strength) == (url, strength) and newest.number == bot.registered


def _with_version(bot: RegisteredBot, url: str, strength: str, share: int | None, at: str) -> RegisteredBot:
    if len(bot.versions) >= MOST_VERSIONS:
        raise TooManyBots(MOST_VERSIONS, "versions of the bot")
    version = BotVersion(bot.registered + 1, url, strength, at)
    bot = replace(bot, versions=(*bot.versions, version), registered=version.number)
    if bot.current is None:
        return replace(bot, current=version.number, shares={})
    if share:
        bot = replace(bot, shares=_shares(bot, {**bot.shares, version.number: share}, "share"))
    return bot


def _changed(bot: RegisteredBot, wanted: Mapping[str, Any]) -> RegisteredBot:
    if "retired" in wanted:
        retired = frozenset(_known(bot, wanted["retired"], "retired"))
        bot = replace(bot, versions=tuple(replace(v, retired=v.number in retired) for v in bot.versions))
        left = {number: share for number, share in bot.shares.items() if number not in retired}
        bot = replace(bot, shares=left)
    if "current" in wanted and wanted["current"] != bot.current:
        (current,) = _known(bot, [wanted["current"]], "current")
        left = {number: share for number, share in bot.shares.items() if number != current}
        bot = replace(bot, current=current, former=bot.current, shares=left)
    if "shares" in wanted:
        bot = replace(bot, shares=_shares(bot, wanted["shares"], "shares"))
    at_play = bot.version(bot.current)
    if at_play is not None and at_play.retired:
        if "current" in wanted:
            raise invalid("current", f"Version {bot.current} is retired.")
        raise invalid("retired", f"Version {bot.current} is the current one: make another one current.")
    return bot


def _known(bot: RegisteredBot, numbers: Sequence[int], member: str) -> Sequence[int]:
    for number in numbers:
        if bot.version(number) is None:
            raise invalid(member, f"The bot has no version {number}.")
    return numbers


def _shares(bot: RegisteredBot, shares: Mapping[int, int], member: str) -> dict[int, int]:
    """The shares without those of 0; DomainError "validation-error" for shares that cannot be."""
    given = {number: share for number, share in sorted(shares.items()) if share}
    for number in _known(bot, list(given), member):
        version = bot.version(number)
        if number == bot.current:
            raise invalid(member, f"Version {number} is the current one, which gets the rest.")
        if version is not None and version.retired:
            raise invalid(member, f"Version {number} is retired.")
    if sum(given.values()) > WHOLE:
        raise invalid(member, f"The shares add up to {sum(given.values())}: more than {WHOLE} per cent.")
    return given
