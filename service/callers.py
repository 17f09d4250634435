"""Who calls, the use-cases that the call is for, and how long it may wait."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flask import current_app, request

from domain.lifecycle import Json
from events.access import Asker
from events.advice import Advice
from events.application import Application
from events.settings import Settings
from service.crowd import Crowd
from service.live import Broadcast
from service.problems import Problem
from service.reading import bearer_token


def use_cases() -> Application:
    """The use-cases that the app was made with."""
    application: Application = current_app.extensions["use_cases"]
    return application


def bots_advice() -> Advice:
    """What can be asked of bots, as the app was made with."""
    advice: Advice = current_app.extensions["advice"]
    return advice


def caller(game_id: str | None = None) -> Asker:
    """Whoever the request's token stands for."""
    return use_cases().who_asks(bearer_token(), game_id)


def calling_seat(game_id: str) -> int:
    """The seat whose token the request carries; nobody else may do what is asked, whether or not the game exists."""
    token = bearer_token()
    if token is None:
        raise Problem("unauthorized", "This needs the seat's token: Authorization: Bearer TOKEN.")
    seat = use_cases().who_asks(token, game_id).seat
    if seat is None:
        raise Problem("forbidden", "Only the seat itself may do this, and an app key is no seat's token.")
    return seat


def broadcast() -> Broadcast:
    """What this process's streams are told."""
    told: Broadcast = current_app.extensions["broadcast"]
    return told


def enter_crowd(asker: Asker) -> Callable[[], None]:
    """One more stream or long poll of this caller; to be called when it is over. Raises Problem "rate-limited"."""
    crowd: Crowd = current_app.extensions["crowd"]
    return crowd.enter(asker, request.environ)


@contextmanager
def in_crowd(asker: Asker) -> Iterator[None]:
    """While this caller waits. Raises Problem "rate-limited"."""
    leave = enter_crowd(asker)
    try:
        yield
    finally:
        leave()


def seconds_to_wait(asked: Json) -> int:
    """How long a long poll may last: as asked, but no longer than the settings allow."""
    settings: Settings = current_app.extensions["settings"]
    return min(int(asked["wait"]), settings.long_poll_max)
