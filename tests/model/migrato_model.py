"""Migrato read a second time, as naively as possible: lists of faces, and brute force for "possible" columns.

Nothing here is clever, fast or shared with the engine; it is written from the rules' text alone, so that
a misreading in either place shows as a difference. Moves and views are shaped as in the HTTP contract.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise, permutations
from typing import Any

Json = dict[str, Any]
Shuffle = Callable[[list[str]], list[str] | None]

NAMES = {"G": "brant_goose", "K": "black_kite", "S": "stilt", "B": "bee_eater", "T": "teal"}
GOALS = {"G": 5, "K": 4, "S": 4, "B": 3, "T": 2}
RETURN_FLIGHT_POINTS = {"G": 3, "K": 2, "S": 2, "B": 2, "T": 1}
STEALS = {"HUN": "d", "HAB": "dn", "LIG": "n"}  # the phases each danger may take
UNCOVERED = {2: "T", 4: "S", 5: "GS"}  # length of a face-down column: what could arrive
SLOTS = (1, 2, 3, 4)
HAND = 3
STANDARD = {
    "G5d": 2, "G4d": 3, "G3d": 2, "G5n": 2, "G4n": 3, "G3n": 2,
    "K4d": 3, "K3d": 4, "K2d": 4,
    "S6n": 4, "S3n": 4, "S1n": 3,
    "B4d": 2, "B3d": 2, "B2d": 2, "B1d": 2,
    "T5d": 1, "T3d": 1, "T1d": 1, "T4n": 1, "T2n": 1,
    "HUN": 2, "HAB": 2, "LIG": 1,
}  # fmt: skip
ALL_FACES = set(STANDARD)
FIELDS = {
    "play": {"type", "card", "slot", "on_arrival"},
    "move_cards": {"type", "from", "index", "to", "uncover", "on_arrival"},
    "danger": {"type", "card", "target"},
    "discard": {"type", "card"},
    "abandon": {"type", "slot"},
    "exchange": {"type"},
    "pass": {"type"},
}
DEFAULTS: Json = {
    "rules": "digital",
    "return_flight": False,
    "memory_aid": False,
    "first_seat": 0,
    "turn_limit": None,
}
# Ruling R18: what an arrival sweeps away goes first, then the game "ends at once".
CLEARS_BEFORE_THE_END = True


class ModelError(Exception):
    """The model was told something that cannot be."""


def full_deck(deck_list: dict[str, int]) -> list[str]:
    """All cards of a deck table, sorted."""
    return sorted(face for face, count in deck_list.items() for _ in range(count))


def standard_deck() -> list[str]:
    """The 54 faces of the `standard` table, sorted."""
    return full_deck(STANDARD)


def is_danger(face: str) -> bool:
    return face in STEALS


def species(face: str) -> str:
    return face[0]


def birds(face: str) -> int:
    return int(face[1:-1])


def is_night(face: str) -> bool:
    return not is_danger(face) and face[-1] == "n"


def never_increasing(cards: Sequence[str]) -> bool:
    return all(birds(upper) >= birds(lower) for upper, lower in pairwise(cards))


def one_species(cards: Sequence[str]) -> bool:
    return len({species(card) for card in cards}) == 1


@cache
def possible(places: tuple[str, ...], nights: tuple[str, ...]) -> bool:
    """Rules 5. `places` from top to bottom: a face, or "?" for a card that may be any of `nights`."""
    return any(could_be(letter, places, nights) for letter in GOALS)


def could_be(letter: str, places: tuple[str, ...], nights: tuple[str, ...]) -> bool:
    """Could cards of this one species fill the column?"""
    if len(places) > GOALS[letter]:
        return False
    if any(place != "?" and species(place) != letter for place in places):
        return False
    candidates = [card for card in nights if species(card) == letter]
    for filling in permutations(candidates, places.count("?")):
        cards = list(filling)
        if never_increasing([cards.pop(0) if place == "?" else place for place in places]):
            return True
    return False


def normal(document: Json) -> str:
    """One writing for all documents that mean the same move: defaults left out, keys sorted."""
    short = dict(document)
    if short.get("uncover") is False:
        del short["uncover"]
    if short.get("on_arrival") == "settle":
        del short["on_arrival"]
    return json.dumps(short, sort_keys=True)


@dataclass
class Player:
    """The cards in front of a player, and the hand."""

    hand: list[str] = field(default_factory=list)
    columns: dict[int, list[str]] = field(default_factory=dict)  # slot: faces from top to bottom
    piles: dict[str, list[str]] = field(default_factory=dict)  # species letter: faces, the top one last
    flights: list[str] = field(default_factory=list)  # species letters of the Return Flight cards taken

    def score(self) -> int:
        """Rules 7."""
        return sum(birds(pile[-1]) for pile in self.piles.values()) + sum(
            RETURN_FLIGHT_POINTS[letter] for letter in self.flights
        )


class Model:
    """One game, played by documents; `seen` counts which rules it has met, `story` tells it line by line."""

    def __init__(self, options: Json, deck: Sequence[str], first_seat: int | None = None) -> None:
        """`options` may be partial; `first_seat` settles a random one. `deck`: first card drawn first."""
        self.options = {**DEFAULTS, **options}
        if first_seat is None:
            first_seat = self.options["first_seat"]
        if first_seat not in {0, 1}:
            raise ModelError(f"who starts? {first_seat!r}")
        self.nights = tuple(sorted(card for card in deck if is_night(card)))
        self.deck = list(deck)
        self.deck_is_ordered = True
        self.discard_pile: list[str] = []
        self.players = [Player(), Player()]
        self.flights_on_table = list(GOALS) if self.options["return_flight"] else []
        self.to_act: int | None = first_seat
        self.phase = "action"
        self.turn = 1
        self.result: Json | None = None
        self.seen: Counter[str] = Counter()
        self.story: list[str] = []
        for n in range(2 * HAND):  # rules 2.1
            self.players[(first_seat + n) % 2].hand.append(self.deck.pop(0))

    # --- what is legal ---

    def legal_moves(self, seat: int) -> set[str]:
        """Every legal move in its normal form; resigning is always possible and not listed."""
        return {normal(document) for document in self.legal_documents(seat)}

    def legal_documents(self, seat: int) -> list[Json]:
        """Rules 4."""
        if self.result is not None or seat != self.to_act:
            return []
        hand = sorted(set(self.players[seat].hand))
        if self.phase == "discard":
            return [{"type": "discard", "card": card} for card in hand]
        documents = [document for card in hand for document in self._plays_of(seat, card)]
        documents += self._card_moves(seat)
        documents += [document for card in hand for document in self._thefts_by(seat, card)]
        documents += [{"type": "abandon", "slot": slot} for slot in self.players[seat].columns]
        if hand:
            documents.append({"type": "exchange"})
        return documents or [{"type": "pass"}]  # ruling R2

    def _plays_of(self, seat: int, card: str) -> list[Json]:
        """Rules 4.1."""
        me = self.players[seat]
        if is_danger(card) or species(card) in me.piles:
            return []
        nights = list(self.nights)
        if is_night(card):
            nights.remove(card)  # the card played counts as itself: it is not under another one
        documents: list[Json] = []
        if len(me.columns) < len(SLOTS) and possible((card,), tuple(nights)):
            documents.append({"type": "play", "card": card, "slot": None})
        for slot, column in me.columns.items():
            if not possible((*looks(column), card), tuple(nights)):
                continue
            documents.append({"type": "play", "card": card, "slot": slot})
            if len(column) + 1 == GOALS[species(card)] and self._may_return(seat, species(card)):
                documents.append({"type": "play", "card": card, "slot": slot, "on_arrival": "return"})
        return documents

    def _card_moves(self, seat: int) -> list[Json]:
        """Rules 4.2."""
        columns = self.players[seat].columns
        documents: list[Json] = []
        for start, column in columns.items():
            for index in range(len(column)):
                moved = column[index:]
                if index > 0 and len(columns) < len(SLOTS) and possible(looks(moved), self.nights):
                    documents.append({"type": "move_cards", "from": start, "index": index, "to": None})
                if index > 0 and self.options["rules"] == "opla":
                    continue  # whole columns are joined
                for end, other in columns.items():
                    if end != start and possible(looks(other + moved), self.nights):
                        move = {"type": "move_cards", "from": start, "index": index, "to": end}
                        documents += self._choices(seat, move, other + moved)
        return documents

    def _choices(self, seat: int, move: Json, result: list[str]) -> list[Json]:
        """A move onto another column, with what its player may choose about the result (rules 6 and 8)."""
        letter = visible_species(result)
        if letter is not None:
            arriving = len(result) == GOALS[letter]
            returning = arriving and self._may_return(seat, letter)
            return [move, {**move, "on_arrival": "return"}] if returning else [move]
        if len(result) not in UNCOVERED:
            return [move]
        uncovering = {**move, "uncover": True}
        documents = [move, uncovering]
        if any(self._may_return(seat, letter) for letter in UNCOVERED[len(result)]):
            documents.append({**uncovering, "on_arrival": "return"})
        return documents

    def _may_return(self, seat: int, letter: str) -> bool:
        return letter in self.flights_on_table and letter not in self.players[seat].piles

    def _thefts_by(self, seat: int, danger: str) -> list[Json]:
        """Rules 4.3."""
        if not is_danger(danger):
            return []
        other = self.players[1 - seat]
        targets: list[tuple[Json, str]]
        targets = [({"slot": slot}, column[-1]) for slot, column in other.columns.items()]
        targets += [({"pile": NAMES[s]}, pile[-1]) for s, pile in other.piles.items() if len(pile) > 1]
        return [
            {"type": "danger", "card": danger, "target": target}
            for target, card in targets
            if card[-1] in STEALS[danger]
        ]

    def refusal(self, seat: int, document: Json) -> str | None:
        """The rule that refuses the posted document; None: it is legal."""
        if self.result is not None:
            return "the game is over"
        if document == {"type": "resign"}:
            return None
        if seat != self.to_act:
            return "another seat acts"
        action = {key: value for key, value in document.items() if key != "discard"}
        if not set(action) <= FIELDS.get(str(document.get("type")), set()):
            return "unknown type or field"
        if normal(action) not in self.legal_moves(seat):
            return "not in the list"
        if "discard" in document:
            if document["type"] not in {"play", "move_cards", "danger"}:
                return "nothing to discard after this action"
            discard = document["discard"]
            if discard not in self.known_hand_after(seat, action) and not self._surely_ends(seat, action):
                return "the discard is not in hand"
            if not (is_danger(discard) or discard in ALL_FACES):
                return "the discard is no card"
        return None

    def _surely_ends(self, seat: int, action: Json) -> bool:
        """Does the action end the game, as far as its player can see: no face-down card has a say in it?

        Then a discard with it is ignored. A refusal that hung on face-down cards would tell what they are.
        """
        me = self.players[seat]
        if action["type"] == "play":
            column = [*me.columns.get(action["slot"], []), action["card"]]
            seen = looks(column[:-1])
        elif action["type"] == "move_cards":
            column = [*me.columns.get(action["to"], []), *me.columns[action["from"]][action["index"] :]]
            seen = looks(column)
        else:
            return False
        letter = visible_species(column) or species(column[-1])
        landed = {s for player in self.players for s in player.piles}
        arrives = "?" not in seen and len(column) == GOALS[letter] and letter not in me.piles
        return arrives and action.get("on_arrival") != "return" and landed | {letter} == set(GOALS)

    def known_hand_after(self, seat: int, action: Json) -> list[str]:
        """Ruling R17: the hand afterwards as its player knows it now, without a face-down card to be stolen."""
        hand = list(self.players[seat].hand)
        if action["type"] in {"play", "danger"}:
            hand.remove(action["card"])
        if action["type"] == "danger":
            target = action["target"]
            card = self._target_cards(1 - seat, target)[-1]
            if "pile" in target or not is_night(card):
                hand.append(card)
        return hand

    # --- playing ---

    def play(
        self, seat: int, document: Json, shuffle: Shuffle, hand_after: Sequence[str] | None = None
    ) -> None:
        """Carry a legal document out.

        `shuffle` is given the discard pile when it becomes the deck, and answers the new order; None when it
        does not know: from then on the cards drawn are those that `hand_after`, the actor's hand then, shows.
        """
        reason = self.refusal(seat, document)
        if reason is not None:
            raise ModelError(f"{document} by seat {seat}: {reason}")
        self._shuffle = shuffle
        self._hand_after = hand_after
        self.story.append(f"turn {self.turn}, seat {seat}: {json.dumps(document)}")
        match document["type"]:
            case "resign":
                self._end("resigned", winner=1 - seat)
            case "discard":
                self._discard(seat, document["card"])
            case "exchange":
                self._note("exchange")
                self.discard_pile += self.players[seat].hand
                self.players[seat].hand = []
                self._refill(seat)
                self._end_turn()
            case "abandon":
                self._note("abandon")
                self.discard_pile += self.players[seat].columns.pop(document["slot"])
                self._end_turn()
            case "pass":
                self._note("R2 pass")
                self._end_turn()
            case _:
                self._act_and_discard(seat, document)

    def _act_and_discard(self, seat: int, document: Json) -> None:
        actions = {"play": self._play, "move_cards": self._move_cards, "danger": self._danger}
        actions[document["type"]](seat, document)
        if self.result is not None:
            if "discard" in document:
                self._note("discard ignored at the end")
            return
        if not self.players[seat].hand:
            self._note("4.4 nothing to discard")
            self._refill(seat)
            self._end_turn()
            return
        self.phase = "discard"
        if "discard" in document:
            self._note("discard in the same request")
            self._discard(seat, document["discard"])

    def _play(self, seat: int, document: Json) -> None:
        me, card, slot = self.players[seat], document["card"], document["slot"]
        me.hand.remove(card)
        if slot is None:
            slot = min(slot for slot in SLOTS if slot not in me.columns)
            me.columns[slot] = []
            self._note(f"column in slot {slot}")
            if any(other > slot for other in me.columns):
                self._note("a freed slot is used again")
        column = me.columns[slot]
        column.append(card)
        if "?" in looks(column) and visible_species(column):
            self._note("mixed day and night column")
        if not one_species(column):
            self._note("wrong card buried")
        letter = visible_species(column) or species(card)  # ruling R6
        if len(column) == GOALS[letter]:
            how = "a play" if visible_species(column) else "a face-down play (R6)"
            self._check(seat, slot, how, document)

    def _move_cards(self, seat: int, document: Json) -> None:
        columns = self.players[seat].columns
        moved = columns[document["from"]][document["index"] :]
        del columns[document["from"]][document["index"] :]
        if not columns[document["from"]]:
            del columns[document["from"]]
        slot = document["to"]
        if slot is None:
            slot = min(slot for slot in SLOTS if slot not in columns)
            columns[slot] = moved
            self._note("split")
            return
        columns[slot] += moved
        self._note("whole columns joined" if document["index"] == 0 else "part of a column combined")
        letter = visible_species(columns[slot])
        if letter is not None and len(columns[slot]) == GOALS[letter]:
            self._check(seat, slot, "a move", document)
        elif document.get("uncover"):
            self._check(seat, slot, f"uncovering {len(columns[slot])} (R7)", document)
        elif letter is None and len(columns[slot]) in UNCOVERED:
            self._note("not uncovered")

    def _check(self, seat: int, slot: int, how: str, document: Json) -> None:
        """Rules 6."""
        me = self.players[seat]
        column = me.columns.pop(slot)
        letter = species(column[0])
        right = one_species(column) and never_increasing(column)
        five_stilts = letter == "S" and len(column) == 5 and document["type"] == "move_cards"
        if not right or not (len(column) == GOALS[letter] or five_stilts):
            self._note(f"failed after {how}")
            self._note("failed: " + self._fault(column))
            self.discard_pile += column
            return
        if letter in me.piles:
            self._note("failed: R8")
            self.discard_pile += column
            return
        self._note(f"arrived after {how}")
        if five_stilts:
            self._note("five stilts")
        if document.get("on_arrival") == "return":
            if letter in self.flights_on_table:
                self._note(f"return flight {letter}")
                if any(species(c) == letter for column in me.columns.values() for c in column):
                    self._note("R12 columns stay")
                self.flights_on_table.remove(letter)
                me.flights.append(letter)
                self.discard_pile += column
                return
            self._note("return not there")
        if letter in me.flights:
            self._note("settled after own return flight (R11)")
        me.piles[letter] = column
        landed = {s for player in self.players for s in player.piles}
        ends = len(landed) == len(GOALS)
        if CLEARS_BEFORE_THE_END or not ends:
            self._clear_rest(seat, letter)
        if ends:
            if any(species(c) == letter for column in me.columns.values() for c in column):
                self._note("ended with other columns of the species")
            self._end("all_arrived")

    def _fault(self, column: list[str]) -> str:
        if not one_species(column):
            return "several species"
        return "increasing" if not never_increasing(column) else "wrong length"

    def _clear_rest(self, seat: int, letter: str) -> None:
        """All that the player still has of the species that just arrived (rules 6)."""
        columns = self.players[seat].columns
        for slot in sorted(columns):
            column = columns[slot]
            if self.options["rules"] == "digital":
                gone = column if visible_species(column) == letter else []
                if not gone and any(species(card) == letter for card in column):
                    self._note("digital: hidden column of the species stays")
                if any(is_night(card) for card in gone):
                    self._note("digital: cleared column with a night card")
            else:
                gone = [card for card in column if species(card) == letter]
            if gone:
                self._note(f"{self.options['rules']}: rest cleared")
                if "?" in looks(gone) and self.options["rules"] == "opla":
                    self._note("opla: face-down card cleared")
                if len(gone) < len(column):
                    self._note("opla: part of a column cleared")
            self.discard_pile += gone
            columns[slot] = [] if gone is column else [card for card in column if card not in gone]
            if not columns[slot]:
                del columns[slot]

    def _danger(self, seat: int, document: Json) -> None:
        me, other = self.players[seat], self.players[1 - seat]
        me.hand.remove(document["card"])
        self.discard_pile.append(document["card"])
        before = other.score()
        source = self._target_cards(1 - seat, document["target"])
        card = source.pop()
        me.hand.append(card)
        where = "column" if "slot" in document["target"] else "pile"
        self._note(f"{document['card']} takes {'night' if is_night(card) else 'day'} card of a {where}")
        if other.score() > before:
            self._note("victim's score rises")
        if not source:
            self._note("last card of a column stolen")
            del other.columns[document["target"]["slot"]]

    def _target_cards(self, victim: int, target: Json) -> list[str]:
        player = self.players[victim]
        if "slot" in target:
            return player.columns[target["slot"]]
        return next(pile for letter, pile in player.piles.items() if NAMES[letter] == target["pile"])

    def _discard(self, seat: int, card: str) -> None:
        self.players[seat].hand.remove(card)
        self.discard_pile.append(card)
        self._refill(seat)
        self._end_turn()

    def _refill(self, seat: int) -> None:
        """Rules 4.4, rulings R3 and R4."""
        hand = self.players[seat].hand
        for n in range(HAND - len(hand)):
            if not self.deck:
                if not self.discard_pile:
                    self._note("R4 fewer cards")
                    return
                self._note("R3 reshuffle" + (" between two draws" if n else ""))
                order = self._shuffle(list(self.discard_pile))
                if order is not None and Counter(order) != Counter(self.discard_pile):
                    raise ModelError(f"the new deck {order} is not the old discard pile {self.discard_pile}")
                self.deck_is_ordered = order is not None
                self.deck = order or self.discard_pile
                self.discard_pile = []
            hand.append(self._top_card(hand))

    def _top_card(self, hand: list[str]) -> str:
        if self.deck_is_ordered:
            return self.deck.pop(0)
        drawn = list(self._hand_after or [])
        for card in hand:
            if card in drawn:
                drawn.remove(card)
        for card in drawn:  # in the order shown, which tells how the hand will lie on the discard pile
            if card in self.deck:
                self.deck.remove(card)
                return card
        raise ModelError(f"hand {hand} became {self._hand_after}, but the deck holds {sorted(self.deck)}")

    def _end_turn(self) -> None:
        self.phase = "action"
        if self.turn == self.options["turn_limit"]:  # ruling R10
            self._end("turn_limit")
            return
        self.turn += 1
        self.to_act = 1 - (self.to_act or 0)

    def _end(self, reason: str, winner: int | None = None) -> None:
        scores = [player.score() for player in self.players]
        if reason != "resigned" and scores[0] != scores[1]:
            winner = scores.index(max(scores))
        self.result = {"winner": winner, "reason": reason, "scores": scores}
        self.to_act = None
        self._note(f"end: {reason}" + (", a draw (R9)" if winner is None else ""))

    def _note(self, what: str) -> None:
        self.seen[what] += 1
        self.story.append(f"    {what}")

    # --- what is seen ---

    def view(self, viewer: int | None) -> Json:
        """Rules 9, in the shape of the contract's `state`; `deck_cards` is the engine's word for the deck's faces."""
        over = {"deck_cards": list(self.deck)} if self.result is not None else {}
        return {
            **over,
            "phase": self.phase,
            "deck": len(self.deck),
            "discard_pile": list(self.discard_pile),
            "players": [self._player_view(seat, viewer) for seat in (0, 1)],
        }

    def _player_view(self, seat: int, viewer: int | None) -> Json:
        player, over = self.players[seat], self.result is not None
        knows_nights = over or (seat == viewer and self.options["memory_aid"])
        return {
            "seat": seat,
            "hand": list(player.hand) if over or seat == viewer else None,
            "hand_size": len(player.hand),
            "score": player.score(),
            "columns": [
                {
                    "slot": slot,
                    "cards": [
                        {"face": card if knows_nights or not is_night(card) else None, "down": is_night(card)}
                        for card in player.columns[slot]
                    ],
                }
                for slot in sorted(player.columns)
            ],
            "arrivals": {NAMES[letter]: list(pile) for letter, pile in player.piles.items()},
            "return_flights": [NAMES[letter] for letter in player.flights],
        }

    def picture(self) -> list[str]:
        """The whole table, for people."""
        lines = [
            f"turn {self.turn}, {self.phase}, to act: {self.to_act}, result: {self.result}",
            f"deck ({len(self.deck)}): {' '.join(self.deck[:8])} ...",
            f"discard pile: {' '.join(self.discard_pile)}",
            f"return flights on the table: {self.flights_on_table}",
        ]
        lines += [f"seat {seat}: {player}" for seat, player in enumerate(self.players)]
        return lines


def looks(column: Sequence[str]) -> tuple[str, ...]:
    """The column as everybody sees it."""
    return tuple("?" if is_night(card) else card for card in column)


def visible_species(column: Sequence[str]) -> str | None:
    """The species that a day card tells, if one is visible (a possible column shows no second species)."""
    for card in column:
        if not is_night(card):
            return species(card)
    return None
