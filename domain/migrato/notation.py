"""Events and moves in one readable line, for logs, apps and the terminal; a hidden card is written "?"."""

from collections.abc import Callable
from typing import Any, Final

from domain.lifecycle import EventRecord, Json
from domain.migrato import words
from domain.words import common
from domain.words.languages import Said, Words, joined


def event_said(record: EventRecord) -> Said:
    """One line, such as "seat 0 plays G5d to column 2"; works on whole and on redacted data."""
    return common.said(record) or _EVENTS[record.type](record.data, common.seat(record.seat))


def move_said(move: Json) -> Said:
    """A legal move, such as "play G5d to column 2"."""
    match move["type"]:
        case "play":
            said = words.PLAY_NEW if move["slot"] is None else words.PLAY
            return _with_choices(said, move, move)
        case "move_cards":
            said = words.SPLIT if move["to"] is None else words.MOVE_CARDS
            return _with_choices(said, move, {**move, "card": move["index"] + 1})
        case "danger":
            return Said(words.DANGER, {"card": move["card"], "aim": _aim(move["target"])})
        case kind:
            return Said(_MOVES[kind], move)


def _with_choices(said: Words, move: Json, values: Json) -> Said:
    """A move with the choices that it makes."""
    parts = [said]
    if move.get("uncover"):
        parts.append(words.UNCOVER)
    if move.get("on_arrival") == "return":
        parts.append(words.RETURN)
    return Said(joined(*parts), values)


def _cards(cards: list[str] | None, count: int = 0) -> str | Said:
    if cards is None:
        return " ".join("?" * count)
    return " ".join(cards) or Said(words.NO_CARDS)


def _aim(target: Json) -> Said:
    if "slot" in target:
        return Said(words.COLUMN, target)
    return Said(words.PILE, {"species": Said(words.SPECIES[target["pile"]])})


def _verdict(data: Json) -> Json:
    """Values of a result."""
    winner = data["winner"]
    verdict = Said(words.DRAW) if winner is None else Said(common.WINNER, {"seat": winner})
    return {"verdict": verdict, "scores": " : ".join(map(str, data["scores"]))}


def _of_cards(said: Words) -> Callable[[Any, Said], Said]:
    """An event that shows cards, perhaps of a species."""

    def event(data: Json, who: Said) -> Said:
        species = Said(words.SPECIES[data["species"]]) if "species" in data else None
        return Said(said, {**data, "who": who, "cards": _cards(data["cards"]), "species": species})

    return event


def _of_a_card(said: Words) -> Callable[[Any, Said], Said]:
    """An event that shows a card, or hides it."""
    return lambda data, who: Said(said, {**data, "who": who, "card": data["card"] or "?"})


def _column_discarded(data: Json, who: Said) -> Said:
    return _of_cards(words.COLUMN_ABANDONED if data["abandoned"] else words.COLUMN_LOST)(data, who)


def _cards_moved(data: Json, who: Said) -> Said:
    said = (words.CARDS_MOVED, words.UNCOVERED) if data["uncover"] else (words.CARDS_MOVED,)
    values = {**data, "who": who, "card": data["index"] + 1}
    return Said(joined(*said), values)


def _danger_played(data: Json, who: Said) -> Said:
    values = {"who": who, "danger": data["danger"], "card": data["card"] or "?", "aim": _aim(data["target"])}
    return Said(words.DANGER_PLAYED, values)


def _cards_drawn(data: Json, who: Said) -> Said:
    return Said(words.CARDS_DRAWN, {"who": who, "cards": _cards(data["cards"], data["count"])})


def _ended(data: Json, _: Said) -> Said:
    return Said(words.GAME_ENDED, {"reason": common.reason(data["reason"], words.REASONS), **_verdict(data)})


_EVENTS: Final[dict[str, Callable[[Any, Said], Said]]] = {
    "game_created": lambda data, _: common.created(data, Said(words.RULES, data["options"])),
    "game_started": lambda data, _: Said(common.STARTED, data),
    "position_set": lambda data, _: common.goes_on(data, Said(words.TO_ACT, data)),
    "bird_played": _of_a_card(words.BIRD_PLAYED),
    "cards_moved": _cards_moved,
    "danger_played": _danger_played,
    "birds_arrived": _of_cards(words.BIRDS_ARRIVED),
    "arrival_failed": _of_cards(words.ARRIVAL_FAILED),
    "return_flight_taken": _of_cards(words.RETURN_FLIGHT_TAKEN),
    "column_discarded": _column_discarded,
    "hand_exchanged": _of_cards(words.HAND_EXCHANGED),
    "card_discarded": _of_a_card(words.CARD_DISCARDED),
    "cards_drawn": _cards_drawn,
    "deck_reshuffled": lambda data, _: Said(words.DECK_RESHUFFLED, data),
    "turn_passed": lambda _, who: Said(words.TURN_PASSED, {"who": who}),
    "game_ended": _ended,
    "game_scored": lambda data, _: Said(words.GAME_SCORED, _verdict(data)),
}
_MOVES: Final = {
    "discard": words.DISCARD,
    "exchange": words.EXCHANGE,
    "abandon": words.ABANDON,
    "pass": words.PASS,
    "resign": common.RESIGN,
}
