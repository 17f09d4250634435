"""Decks, players and documents for random games: not wise, but busy, so that every rule has its turn.

These players look at the whole table (they are test drivers, not bots), and each has a mood that draws it
to one part of the rules.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random

from tests.model.migrato_model import (
    GOALS,
    NAMES,
    STANDARD,
    STEALS,
    Json,
    Model,
    full_deck,
    is_danger,
    is_night,
    never_increasing,
    one_species,
    species,
)

MOODS = ("random", "builder", "builder", "bluffer", "thief", "hoarder", "night owl", "saver")
LEAST_CARDS = 39  # the engine takes no smaller deck: it could all lie in piles
JUNK_FACES = ("G9d", "K3n", "S6d", "X1d", "g5d", "HAT", "", "5", None, 7, ["G5d"])
JUNK_SLOTS: tuple[object, ...] = (0, 5, -1, 99, "1", 1.5, True, [1], {})


def random_options(rng: Random) -> Json:
    """One choice of every option; sometimes left to the default."""
    options: Json = {
        "rules": rng.choice(["digital", "opla"]),
        "return_flight": rng.choice([False, True]),
        "memory_aid": rng.choice([False, True]),
        "first_seat": rng.choice([0, 0, 1, "random"]),
        "turn_limit": rng.choice([None, None, None, 1, 7, 40, 100]),
    }
    options = {name: value for name, value in options.items() if rng.random() < 0.9}
    if rng.random() < 0.25:
        options["deck_list"] = random_deck_list(rng)
    return options


def random_deck_list(rng: Random) -> dict[str, int]:
    """As few cards as the engine takes, or a few more: enough birds to let each species arrive, any faces."""
    deck_list: Counter[str] = Counter()
    for letter, goal in GOALS.items():
        faces = [face for face in STANDARD if face[0] == letter and not is_danger(face)]
        few = rng.sample(faces, rng.randint(1, len(faces)))
        deck_list.update(rng.choices(few, k=goal))
        deck_list.update(rng.choices(few, k=rng.randint(3, 5)))
    deck_list.update(rng.choices(list(STEALS), k=rng.choice([0, 1, 4])))
    return dict(deck_list + Counter(G3d=max(0, LEAST_CARDS - deck_list.total())))


def random_deck(options: Json, rng: Random) -> list[str]:
    """A shuffled deck, in half of the games with a favourite species, the night or the day near the top."""
    favourite = rng.choice(["-", "-", "-", "S", "T", "G", "n", "d"])
    return sorted(
        full_deck(options.get("deck_list", STANDARD)),
        key=lambda face: rng.random() * (0.4 if favourite in {face[0], face[-1]} else 1),
    )


def choose(model: Model, mood: str, rng: Random) -> Json:
    """A legal document for the seat to act, by the taste of its mood; often with the discard in it."""
    assert model.to_act is not None
    if rng.random() < 0.001:
        return {"type": "resign"}
    documents = model.legal_documents(model.to_act)
    weights = [taste(model, model.to_act, mood, document) for document in documents]
    document = dict(rng.choices(documents, weights)[0])
    if document["type"] in {"play", "move_cards", "danger"} and rng.random() < 0.4:
        hand = model.known_hand_after(model.to_act, document)
        if hand:
            document["discard"] = rng.choice(hand)
    return spell_out(document, rng)


def spell_out(document: Json, rng: Random) -> Json:
    """Sometimes say what is the default anyway."""
    if document["type"] == "move_cards" and rng.random() < 0.2:
        document.setdefault("uncover", False)
    if document["type"] in {"play", "move_cards"} and rng.random() < 0.2:
        document.setdefault("on_arrival", "settle")
    return document


def taste(model: Model, seat: int, mood: str, document: Json) -> float:
    """The liking of a player in this mood for the move."""
    if mood == "random":
        return 1.0
    me = model.players[seat]
    match document["type"]:
        case "play":
            column = [*me.columns.get(document["slot"], []), document["card"]]
            weight = 4.0 if len(column) == 1 else 10.0 * len(column)
            if mood == "night owl" and not is_night(document["card"]):
                weight /= 10
            if mood == "hoarder" and species(document["card"]) == "S":
                weight = 0.01 if len(column) == GOALS["S"] else 30.0
            if not one_species(column):
                weight = 15.0 if mood == "bluffer" else 0.1
            return weight * (2 if document.get("on_arrival") == "return" else 1)
        case "move_cards":
            moved = me.columns[document["from"]][document["index"] :]
            column = [*me.columns.get(document["to"], []), *moved]
            if document["to"] is None:
                return 1.0 if mood == "bluffer" else 0.3
            honest = one_species(column) and never_increasing(column)
            uncovered = bool(document.get("uncover"))
            if uncovered and honest and species(column[0]) == "S" and len(column) == 5:
                return 500.0
            if uncovered:
                return 60.0 if honest and len(column) == GOALS[species(column[0])] else 0.5
            return 8.0 if honest else 0.5
        case "danger":
            return 30.0 if mood == "thief" else 4.0
        case "discard":
            card = document["card"]
            if mood == "hoarder" and species(card) == "S":
                return 0.01
            wanted = not is_danger(card) and any(card[0] == column[0][0] for column in me.columns.values())
            return 0.3 if wanted else 1.0
        case _:
            return 0.01 if mood == "saver" else 0.3


def exhausting_deck_list(rng: Random) -> dict[str, int]:
    """The smallest deck, where nearly every bird can go below every other one of its species."""
    deck_list = {
        "G3d": rng.choice([9, 10, 11]),
        "S1n": 8,
        "B1d": rng.choice([6, 7, 8]),
        "T1d": rng.choice([2, 3, 4]),
    }
    return {**deck_list, "K2d": LEAST_CARDS - sum(deck_list.values())}


def choose_to_exhaust(model: Model, rng: Random) -> Json:
    """A player who brings all cards onto the table, and gives up columns only with an empty hand."""
    assert model.to_act is not None
    me, documents = model.players[model.to_act], model.legal_documents(model.to_act)

    def liking(document: Json) -> float:
        match document["type"]:
            case "play" if document["card"][0] == "T":
                return 0.5 if document["slot"] is None else 0.001
            case "play":
                return taste(model, model.to_act or 0, "saver", document)
            case "discard":
                return 5.0 if species(document["card"]) in me.piles else 1.0
            case "move_cards":
                return 0.1
            case _:
                return 0.0001 if me.hand else 1.0

    return dict(rng.choices(documents, [liking(document) for document in documents])[0])


def random_document(model: Model, rng: Random) -> Json:
    """A document that may be anything from legal to nonsense: a legal one with a change, or one made up."""
    if model.to_act is not None and rng.random() < 0.7:
        document = dict(rng.choice(model.legal_documents(model.to_act)))
    else:
        document = invented(rng)
    while rng.random() < 0.6:
        change(document, rng)
    place = {"play": "slot", "move_cards": "to"}.get(str(document["type"]))
    if place:
        document.setdefault(place, None)  # the contract does not say what it means to leave it out
    return document


def last_act_with_odd_discard(model: Model, rng: Random) -> Json | None:
    """A document for when one more species would end the game: an action with a discard that may not be in hand."""
    if (
        model.to_act is None
        or len({letter for player in model.players for letter in player.piles}) < len(GOALS) - 1
    ):
        return None
    actions = [d for d in model.legal_documents(model.to_act) if d["type"] in {"play", "move_cards"}]
    return {**rng.choice(actions), "discard": rng.choice(list(STANDARD))} if actions else None


def invented(rng: Random) -> Json:
    """A well-formed document without a look at the table."""
    face, slot = rng.choice(list(STANDARD)), rng.choice([1, 2, 3, 4])
    target: Json = {"slot": slot} if rng.random() < 0.5 else {"pile": rng.choice(list(NAMES.values()))}
    return rng.choice(
        [
            {"type": "play", "card": face, "slot": rng.choice([None, slot])},
            {"type": "move_cards", "from": slot, "index": rng.randrange(5), "to": rng.choice([None, 1, 2])},
            {"type": "danger", "card": rng.choice([face, *STEALS]), "target": target},
            {"type": "discard", "card": face},
            {"type": "abandon", "slot": slot},
            {"type": "exchange"},
            {"type": "pass"},
        ]
    )


def change(document: Json, rng: Random) -> None:
    """Alter one field of the document, to a sensible value or to junk."""

    def some(sensible: Sequence[object], junk: Sequence[object]) -> object:
        return rng.choice(sensible if rng.random() < 0.8 else junk)

    faces, slots = list(STANDARD), [1, 2, 3, 4]
    match rng.choice([*document, "on_arrival", "discard", "discard", "uncover", "extra"]):
        case "type":
            document["type"] = some(["play", "move_cards", "discard"], ["fly", "", None, 3, "resign "])
        case "card":
            document["card"] = some(faces, JUNK_FACES)
        case "discard":
            document["discard"] = some(faces, [face for face in JUNK_FACES if face is not None])
        case "slot" | "to" | "from" as name:
            may_be_new = name == "to" or document["type"] == "play"
            document[name] = some([*slots, None] if may_be_new else slots, JUNK_SLOTS)
        case "index":
            document["index"] = some([0, 1, 2, 3, 4], [-1, 5, "0", 0.5, False, None])
        case "target":
            pile, slot = rng.choice(list(NAMES.values())), rng.choice(slots)
            junk = [{"slot": slot, "pile": pile}, {}, {"slot": None}, {"pile": "T"}, 1, None]
            document["target"] = some([{"slot": slot}, {"pile": pile}], junk)
        case "on_arrival":
            document["on_arrival"] = some(["settle", "return", "return"], ["stay", 1, True])
        case "uncover":
            document["uncover"] = some([True, True, False], ["true", 1, 0])
        case "extra":
            if rng.random() < 0.3:
                document[rng.choice(["seat", "cards", "player", "Type"])] = rng.choice([0, 1, "G5d"])
        case _:
            return
