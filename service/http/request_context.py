# compiled into serving
"""Context of a request: its caller, its use cases, and the time that it may wait."""

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

APP_KEY: Final = "Migrato-App-Key"  # the header by which a backend that sends a seat's request names its app
_BESIDE: Final = "HTTP_MIGRATO_APP_KEY"


def use_cases() -> Application:
    """The use cases with which the service was made."""
    return parts().use_cases


def bot_questions() -> BotQuestions:
    """The use cases of questions to bots with which the service was made."""
    return parts().bot_questions


def foreign_page() -> str | None:
    """The way in which a page of a site without rights may have sent the request; None if no such page has sent it."""
    return parts().origins.objection(current_call().environ)


def refuse_foreign_page() -> None:
    """Refuse a page of another site where there are no app keys: Problem "foreign-origin"."""
    objection = foreign_page()
    if objection is not None:
        detail = f"{objection} Without app keys such a page may only watch games and play with a seat's token"
        raise Problem("foreign-origin", f"{detail}; {SETTING} lists the sites that may do more.")


def current_caller(game_id: str | None = None) -> Caller:
    """The caller that the request's token stands for. A page of another site without a token is not taken for an app.

    Raises Problem "forbidden" for an app's key without the scope of the operation.
    """
    token = bearer_token()
    if token is None and foreign_page() is not None:
        return FOREIGN
    caller = _who_asks(token, game_id, None)
    if caller.kind == "app":
        _require_scope(caller)
    return caller


def _who_asks(token: str | None, game_id: str | None, known: Snapshot | None) -> Caller:
    """The caller that the token stands for. For an address that has sent too many wrong tokens no further guess is
    looked up.
    """
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
    """The app whose backend sends the token, if that has the form of a seat's token, which nobody can guess."""
    return backend() if token is not None and SEAT_TOKEN.fullmatch(token) else None


def backend() -> str | None:
    """The app whose backend sends a seat's request, from the app's key beside the seat's token; None without such a
    key.

    The key gives no right: the request is only counted as that app's. Raises Unauthorized.
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
    """Count a costly act for the limit of that name, before the act. Raises Problem "rate-limited"."""
    environ, backend = current_call().environ, _backend_of(caller)
    _tell(parts().rate_limits.admit(name, caller, environ, backend, number))


def _tell(quota: Quota | None) -> None:
    """Tell in the answer what is left of a limit, unless the answer tells of a limit with less left."""
    call = current_call()
    if quota is not None and (not call.quota or quota.remaining < call.left):
        call.quota, call.left = lines_of(quota.headers), quota.remaining


def admit_player(name: str, caller: Caller) -> None:
    """Count a costly request that only apps and seats may make. A stranger is refused first, and uses up nobody's
    share.
    """
    if caller.kind in ("app", "seat") or not use_cases().callers.are_there_keys():
        admit(name, caller)


def admit_fork(game_id: str) -> None:
    """Count a fork from which a seat will go back to the game, once the fork may be made. Raises Problem
    "rate-limited".
    """
    _tell(parts().rate_limits.admit_fork(game_id))


def administering_app() -> Caller:
    """The app that administers apps. Without a key for that nobody does so, not even where there are no app keys."""
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
    """The caller that a stream's ticket admits; Problem "validation-error" if the request carries a token as well."""
    if bearer_token() is not None:
        raise invalid({"ticket": ["Send a ticket or an Authorization header, not both."]}, "query")
    with guessing():
        caller = use_cases().tickets.admit(game_id, ticket)
    return FOREIGN if caller.kind == "anonymous" and foreign_page() is not None else caller


@contextmanager
def guessing(*wrong: type[Exception]) -> Iterator[None]:
    """Count a wrong guess in this block as a wrong token.

    An address that has sent too many wrong guesses gets Problem "rate-limited" at once. `wrong`: errors that mean a
    wrong guess, beside Unauthorized.
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

    `known`: the game as it was last seen here; None if the caller does not have it.
    """
    token = bearer_token()
    if token is None:
        raise Problem("unauthorized", "This requires the token of the seat: Authorization: Bearer TOKEN.")
    caller = _who_asks(token, game_id, known)
    if caller.seat is None:
        raise Problem("forbidden", "This requires the token of the seat, not an app key.")
    return caller.seat, caller


def keyed_request(body: Json) -> KeyedRequest | None:
    """The request's `Idempotency-Key`, token and body, if it may be sent again; None without the header.

    The answer holds tokens. A caller without a token proves itself by the key alone, so nobody must be able to guess
    the key.
    """
    key, token = idempotency_key(), bearer_token()
    if key is None:
        return None
    if token is None and len(key) < UNGUESSABLE:
        why = "anybody who has it gets the answer, so it must be one that nobody can guess, such as a random UUID."
        message = f"Without a token it must have {UNGUESSABLE} characters or more: {why}"
        raise invalid({"Idempotency-Key": [message]}, "header")
    return KeyedRequest(key, token, body)


def broadcast() -> Broadcast:
    """The source of all streams of this process."""
    return parts().broadcast


def cite_rules(game: object) -> None:
    """Cite the rules of the game of that name in refusals of this request; None for no game."""
    name = DEFAULT_GAME if game is None else game
    if isinstance(name, str) and name in GAME_SCHEMAS:
        call = current_call()
        call.game, call.rules = name, GAME_SCHEMAS[name].rules


def enter_wait(caller: Caller) -> Callable[[], None]:
    """Count one more stream or long poll of this caller. Call the returned function at its end. Raises Problem
    "rate-limited".
    """
    return parts().concurrency.enter(caller, current_call().environ, _backend_of(caller))


def enter_stream(caller: Caller, game_id: str) -> Callable[[], None]:
    """Count one more stream of the game; a seat is connected meanwhile. Otherwise as `enter_wait`."""
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
    """Count one more export that this caller downloads. Call the returned function at its end. Raises Problem
    "rate-limited".
    """
    return parts().exports.enter(caller, current_call().environ, _backend_of(caller))


@contextmanager
def while_waiting(caller: Caller, at: str | None = None) -> Iterator[None]:
    """Count this caller as waiting in this block. Raises Problem "rate-limited", and Unauthorized if the caller's right
    has ended meanwhile.

    `at`: the game for which it waits; a seat is connected meanwhile.
    """
    leave = enter_wait(caller) if at is None or caller.seat is None else enter_stream(caller, at)
    try:
        yield
    finally:
        leave()
    use_cases().callers.confirm(caller)


def seconds_to_wait(parameters: Json) -> int:
    """Seconds that a long poll may last: as the caller asks, but no longer than the settings allow."""
    return min(int(parameters["wait"]), parts().settings.long_poll_max)
