"""Reasons why games do not count for ratings: one predicate for views, listings, the archive's tables and results."""

from collections.abc import Mapping
from typing import Final

from domain.lifecycle import GameStatus, Seat
from events.log.game_secrets import OF_A_SEAT, Secrets
from events.log.player_ids import BOT, is_guest_id, may_be_rated

SET_UP: Final = "setup"
ABORTED: Final = "aborted"
REPLACED: Final = "replaced"
OF_NO_APP: Final = "no-app"
ALONE: Final = "one-seat"
GUEST: Final = "guest"
UNNAMED: Final = "unnamed"
TWICE: Final = "same-player"
VERSION: Final = "unknown-version"
FRIENDLY: Final = "friendly"
ARRANGED: Final = "arranged"
UNCOMMON: Final = "uncommon"
UNMEASURED: Final = "unmeasured-bot"
CLOCK: Final = "clock"
MANY: Final = "many-games"

AT_ONCE: Final = 5  # games of a player that may count and are not over

UNRATED: Final[dict[str, str]] = {
    SET_UP: "the cards were set up, or the game is a fork",
    ABORTED: "the app aborted the game",
    REPLACED: "another was put in a player's place: by the app, or before the game began",
    OF_NO_APP: "the game is the rematch of a fork that a seat has made for itself",
    ALONE: "the game has only one seat",
    GUEST: "a guest sits at the table",
    UNNAMED: "a person or a remote bot has no name from the app",
    TWICE: "a player or a bot has two seats",
    VERSION: "in a game of an older release a bot has not moved, so nothing tells its version",
    FRIENDLY: "its creator wanted it so",
    ARRANGED: "its players chose each other, without quick match or their app",
    UNCOMMON: "so few look for such a game, or partner, by quick match that friends would meet there",
    UNMEASURED: "nobody has measured how strong a bot is at such a table",
    CLOCK: "when time is up, a bot moves for the player",
    MANY: f"a player had {AT_ONCE} games before it that count and are not over",
}
RECORDED: Final = frozenset(
    (FRIENDLY, ARRANGED, UNCOMMON, UNMEASURED, CLOCK, MANY)
)  # when the game is created, as options are

QUICK_MATCH: Final = "quick-match"
BOTS: Final = "bots"
APP: Final = "app"
PAIRINGS: Final[dict[str, str]] = {
    QUICK_MATCH: "by quick match",
    BOTS: "one person at most, who plays the engine's bots",
    APP: "by their app, which says that nobody has chosen the others",
}

Versions = Mapping[int, tuple[str, str]]  # by seat, the bot that has moved there last, and its version


def rated_name(seat: Seat) -> str | None:
    """The subject that is rated for the seat's place in the result: a player's id, or a bot; None where there is nobody
    to rate.
    """
    if seat.leaver is not None:
        return seat.leaver.player if may_be_rated(seat.leaver.player) else None
    if seat.bot is not None and seat.kind in ("bot", "remote"):
        return f"{BOT}{seat.bot}"
    return seat.player if may_be_rated(seat.player) else None


def subject_of(number: int, seat: Seat, versions: Versions) -> str | None:
    """The rated name, a bot's with its version: that with which it is rated, else that of its last move, or that with
    which the game was created.
    """
    name = rated_name(seat)
    if name is None or not name.startswith(BOT):
        return name
    bot, version = versions.get(number, (None, None))
    version = version if bot == seat.bot and seat.elo is None else seat.version
    return None if version is None else f"{name}:{version}"


def unrated_because(status: GameStatus, secrets: Secrets, versions: Versions) -> str | None:
    """The reason for which the result will not count once it is confirmed, as far as is known now.

    It is one of UNRATED, or an unusual option, and None if the result will count. Everybody who began the game has a
    name to be rated by, and nobody plays against themself.
    """
    result, seats = status.result, status.seats
    if status.setup:
        return SET_UP
    if result is not None and result.is_void:
        return ABORTED
    if any(seat.stands_in and seat.leaver is None for seat in seats):
        return REPLACED
    if secrets.app == OF_A_SEAT:
        return OF_NO_APP
    if len(seats) == 1:
        return ALONE
    if status.unrated is not None:
        return status.unrated
    taken = [seat for seat in seats if seat.kind != "open"]
    names = [rated_name(seat) for seat in taken]
    if None in names:
        people = [seat.player if seat.leaver is None else seat.leaver.player for seat in taken]
        return GUEST if any(one is not None and is_guest_id(one) for one in people) else UNNAMED
    if len(set(names)) < len(names):
        return TWICE
    if result is not None and None in [
        subject_of(number, seat, versions) for number, seat in enumerate(seats)
    ]:
        return VERSION
    return None
