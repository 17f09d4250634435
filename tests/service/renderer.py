"""A small renderer of Migrato: the state of a view, from events alone.

It is written from docs/reference/events.md, and uses nothing of the engine.
"""

from typing import Any

Json = dict[str, Any]
SPECIES = ("brant_goose", "black_kite", "stilt", "bee_eater", "teal")  # the order of `return_flights`
Card = str | None  # a face; None for one that the viewer does not know, which lies face down


class Renderer:
    """Knowledge of a viewer from the events that it was shown; `viewer` is a seat, or None."""

    def __init__(self, viewer: int | None) -> None:
        self.viewer = viewer
        self.started = self.over = False
        self.options: Json = {}
        self.phase, self.turn = "action", 0
        self.to_act: int | None = None
        self.deck: list[str] | None = None
        self.deck_size = 0
        self.discard_pile: list[str] = []
        self.hands: list[list[str] | None] = [None, None]
        self.hand_sizes = [0, 0]
        self.columns: list[dict[int, list[Card]]] = [{}, {}]
        self.piles: list[dict[str, list[str]]] = [{}, {}]
        self.flights: list[set[str]] = [set(), set()]

    def see(self, event: Json) -> None:
        """One more event, in the order of the game."""
        getattr(self, event["type"])(event["seat"], event["data"])

    @property
    def turn_shown(self) -> int:
        """The turn as a view has it."""
        limit = self.options["turn_limit"] or self.options["turn_cap"]
        return min(self.turn, int(limit))

    @property
    def state(self) -> Json | None:
        """The member `state` of the view."""
        if not self.started:
            return None
        state: Json = {
            "phase": self.phase,
            "deck": self.deck_size,
            "discard_pile": self.discard_pile,
            "players": [self._side(seat) for seat in (0, 1)],
        }
        if self.over:
            state["deck_cards"] = self.deck
        return state

    def _side(self, seat: int) -> Json:
        faces_known = self.over or (seat == self.viewer and self.options["memory_aid"])
        return {
            "seat": seat,
            "hand": self.hands[seat] if self.over or seat == self.viewer else None,
            "hand_size": self.hand_sizes[seat],
            "score": self._score(seat),
            "columns": [
                {"slot": slot, "cards": [_laid(card, faces_known) for card in cards]}
                for slot, cards in sorted(self.columns[seat].items())
                if cards
            ],
            "arrivals": {species: pile for species, pile in self.piles[seat].items() if pile},
            "return_flights": [species for species in SPECIES if species in self.flights[seat]],
        }

    def _score(self, seat: int) -> int:
        points: dict[str, int] = self.options["flight_points"]
        birds = sum(int(pile[-1][1]) for pile in self.piles[seat].values() if pile)
        return birds + sum(points[species] for species in self.flights[seat])

    # --- what every game may record

    def game_created(self, seat: None, data: Json) -> None:
        self.options = data["options"]

    def seat_taken(self, seat: int, data: Json) -> None: ...
    def move_chosen(self, seat: int, data: Json) -> None: ...
    def hint_given(self, seat: int, data: Json) -> None: ...
    def game_forked(self, seat: int, data: Json) -> None: ...
    def seat_token_reissued(self, seat: int, data: Json) -> None: ...
    def game_adjudicated(self, seat: None, data: Json) -> None: ...
    def seat_handed_over(self, seat: int, data: Json) -> None: ...
    def player_replaced(self, seat: int, data: Json) -> None: ...
    def clock_set(self, seat: int, data: Json) -> None: ...
    def turn_timed_out(self, seat: int, data: Json) -> None: ...
    def clock_credited(self, seat: int, data: Json) -> None: ...
    def takeback_requested(self, seat: int, data: Json) -> None: ...
    def takeback_answered(self, seat: int, data: Json) -> None: ...
    def player_resigned(self, seat: int, data: Json) -> None: ...
    def game_scored(self, seat: None, data: Json) -> None: ...

    def game_ended(self, seat: None, data: Json) -> None:
        self.over, self.phase, self.to_act = True, "action", None

    game_aborted = game_ended

    # --- beginnings

    def game_started(self, seat: None, data: Json) -> None:
        self.started, self.to_act, self.turn = True, data["first_seat"], 1
        self.hands = [hand and list(hand) for hand in data["hands"]]
        self.hand_sizes = [3, 3]
        self.deck_size = sum(self.options["deck_list"].values()) - 6
        self.deck = data["deck"] and data["deck"][6:]

    def position_set(self, seat: None, data: Json) -> None:
        self.started, self.to_act, self.turn, self.phase = True, data["to_act"], data["turn"], data["phase"]
        self.deck, self.deck_size = data["deck"], data["count"]
        self.discard_pile = list(data["discard_pile"])
        self.hands = [None if hand is None else list(hand) for hand in data["hands"]]
        self.hand_sizes = list(data["hand_sizes"])
        self.columns = [
            {column["slot"]: [card["face"] for card in column["cards"]] for column in columns}
            for columns in data["columns"]
        ]
        self.piles = [{species: list(pile) for species, pile in piles.items()} for piles in data["arrivals"]]
        self.flights = [set(species) for species in data["return_flights"]]

    def moves_taken_back(self, seat: int, data: Json) -> None:
        self.position_set(None, data)

    # --- a turn

    def bird_played(self, seat: int, data: Json) -> None:
        self._leaves_hand(seat, data["card"])
        self.columns[seat].setdefault(data["slot"], []).append(data["card"])
        self.phase = "discard"

    def cards_moved(self, seat: int, data: Json) -> None:
        source = self.columns[seat][data["from"]]
        self.columns[seat].setdefault(data["to"], []).extend(source[data["index"] :])
        del source[data["index"] :]
        self.phase = "discard"

    def danger_played(self, seat: int, data: Json) -> None:
        self._leaves_hand(seat, data["danger"])
        self.discard_pile.append(data["danger"])
        target = data["target"]
        other = 1 - seat
        (self.columns[other][target["slot"]] if "slot" in target else self.piles[other][target["pile"]]).pop()
        self._joins_hand(seat, [data["card"]], 1)
        self.phase = "discard"

    def birds_arrived(self, seat: int, data: Json) -> None:
        del self.columns[seat][data["slot"]]
        self.piles[seat][data["species"]] = list(data["cards"])
        self.phase = "discard"

    def arrival_failed(self, seat: int, data: Json) -> None:
        del self.columns[seat][data["slot"]]
        self.discard_pile += data["cards"]
        self.phase = "discard"

    def return_flight_taken(self, seat: int, data: Json) -> None:
        self.arrival_failed(seat, data)
        self.flights[seat].add(data["species"])

    def column_discarded(self, seat: int, data: Json) -> None:
        column = self.columns[seat][data["slot"]]
        self.columns[seat][data["slot"]] = [c for at, c in enumerate(column) if at not in data["places"]]
        self.discard_pile += data["cards"]
        if data["abandoned"]:
            self._turn_over(seat)

    def card_discarded(self, seat: int, data: Json) -> None:
        self._leaves_hand(seat, data["card"])
        self.discard_pile.append(data["card"])
        self.phase = "discard"

    def hand_exchanged(self, seat: int, data: Json) -> None:
        self.hand_sizes[seat] = 0
        if self.hands[seat] is not None:
            self.hands[seat] = []
        self.discard_pile += data["cards"]
        self.phase = "discard"

    def cards_drawn(self, seat: int, data: Json) -> None:
        self._joins_hand(seat, data["cards"], data["count"])
        self.deck_size -= data["count"]
        self.deck = self.deck and self.deck[data["count"] :]
        if self.hand_sizes[seat] == 3 or not (self.deck_size or self.discard_pile):
            self._turn_over(seat)

    def deck_reshuffled(self, seat: None, data: Json) -> None:
        self.deck, self.deck_size, self.discard_pile = data["deck"], data["count"], []

    def turn_passed(self, seat: int, data: Json) -> None:
        self._turn_over(seat)

    def _leaves_hand(self, seat: int, card: Card) -> None:
        self.hand_sizes[seat] -= 1
        hand = self.hands[seat]
        if hand is not None and card is not None:
            hand.remove(card)

    def _joins_hand(self, seat: int, cards: list[Card] | None, number: int) -> None:
        self.hand_sizes[seat] += number
        hand = self.hands[seat]
        if hand is not None:
            hand += [card for card in cards or () if card is not None]

    def _turn_over(self, seat: int) -> None:
        self.phase, self.to_act, self.turn = "action", 1 - seat, self.turn + 1


def _laid(card: Card, faces_known: bool) -> Json:
    down = card is None or card.endswith("n")
    return {"face": None if down and not faces_known else card, "down": down}
