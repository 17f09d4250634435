"""From events back to the commands that caused them.

Nothing of a recorded event is believed: what a command is made of has its types checked here, and whether it was
possible is left to the game, which decides it again. Where several commands cause the same events, the one that the
game refuses least is taken: an action and the discard after it are two commands, whether they came in one request or
not; `settle` is the same as no choice. So what the game refuses could not have happened in any way.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from domain.chance import Chance
from domain.game import Game
from domain.lifecycle import Create, Json, PlayBotMove, ReissueToken, Score, Seat, TakeHint, TakeSeat
from events.audit.findings import CheckFailed

_SEED: Final = re.compile(r"[0-9a-f]{16}")
_KINDS: Final = frozenset(("human", "open", "bot", "remote"))
_MAX_SEATS: Final = 16

# How many events after one of this type `command_of` asks for, which tell the command that it is the first event of: a
# bot's choice, its move, and what came of that; a fork's creation, and the position. None after any other.
FOLLOWING: Final = {"move_chosen": 2, "bird_played": 1, "cards_moved": 1, "game_created": 1}


def command_of(game: Game, state: Any, document: Json, following: list[Json]) -> Any:
    """The command that caused the event and, maybe, those `following` (as far as they are objects with a type).

    Raises Wrong "rules" if no command begins with this event, and DomainError if what it holds cannot be meant.
    """
    kind, data = document["type"], document["data"]
    match kind:
        case "game_created":
            return _create(document)
        case "seat_taken":
            return _take_seat(document)
        case "seat_token_reissued":
            if document["seat"] is None:
                raise _not_meant(document, "seat")
            return ReissueToken(document["seat"])
        case "game_scored":
            return Score()
        case "hint_given":
            bot, version, budget, seed = how(document)
            if seed is None:
                raise _not_meant(document, "seed")
            return TakeHint(bot, version, budget, seed)
        case "move_chosen":
            bot, version, budget, seed = how(document)
            fallback, replaces = data.get("fallback"), data.get("replaces")
            for name in ("fallback", "replaces"):
                if data.get(name) is not None and type(data[name]) is not str:
                    raise _not_meant(document, name)
            if not following or type(following[0].get("data")) is not dict:
                raise CheckFailed("rules", document["version"], "No move follows on a bot's choice.")
            move = _move(game, state, following[0], following[1:])
            return PlayBotMove(move, bot, version, budget, seed, fallback, replaces)
        case _:
            return _move(game, state, document, following)


def created(game: Game, state: Any, command: Create, chance: Chance) -> list[Any]:
    """The events that creating the game causes, also for a bot that this engine has no longer: it plays no part yet.

    Raises DomainError.
    """
    known = [seat.bot is None or seat.bot in game.bots for seat in command.seats]
    stand_ins = [
        seat if is_known else replace(seat, bot=game.fallback_bot)
        for seat, is_known in zip(command.seats, known, strict=True)
    ]
    events = list(game.decide(state, None, replace(command, seats=tuple(stand_ins)), chance))
    if not all(known):
        first = game.encode(events[0])
        told = zip(first.data["seats"], command.seats, strict=True)
        seats = [{**document, "bot": seat.bot} for document, seat in told]
        events[0] = game.decode(first._replace(data={**first.data, "seats": seats}))
    return events


def _move(game: Game, state: Any, document: Json, following: list[Json]) -> Any:
    after = following[0].get("type") if following else None
    move = _MOVES[game.name](state, document, after)
    if move is None:
        raise CheckFailed(
            "rules", document.get("version"), "No move begins with this event.", None, document.get("type")
        )
    return game.parse_move(move)


def _create(document: Json) -> Create:
    data = document["data"]
    seats, deck = data.get("seats"), data.get("deck")
    for name, right in (
        ("id", type(data.get("id")) is str),
        ("commitment", type(data.get("commitment")) is str),
        ("options", type(data.get("options")) is dict),
        ("seats", type(seats) is list and len(seats) <= _MAX_SEATS),
        ("deck", deck is None or (type(deck) is list and all(type(card) is str for card in deck))),
    ):
        if not right:
            raise _not_meant(document, name)
    taken = tuple(_seat(document, seat) for seat in data["seats"])
    return Create(
        data["id"],
        data["commitment"],
        data["options"],
        taken,
        None if deck is None else {"deck": deck},
        as_recorded=True,
    )


def _seat(document: Json, given: Any) -> Seat:
    if type(given) is not dict or given.keys() != {"kind", "player", "bot", "client_seed"}:
        raise _not_meant(document, "seats")
    words = (given["player"], given["bot"], given["client_seed"])
    if type(given["kind"]) is not str or given["kind"] not in _KINDS:
        raise _not_meant(document, "seats")
    if any(word is not None and type(word) is not str for word in words):
        raise _not_meant(document, "seats")
    if (given["kind"] == "bot") != (given["bot"] is not None):
        raise _not_meant(document, "seats")
    return Seat(given["kind"], given["player"], given["bot"], given["client_seed"])


def _take_seat(document: Json) -> TakeSeat:
    seat, player, seed = document["seat"], document["data"].get("player"), document["data"].get("client_seed")
    if seat is None:
        raise _not_meant(document, "seat")
    if type(player) is not str:
        raise _not_meant(document, "player")
    if seed is not None and type(seed) is not str:
        raise _not_meant(document, "client_seed")
    return TakeSeat(seat, player, seed)


def how(document: Json) -> tuple[str, str, Json | None, str | None]:
    """Bot, version, budget and seed, as a bot's move and a hint record them."""
    data = document["data"]
    bot, version, budget, seed = (data.get(name) for name in ("bot", "version", "budget", "seed"))
    if type(bot) is not str:
        raise _not_meant(document, "bot")
    if type(version) is not str:
        raise _not_meant(document, "version")
    if budget is not None and not _is_budget(budget):
        raise _not_meant(document, "budget")
    if seed is not None and (type(seed) is not str or _SEED.fullmatch(seed) is None):
        raise _not_meant(document, "seed")
    return bot, version, budget, seed


def _is_budget(budget: Any) -> bool:
    if type(budget) is not dict or budget.keys() != {"iterations"}:
        return False
    return type(budget["iterations"]) is int and budget["iterations"] >= 0


def _not_meant(document: Json, name: str) -> CheckFailed:
    return CheckFailed(
        "rules",
        document["version"],
        f"{name} of a {document['type']} event is not what it can be.",
        None,
        document["data"].get(name, document.get(name)),
    )


def _migrato(state: Any, document: Json, after: Any) -> Json | None:
    """The move of Migrato that begins with the event, as it would be posted; None where no move does."""
    data = document["data"]
    choice = {"on_arrival": "return"} if after == "return_flight_taken" else {}
    match document.get("type"):
        case "bird_played":
            slot = _target(state, document.get("seat"), data.get("slot"))
            return {"type": "play", "card": data.get("card"), "slot": slot, **choice}
        case "cards_moved":
            return {
                "type": "move_cards",
                "from": data.get("from"),
                "index": data.get("index"),
                "to": _target(state, document.get("seat"), data.get("to")),
                "uncover": data.get("uncover"),
                **choice,
            }
        case "danger_played":
            return {"type": "danger", "card": data.get("danger"), "target": data.get("target")}
        case "card_discarded":
            return {"type": "discard", "card": data.get("card")}
        case "hand_exchanged":
            return {"type": "exchange"}
        case "column_discarded":
            return {"type": "abandon", "slot": data.get("slot")}
        case "turn_passed":
            return {"type": "pass"}
        case "player_resigned":
            return {"type": "resign"}
        case _:
            return None


def _target(state: Any, seat: Any, slot: Any) -> Any:
    """The slot to play to, None where no column is: that starts a new one."""
    if type(slot) is int and type(seat) is int and 0 <= seat < len(state.players):
        columns = state.players[seat].columns
        if 1 <= slot <= len(columns) and not columns[slot - 1]:
            return None
    return slot


_MOVES: Final[dict[str, Callable[[Any, Json, Any], Json | None]]] = {"migrato": _migrato}
