"""Announcements of this process to all others on its store: which formats it reads."""

import logging
import os
import signal
import time
from collections.abc import Callable
from threading import Thread

from events.engine.new_game_form import NEW_GAMES
from events.errors import StoreUnavailable
from events.log.chain import FORMER, SEALS
from events.runtime.settings import Settings, SettingsError
from events.store.formats import FIRST, RENEWED, SEALED, WITH_BOTS, FormatRefused, StoreFormat
from events.store.link import link_to

log = logging.getLogger("migrato.formats")


def refuse_format(settings: Settings) -> None:
    """SettingsError for a store whose format this release does not read; nothing for one that does not answer."""
    if settings.redis_url is None:
        return
    try:
        StoreFormat(link_to(settings.redis_url, settings.redis_timeout)).check()
    except StoreUnavailable:
        return  # it is waited for; who works on it announces itself then
    except FormatRefused as refused:
        raise SettingsError(str(refused)) from refused


def end_process() -> None:
    """Have this process end as by its supervisor."""
    os.kill(os.getpid(), signal.SIGTERM)


def announce(settings: Settings, end: Callable[[], None] = end_process) -> None:
    """Announce this process now, and from then on for as long as it lives. Raises SettingsError if it is refused.

    New games are recorded in the form that belongs to the store's format. If it is refused later, because it was silent
    for so long that others took it for gone, `end` is called.
    """
    if settings.redis_url is None:
        return  # which stops the start where a store is needed
    member = StoreFormat(link_to(settings.redis_url, settings.redis_timeout))
    _write(FIRST)
    try:
        _write(member.join())
    except StoreUnavailable:
        pass  # as soon as it answers
    except FormatRefused as refused:
        raise SettingsError(str(refused)) from refused
    Thread(target=_announce_on, args=(member, end), name="formats", daemon=True).start()


def _write(number: int) -> None:
    """Make new games in the form that belongs to this format of the store."""
    NEW_GAMES.seals = FORMER if number < SEALED else SEALS
    NEW_GAMES.has_bots = number >= WITH_BOTS


def _announce_on(member: StoreFormat, end: Callable[[], None]) -> None:
    while True:
        time.sleep(RENEWED)
        try:
            _write(member.join())
        except StoreUnavailable:
            continue  # others tell of it
        except FormatRefused as refused:
            log.critical("this process ends: %s", refused)
            end()
            return
