"""Migo read a second time, as naively as possible: lists, coordinates and counters.

Nothing here is clever, fast or shared with the engine; it is written from the rules' text alone, so that a misreading
in either place shows as a difference. Moves, views and events are shaped as in the HTTP contract.
"""

from collections import Counter
from typing import Any

Json = dict[str, Any]
Where = tuple[int, int, int]  # which rope or pyramid, how deep, how far from the left in half cards

TWO: dict[str, list[Any]] = {
    "ropes": [6, 5, 4, 3],
    "pyramid": [[6, 5, 4, 3]],
    "pyramids": [[3, 2, 1], [3, 2, 1], [3, 2, 1]],
}
MORE: dict[str, list[Any]] = {
    "ropes": [7, 6, 5, 4, 3],
    "pyramid": [[7, 6, 5, 4, 3]],
    "pyramids": [[4, 3, 2], [3, 2, 1], [4, 3, 2]],
}
MAJORITIES = ["rope", "crampons", "ice_axe", "carabiner"]


class ModelError(Exception):
    """The model was told something that cannot be."""


def places_of(layout: str, shape: list[Any]) -> list[Where]:
    """The position of each place, in the order of the numbers (rules 6)."""
    where = []
    for number, part in enumerate(shape):
        if layout == "ropes":
            where += [(number, depth, 0) for depth in range(part)]
        else:
            for depth, width in enumerate(part):
                where += [(number, depth, 2 * at + depth) for at in range(width)]
    return where


def lies_over(one: Where, other: Where, layout: str) -> bool:
    """True if the card at `one` covers that at `other`: next in the rope, or half a card to a side one row further."""
    if one[0] != other[0] or one[1] != other[1] + 1:
        return False
    return layout == "ropes" or abs(one[2] - other[2]) == 1


class Player:
    def __init__(self) -> None:
        self.cards: list[str] = []
        self.full = 0
        self.empty = 0
        self.flags = 0
        self.resigned = False


class Model:
    """One game. `faces` is what the faces show, "E07a": ("rope", 1); `rounds` what was prepared."""

    def __init__(
        self, options: Json, seats: int, faces: dict[str, tuple[str, int]], rounds: list[list[str]]
    ) -> None:
        self.options = options
        self.faces = faces
        self.prepared = list(rounds)
        self.players = [Player() for _ in range(seats)]
        self.round = 0
        self.layout = ""
        self.starter = 0
        self.where: list[Where] = []
        self.table: dict[int, str] = {}
        self.to_act: int | None = None
        self.takes = 0
        self.order: list[int] = []  # who took a card in this round, in turn
        self.gone: list[str] = []  # what was discarded in this round
        self.ended: list[Json] = []
        self.resignations: list[int] = []
        self.result: Json | None = None

    # --- what the contract shows

    def view(self) -> Json:
        running = self.scores()
        return {
            "phase": "take",
            "round": self.round,
            "layout": self.layout,
            "starter": self.starter,
            "table": [
                {"place": place, **self.card(face), "free": self.is_free(place)}
                for place, face in sorted(self.table.items())
            ],
            "bottles": self.tokens(),
            "players": [
                {
                    "seat": seat,
                    "flags": player.flags,
                    "score": running[seat],
                    "resigned": player.resigned,
                    "bottles": {"full": player.full, "empty": player.empty},
                    "cards": [self.card(face) for face in player.cards],
                }
                for seat, player in enumerate(self.players)
            ],
            "rounds": self.ended,
        }

    def card(self, face: str) -> Json:
        return {
            "card": face[:3],
            "face": face[3],
            "up": self.shown(face),
            "down": self.shown(other_side(face)),
        }

    def shown(self, face: str) -> Json:
        kind, count = self.faces[face]
        return {"kind": kind, "count": count}

    def kind(self, face: str) -> str:
        return self.faces[face][0]

    def tokens(self) -> int:
        return 3 - sum(player.full + player.empty for player in self.players)

    def is_free(self, place: int) -> bool:
        return not any(lies_over(self.where[p], self.where[place], self.layout) for p in self.table)

    def legal(self, seat: int) -> list[Json]:
        """An entry for each choice (rules 6)."""
        if seat != self.to_act:
            return []
        me, documents = self.players[seat], []
        for place, face in sorted(self.table.items()):
            if not self.is_free(place):
                continue
            document: Json = {"type": "take", "place": place}
            choices = [document]
            if self.kind(face) == "sherpa":
                own = [card[:3] for card in me.cards if self.kind(other_side(card)) != "sherpa"]
                choices = [{**document, "flip": flip} for flip in [None, *own]]
            if me.full >= 1 and len(self.table) >= 2:
                choices = [{**choice, "drink": drink} for choice in choices for drink in (False, True)]
            documents += choices
        return documents

    # --- a round

    def lay_out(self, cards: list[str] | None) -> None:
        """The next round: as it was prepared, or `cards` as they were shuffled."""
        self.round += 1
        names = ["ropes", "pyramid", "pyramids", self.options["round4_layout"]]
        self.layout = names[self.round - 1]
        small = len(self.players) == 2 and self.options["layout_size"] == "standard"
        self.where = places_of(self.layout, (TWO if small else MORE)[self.layout])
        cards = list(self.prepared.pop(0)) if self.prepared else list(cards or [])
        if len(cards) != len(self.where) or len({card[:3] for card in cards}) != len(cards):
            raise ModelError("these are not the cards of a layout")
        self.table = dict(enumerate(cards))
        for place in [place for place in self.table if self.is_free(place)]:
            if self.kind(self.table[place]) == "sherpa":
                self.table[place] = other_side(self.table[place])
        for player in self.players:
            player.cards, player.full, player.empty = [], 0, 0
        self.order, self.gone = [], []
        self.to_act = self.starter

    def start(self, first_seat: int, cards: list[str] | None) -> None:
        self.starter = first_seat
        self.lay_out(cards)

    def take(self, document: Json) -> list[tuple[str, int | None]]:
        """A legal move; the types of what happened, and whose they are. A next round is laid out by `lay_out`."""
        assert self.to_act is not None
        seat, me = self.to_act, self.players[self.to_act]
        face = self.table.pop(document["place"])
        happened: list[tuple[str, int | None]] = [("card_taken", seat)]
        self.takes += 1
        self.order.append(seat)
        tokens = self.tokens()
        bottle_up = False
        if self.kind(face) == "sherpa":
            happened.append(("sherpa_dismissed", seat))
            self.gone.append(face)
            if document.get("flip"):
                at = [card[:3] for card in me.cards].index(document["flip"])
                me.cards[at] = other_side(me.cards[at])
                happened.append(("card_flipped", seat))
                bottle_up = self.kind(me.cards[at]) == "bottle"
        else:
            me.cards.append(face)
            bottle_up = self.kind(face) == "bottle"
        if bottle_up and tokens > 0:
            me.full += 1
            happened.append(("bottle_gained", seat))
        if document.get("drink"):
            me.full -= 1
            me.empty += 1
            happened.append(("bottle_drunk", seat))
        else:
            self.pass_turn()
        return happened + self.aftermath()

    def pass_turn(self) -> None:
        assert self.to_act is not None
        self.to_act = (self.to_act + 1) % len(self.players)
        while self.players[self.to_act].resigned:
            self.to_act = (self.to_act + 1) % len(self.players)

    def aftermath(self) -> list[tuple[str, int | None]]:
        """The end of the round and of the game; the last one is "round_started" if a next round is to be laid out."""
        happened: list[tuple[str, int | None]] = []
        if not self.table:
            happened.append(("round_ended", None))
            self.end_round()
            champions = [s for s in self.playing() if self.players[s].flags >= 2]
            last = 3 if len(self.players) == 2 else 4
            if champions:
                self.finish(champions[0], "two_flags")
            elif self.round == last:
                self.finish(self.ended[-1]["winner"], "round_four")
        if self.result is None and self.takes == self.options["turn_limit"]:
            self.finish(None, "turn_limit")
        if self.result is not None:
            return [*happened, ("game_ended", None)]
        if not self.table:
            happened.append(("round_started", None))
        return happened

    def end_round(self) -> None:
        scores = self.scores()
        best = max(scores[seat] for seat in self.playing())
        tied = [seat for seat in self.playing() if scores[seat] == best]
        winner = [seat for seat in self.order if seat in tied][-1]
        self.players[winner].flags += 1
        row = {"round": self.round, "layout": self.layout, "scores": scores, "winner": winner}
        self.ended.append(row)
        seats = len(self.players)
        after = [(self.starter + step) % seats for step in range(1, seats + 1)]
        low = min(scores[seat] for seat in self.playing())
        self.starter_next = next(seat for seat in after if seat in self.playing() and scores[seat] == low)

    def next_round(self, cards: list[str] | None) -> None:
        self.starter = self.starter_next
        self.lay_out(cards)

    def playing(self) -> list[int]:
        return [seat for seat, player in enumerate(self.players) if not player.resigned]

    def scores(self) -> list[int]:
        """Rules 4."""
        counts: list[Counter[str]] = []
        for player in self.players:
            count: Counter[str] = Counter()
            for face in player.cards:
                count[self.kind(face)] += self.faces[face][1]
            counts.append(count)
        scores = []
        for seat, player in enumerate(self.players):
            score = sum(counts[seat][kind] for kind in MAJORITIES)
            score += 2 * counts[seat]["hat"] - 2 * player.empty
            for kind in MAJORITIES:
                most = max(counts[other][kind] for other in self.playing())
                tied = [other for other in self.playing() if counts[other][kind] == most]
                if most >= 1 and seat in tied:
                    if len(tied) == 1:
                        score += 4
                    elif len(tied) == 2 and len(self.players) >= 3:
                        score += 2
            scores.append(score)
        return scores

    # --- the end

    def resign(self, seat: int) -> list[tuple[str, int | None]]:
        """Ruling M8."""
        player = self.players[seat]
        player.resigned = True
        self.resignations.append(seat)
        if len(self.players) > 2:
            self.gone += player.cards
            player.cards = []
        if len(self.playing()) == 1:
            self.finish(self.playing()[0], "resigned")
            return [("player_resigned", seat), ("game_ended", None)]
        if self.to_act == seat:
            self.pass_turn()
        return [("player_resigned", seat)]

    def sums(self) -> list[int]:
        """Of all rounds, the running one included."""
        sums = [sum(row["scores"][seat] for row in self.ended) for seat in range(len(self.players))]
        if len(self.ended) < self.round:
            sums = [one + other for one, other in zip(sums, self.scores(), strict=True)]
        return sums

    def finish(self, winner: int | None, reason: str) -> None:
        """Ruling M11: the winner, the others by flags and sums, then those who resigned, the last one first."""
        sums, flags = self.sums(), [player.flags for player in self.players]
        others = [seat for seat in self.playing() if seat != winner]
        groups: list[list[int]] = [] if winner is None else [[winner]]
        ranks = sorted({(flags[seat], sums[seat]) for seat in others}, reverse=True)
        groups += [[seat for seat in others if (flags[seat], sums[seat]) == rank] for rank in ranks]
        groups += [[seat] for seat in reversed(self.resignations)]
        places, place = [0] * len(self.players), 1
        for group in groups:
            for seat in group:
                places[seat] = place
            place += len(group)
        first = [seat for seat, place in enumerate(places) if place == 1]
        self.result = {
            "winner": first[0] if len(first) == 1 else None,
            "places": places,
            "reason": reason,
            "flags": flags,
            "scores": sums,
        }
        self.to_act = None


def other_side(face: str) -> str:
    """The name of the card's other face."""
    return face[:3] + ("b" if face[3] == "a" else "a")
