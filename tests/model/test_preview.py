"""A dry run shows its player no card that the player may not see now."""

import re
from collections import Counter
from random import Random
from typing import Any

from tests.model.differential import DomainTable
from tests.model.migrato_model import Json, Model, Shuffle
from tests.model.random_play import MOODS, choose, random_deck, random_options

FACE = re.compile(r"[GKSBT]\dn")


def night_faces(document: Any) -> set[str]:
    """All faces of night cards that a JSON document names."""
    return set(FACE.findall(str(document)))


def previewed(table: DomainTable, seat: int, document: Json) -> set[str]:
    """The night cards that the document's preview names."""
    events, _ = table.game.preview(table.state, seat, table.game.parse_move(document))
    return night_faces([event.data for event in events])


def told_by(orders: list[list[str]]) -> Shuffle:
    """The shuffles that really happened."""
    return lambda _: orders.pop(0)


def test_a_preview_names_no_hidden_card() -> None:
    """Rules 9, ruling R13: not the own face-down cards either, unless the game has the memory aid."""
    tried: Counter[str] = Counter()
    found: dict[str, str] = {}
    for seed in range(12):
        rng = Random(seed)
        options = {**random_options(rng), "memory_aid": False, "first_seat": 0}
        deck = random_deck(options, rng)
        table, model = DomainTable(options, deck, rng), Model(options, deck)
        moods = [rng.choice(MOODS) for _ in range(2)]
        for _ in range(120):
            seat = model.to_act
            if seat is None:
                break
            for document in model.legal_documents(seat):
                tried[document["type"]] += 1
                hidden = previewed(table, seat, document) - night_faces(model.view(seat))
                if hidden:
                    found.setdefault(document["type"], f"{document} names {hidden}: {model.players[seat]}")
            document = choose(model, moods[seat], rng)
            model.play(seat, document, shuffle=told_by(table.play(seat, document)))
    assert not found
    assert {"play", "move_cards", "danger", "discard", "exchange", "abandon"} <= set(tried)
