"""Deletion of an app with all that is its own; games that were played stay, because they are also their players'."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from domain.errors import DomainError
from events.application import Application
from events.engine.access import Caller
from events.errors import EngineError, GameNotFound, PlayerNotFound, StoreUnavailable
from events.features.apps.administration import AppNotFound
from events.features.apps.keys import FRESH
from events.features.apps.port import AppStore
from events.features.listings.projection import Listings
from events.retention.players import players_of
from events.store.whole_games import RedisGames

log = logging.getLogger("migrato.retention")


@dataclass(slots=True)
class Deleted:
    """Result of a deletion: aborted games, erased players, and removed keys of the store."""

    aborted: int = 0
    players: int = 0
    keys: int = 0


def delete_app(
    name: str,
    application: Application,
    apps: AppStore,
    listings: Listings,
    games: RedisGames,
    progress: Callable[[str], None] = lambda _: None,
    wait: Callable[[float], object] = time.sleep,
) -> Deleted:
    """Delete an app: its keys are void, its running games are aborted, its players erased, and all else of it is gone.

    Its games stay, as long as games are kept: by their ids they answer as before, to their seats and, if they are
    public, to everybody. If the process dies in between, the app stays, and a repeat does the rest. `wait` pauses for
    as many seconds as other processes may still accept a void key. Raises AppNotFound, StoreUnavailable.
    """
    done = Deleted()
    try:
        if application.apps.revoke(name).used:
            wait(2 * FRESH)  # otherwise games and players could still come that are not found below
    except AppNotFound:
        if name not in listings.apps():
            raise
    progress("aborting games")
    for game_id in list(listings.running(name)):
        try:
            application.interventions.abort(game_id, Caller("app", name))
            done.aborted += 1
        except StoreUnavailable:
            raise
        except (GameNotFound, DomainError):  # the game is over by now
            continue
        except EngineError as error:
            log.warning("a game of the app is not aborted: %s", error.detail, extra={"game_id": game_id})
    progress("erasing players")
    for player in players_of(games, application, {name}):
        try:
            application.erasure.erase(name, player.id)
            done.players += 1
        except PlayerNotFound:
            continue
    progress("removing what is left")
    done.keys = apps.delete(name)
    return done
