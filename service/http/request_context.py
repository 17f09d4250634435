# compiled into serving
"""Context of a request: the caller, the use-cases, and the time that it may wait."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from domain.lifecycle import Json
from domain.registry import DEFAULT_GAME
from events.application import Application
from events.engine.access import FOREIGN, SEAT_TOKEN, STRANGER, Caller
from events.engine.idempotency import KeyedRequest
from events.errors import Unauthorized
from events.features.apps.keys import UNGUESSABLE
from events.features.apps.scopes import ADMIN, READ
from events.features.bots.questions import BotQuestions
from events.log.snapshot import Snapshot
from service.http.admission.origins import SETTING
from service.http.admission.rates import Quota
from service.http.call import current_call
from service.http.parts import parts
from service.http.problems import Problem, invalid
from service.http.request_parsing import bearer_token, idempotency_key
from service.http.responses import lines_of
from service.http.schemas.of_each_game import GAME_SCHEMAS
from service.http.streaming import Broadcast

APP_KEY: Final = "Migrato-App-Key"  # the header of a backend that sends a seat's request
_BESIDE: Final = "HTTP_MIGRATO_APP_KEY"


def use_cases() -> Application:
    """The use-cases that the app was made with."""
    return parts().use_cases


def bot_questions() -> BotQuestions:
    """Questions to bots: the use-cases that the app was made with."""
    return parts().bot_questions


def foreign_page() -> str | None:
    """The way in which a page of a site without rights may have sent the request; None if there is none."""
    return parts().origins.objection(current_call().environ)


def refuse_foreign_page() -> None:
    """Refuse a page of another site where there are no app keys: Problem "foreign-origin"."""
    objection = foreign_page()
    if objection is not None:
        detail = f"{objection} Without app keys such a page may only watch games and play with a seat's token"
        raise Problem("foreign-origin", f"{detail}; {SETTING} lists the sites that may do more.")


def current_caller(game_id: str | None = None) -> Caller:
    """The caller that the request's token stands for; without one a page of another site is nobody's app.

    An app's key must be good for what is asked: Problem "forbidden".
    """
    token = bearer_token()
    if token is None and foreign_page() is not None:
        return FOREIGN
    caller = _who_asks(token, game_id, None)
    if caller.kind == "app":
        _require_scope(caller)
    return caller


def _who_asks(token: str | None, game_id: str | None, known: Snapshot | None) -> Caller:
    """The caller that the token stands for; no guess is looked up for an address that has sent too many wrong ones."""
    call, callers = current_call(), use_cases().callers
    guesses = parts().guesses
    if guesses is None:
        caller = callers.who_asks(token, game_id, known)
        call.app = caller.app or call.app
        return caller
    if guesses.any_refused and token is not None:
        recognised = callers.recognised(token, game_id, known)
        if recognised is not None:
            return recognised
        if not callers.has_key_at_hand(token):
            guesses.check(call.environ, _backend_beside(token))
    try:
        caller = callers.who_asks(token, game_id, known)
    except Unauthorized:
        guesses.note(call.environ, _backend_beside(token))
        raise
    call.app = caller.app or call.app
    return caller


def _backend_beside(token: str | None) -> str | None:
    """The app whose backend sends the token, if that has the form of a seat's: nobody guesses one of these."""
    return backend() if token is not None and SEAT_TOKEN.fullmatch(token) else None


def backend() -> str | None:
    """The app whose backend sends a seat's request, by its key beside the seat's token; None without one.

    The key gives no right but to be counted as that app. Raises Unauthorized.
    """
    call, callers, guesses = current_call(), use_cases().callers, parts().guesses
    environ = call.environ
    key: str | None = environ.get(_BESIDE)
    if key is None:
        return None
    if guesses is not None and guesses.any_refused and not callers.has_key_at_hand(key):
        guesses.check(environ)
    caller = STRANGER
    with suppress(Unauthorized):
        caller = callers.who_asks(key)
    if caller.kind != "app":
        if guesses is not None:
            guesses.note(environ)
        raise Unauthorized(f"{APP_KEY} must be the key of an app, and good.")
    call.app = caller.app
    return caller.app


def _backend_of(caller: Caller) -> str | None:
    return backend() if caller.kind == "seat" else None


def admit(name: str, caller: Caller, number: int = 1) -> None:
    """Count something costly, by the name of its limit, before anything is done. Raises Problem "rate-limited"."""
    environ, backend = current_call().environ, _backend_of(caller)
    _tell(parts().rate_limits.admit(name, caller, environ, backend, number))


def _tell(quota: Quota | None) -> None:
    """The answer tells the rest of a limit, unless another one will be met sooner."""
    call = current_call()
    if quota is not None and (not call.quota or quota.remaining < call.left):
        call.quota, call.left = lines_of(quota.headers), quota.remaining


def admit_player(name: str, caller: Caller) -> None:
    """Count a costly request that only apps and seats may make. A stranger is refused before, and uses up nobody's
    share.
    """
    if caller.kind in ("app", "seat") or not use_cases().callers.are_there_keys():
        admit(name, caller)


def admit_fork(game_id: str) -> None:
    """Count a fork that goes back to a game, and that may be made. Raises Problem "rate-limited"."""
    _tell(parts().rate_limits.admit_fork(game_id))


def administering_app() -> Caller:
    """The app that administers apps; nobody does so without a key for it, not even where there are no keys."""
    caller = current_caller()
    if caller.kind == "seat":
        raise Problem(
            "forbidden", "A seat token is for playing its seat; this needs an app key.", scope=ADMIN
        )
    if caller.kind != "app":
        raise Problem("unauthorized", f"This needs an app key with the scope {ADMIN}.", scope=ADMIN)
    return caller


def reader_of_app(name: str) -> Caller:
    """A caller who may read what an app has used: the app itself, or an administrator."""
    token = bearer_token()
    if token is not None:
        caller = _who_asks(token, None, None)
        if caller.app == name and READ in caller.scopes:
            return caller
    return administering_app()


def _require_scope(caller: Caller) -> None:
    needed = current_call().found.route.scope
    if needed not in caller.scopes:
        raise Problem("forbidden", f"This app key has no scope {needed}.", scope=needed)


def admitted_caller(game_id: str, ticket: str) -> Caller:
    """The caller that a stream's ticket lets in; Problem "validation-error" if the request carries a token as well."""
    if bearer_token() is not None:
        raise invalid({"ticket": ["Send a ticket or an Authorization header, not both."]}, "query")
    with guessing():
        caller = use_cases().tickets.admit(game_id, ticket)
    return FOREIGN if caller.kind == "anonymous" and foreign_page() is not None else caller


@contextmanager
def guessing(*wrong: type[Exception]) -> Iterator[None]:
    """Count a wrong guess in this block as a wrong token.

    An address that has sent too many gets Problem "rate-limited" at once. `wrong`: errors that mean a wrong guess,
    beside Unauthorized.
    """
    call = current_call()
    counted: tuple[type[Exception], ...] = (Unauthorized, *wrong)
    guesses = parts().guesses
    if guesses is not None and guesses.any_refused:
        guesses.check(call.environ)
    try:
        yield
    except counted:
        if guesses is not None:
            guesses.note(call.environ)
        raise


def calling_seat(game_id: str, known: Snapshot | None = None) -> tuple[int, Caller]:
    """The seat whose token the request carries. Every other caller is refused, whether or not the game exists.

    `known`: the game as it was last seen here, if that is at hand.
    """
    token = bearer_token()
    if token is None:
        raise Problem("unauthorized", "This requires the token of the seat: Authorization: Bearer TOKEN.")
    caller = _who_asks(token, game_id, known)
    if caller.seat is None:
        raise Problem("forbidden", "This requires the token of the seat, not an app key.")
    return caller.seat, caller


def keyed_request(body: Json) -> KeyedRequest | None:
    """The request, if it says by an `Idempotency-Key` that it may be sent again; `body` is what its body says.

    The answer holds tokens. Who shows no token to get them again has only the key to show, which nobody must guess.
    """
    key, token = idempotency_key(), bearer_token()
    if key is None:
        return None
    if token is None and len(key) < UNGUESSABLE:
        why = (
            "whoever has it gets the answer, so it must be one that nobody can guess, such as a random UUID."
        )
        message = f"Without a token it must have {UNGUESSABLE} characters or more: {why}"
        raise invalid({"Idempotency-Key": [message]}, "header")
    return KeyedRequest(key, token, body)


def broadcast() -> Broadcast:
    """Source of this process's streams."""
    return parts().broadcast


def cite_rules(game: object) -> None:
    """Answer faults of a request for a game of that name with the rule that they break; None: no name."""
    name = DEFAULT_GAME if game is None else game
    if isinstance(name, str) and name in GAME_SCHEMAS:
        call = current_call()
        call.game, call.rules = name, GAME_SCHEMAS[name].rules


def enter_wait(caller: Caller) -> Callable[[], None]:
    """One more stream or long poll of this caller; to be called when it is over. Raises Problem "rate-limited"."""
    return parts().concurrency.enter(caller, current_call().environ, _backend_of(caller))


def enter_stream(caller: Caller, game_id: str) -> Callable[[], None]:
    """One more stream of the game by this caller, whose seat is connected meanwhile; else as `enter_wait`."""
    leave = enter_wait(caller)
    try:
        away = use_cases().presence.enter(game_id, caller.seat)
    except BaseException:
        leave()
        raise

    def over() -> None:
        leave()
        away()

    return over


def enter_exports(caller: Caller) -> Callable[[], None]:
    """One more export that this caller takes away; to be called when it is over. Raises Problem "rate-limited"."""
    return parts().exports.enter(caller, current_call().environ, _backend_of(caller))


@contextmanager
def while_waiting(caller: Caller, at: str | None = None) -> Iterator[None]:
    """While this caller waits. Raises Problem "rate-limited", and Unauthorized where its right has ended meanwhile.

    `at`: the game on which it waits; a seat is connected meanwhile.
    """
    leave = enter_wait(caller) if at is None or caller.seat is None else enter_stream(caller, at)
    try:
        yield
    finally:
        leave()
    use_cases().callers.confirm(caller)


def seconds_to_wait(parameters: Json) -> int:
    """Seconds that a long poll may last: as asked, but no longer than the settings allow."""
    return min(int(parameters["wait"]), parts().settings.long_poll_max)
