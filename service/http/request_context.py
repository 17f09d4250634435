"""Context of a request: the caller, the use-cases, and the time that it may wait."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from domain.lifecycle import Json
from domain.registry import DEFAULT_GAME
from events.apps.keys import UNGUESSABLE
from events.apps.scopes import ADMIN
from events.errors import Unauthorized
from events.games.access import FOREIGN, Caller
from events.games.idempotency import KeyedRequest
from events.log.snapshot import Snapshot
from events.runtime.settings import Settings
from events.use_cases.application import Application
from events.use_cases.bots.queries import BotQueries
from service.http.admission.concurrency import ConcurrencyLimits
from service.http.admission.origins import SETTING, Origins
from service.http.admission.pace import Guesses
from service.http.admission.rates import RateLimits
from service.http.call import current_call
from service.http.problems import Problem, invalid
from service.http.request_parsing import bearer_token, idempotency_key
from service.http.schemas.registry import GAME_SCHEMAS
from service.http.streaming import Broadcast


def use_cases() -> Application:
    """The use-cases that the app was made with."""
    application: Application = current_call().extensions["use_cases"]
    return application


def bot_queries() -> BotQueries:
    """The queue of queries to bots that the app was made with."""
    queries: BotQueries = current_call().extensions["bot_queries"]
    return queries


def foreign_page() -> str | None:
    """The way in which a page of a site without rights may have sent the request; None if there is none."""
    origins: Origins = current_call().extensions["origins"]
    return origins.objection(current_call().environ)


def refuse_foreign_page() -> None:
    """Without app keys, let such a page only do what is open to it: Problem "foreign-origin"."""
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
    guesses: Guesses | None = call.extensions["guesses"]
    if guesses is None:
        return callers.who_asks(token, game_id, known)
    if guesses.any_refused and token is not None:
        recognised = callers.recognised(token, game_id, known)
        if recognised is not None:
            return recognised
        if not callers.has_key_at_hand(token):
            guesses.check(call.environ)
    try:
        return callers.who_asks(token, game_id, known)
    except Unauthorized:
        guesses.note(call.environ)
        raise


def admit(name: str, caller: Caller) -> None:
    """Count something costly, by the name of its limit, before anything is done. Raises Problem "rate-limited"."""
    call = current_call()
    limits: RateLimits = call.extensions["rate_limits"]
    quota = limits.admit(name, caller, call.environ)
    if quota is not None:
        call.quota = "".join([f"{field}: {value}\r\n" for field, value in quota.headers.items()])


def admit_player(name: str, caller: Caller) -> None:
    """Count something costly that only apps and seats may do: a stranger, who is refused, uses up nobody's share."""
    if caller.kind in ("app", "seat") or not use_cases().callers.are_there_keys():
        admit(name, caller)


def admit_fork(game_id: str) -> None:
    """Count a fork that goes back to a game, and that may be made. Raises Problem "rate-limited"."""
    limits: RateLimits = current_call().extensions["rate_limits"]
    limits.admit_fork(game_id)


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


def _require_scope(caller: Caller) -> None:
    needed = current_call().scope
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
    """While something is looked at that may be guessed: if it is wrong, that counts as a wrong token does.

    Nothing is looked at for an address that has sent too many: Problem "rate-limited". `wrong`: what says so, beside
    Unauthorized.
    """
    call = current_call()
    counted: tuple[type[Exception], ...] = (Unauthorized, *wrong)
    guesses: Guesses | None = call.extensions["guesses"]
    if guesses is not None and guesses.any_refused:
        guesses.check(call.environ)
    try:
        yield
    except counted:
        if guesses is not None:
            guesses.note(call.environ)
        raise


def calling_seat(game_id: str, known: Snapshot | None = None) -> tuple[int, Caller]:
    """The seat whose token the request carries; nobody else may do what is asked, whether or not the game exists.

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
    streams: Broadcast = current_call().extensions["broadcast"]
    return streams


def cite_rules(game: object) -> None:
    """Answer faults of a request for a game of that name with the rule that they break; None: no name."""
    name = DEFAULT_GAME if game is None else game
    if isinstance(name, str) and name in GAME_SCHEMAS:
        call = current_call()
        call.game, call.rules = name, GAME_SCHEMAS[name].rules


def enter_wait(caller: Caller) -> Callable[[], None]:
    """One more stream or long poll of this caller; to be called when it is over. Raises Problem "rate-limited"."""
    limits: ConcurrencyLimits = current_call().extensions["concurrency"]
    return limits.enter(caller, current_call().environ)


def enter_exports(caller: Caller) -> Callable[[], None]:
    """One more export that this caller takes away; to be called when it is over. Raises Problem "rate-limited"."""
    exports: ConcurrencyLimits = current_call().extensions["exports"]
    return exports.enter(caller, current_call().environ)


@contextmanager
def while_waiting(caller: Caller) -> Iterator[None]:
    """While this caller waits. Raises Problem "rate-limited", and Unauthorized where its right has ended meanwhile."""
    leave = enter_wait(caller)
    try:
        yield
    finally:
        leave()
    use_cases().callers.confirm(caller)


def seconds_to_wait(parameters: Json) -> int:
    """Seconds that a long poll may last: as asked, but no longer than the settings allow."""
    settings: Settings = current_call().extensions["settings"]
    return min(int(parameters["wait"]), settings.long_poll_max)
