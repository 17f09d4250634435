"""Play games of Migo twice, by the engine and by the model, and compare all that can be seen after every move."""

from random import Random
from typing import Any

from domain.errors import DomainError
from domain.lifecycle import Create, EventRecord, Seat
from domain.migo.game import MIGO
from tests.model.differential import SeededShuffles
from tests.model.migo_model import MORE, TWO, Json, Model, other_side, places_of

CARDS = [f"E{number:02}" for number in range(1, 26)]


def random_options(rng: Random, seats: int) -> Json:
    """One choice of every option, sometimes left to the default."""
    options: Json = {
        "layout_size": rng.choice(["standard", "large"]),
        "first_seat": rng.choice([*range(seats), "random"]),
        "round4_layout": rng.choice(["ropes", "pyramid", "pyramids"]),
        "turn_limit": rng.choice([None] * 6 + [1, 18, 25, 30, 43]),
    }
    options = {name: value for name, value in options.items() if rng.random() < 0.8}
    if rng.random() < 0.25:
        options["card_table"] = random_table(rng)
    return options


def random_table(rng: Random) -> Json:
    """Any 25 cards with climbers on their fronts, with many bottles, many sherpas or many doubles."""
    kinds = ["rope", "crampons", "ice_axe", "carabiner", "hat", "bottle"]
    kinds += rng.choices(["bottle", "rope", "hat"], k=2)
    backs = kinds + ["sherpa"] * rng.choice([0, 1, 6])

    def face(kinds: list[str]) -> Json:
        kind = rng.choice(kinds)
        return {"kind": kind, "count": 0 if kind == "sherpa" else rng.choice([1, 1, 2, 3])}

    return {card: {"a": face(kinds), "b": face(backs)} for card in CARDS}


def random_rounds(rng: Random, options: Json, seats: int) -> list[list[str]] | None:
    """The first rounds prepared, or none."""
    number = rng.choice([0, 0, 1, 2, 3 if seats == 2 else 4])
    names = ["ropes", "pyramid", "pyramids", options.get("round4_layout", "ropes")][:number]
    shapes = TWO if seats == 2 and options.get("layout_size", "standard") == "standard" else MORE
    rounds = []
    for name in names:
        cards = rng.sample(CARDS, len(places_of(name, shapes[name])))
        rounds.append([card + rng.choice("abb") for card in cards])
    return rounds or None


class Lockstep:
    """One game, driven at random; every difference is an AssertionError that tells the game's seed."""

    def __init__(self, seed: int, seats: int) -> None:
        self.rng = Random(f"migo {seats} {seed}")
        self.label = f"game {seed} of {seats} seats"
        self.seats = seats
        self.chance = SeededShuffles(self.rng)
        self.wild = self.rng.choice([0.0, 0.0, 0.01, 0.05])  # how often somebody resigns
        options = random_options(self.rng, seats)
        rounds = random_rounds(self.rng, options, seats)
        setup = None if rounds is None else {"rounds": rounds}
        people = tuple(Seat("human", f"p{seat}") for seat in range(seats))
        self.state = MIGO.initial()
        self.seen: list[tuple[str, int]] = []
        records = self.happen(None, Create("model", "0" * 64, options, people, setup))
        resolved = MIGO.status(self.state).options
        faces = {
            card + side: (shown["kind"], shown["count"])
            for card, sides in resolved["card_table"].items()
            for side, shown in sides.items()
        }
        self.model = Model(resolved, seats, faces, rounds or [])
        kinds = [record.type for record in records]
        assert kinds == ["game_created", "game_started", "round_started"], self.label
        first, laid = records[1].data["first_seat"], records[2].data
        assert resolved["first_seat"] in (first, "random"), self.label
        self.model.start(first, laid["cards"])
        self.check_round(laid)
        self.compare()

    def happen(self, seat: int | None, command: Any) -> list[EventRecord]:
        """The command's events, as they are stored and read again."""
        records = []
        for event in MIGO.decide(self.state, seat, command, self.chance):
            record = MIGO.encode(event)
            assert MIGO.decode(record) == event, self.label
            self.state = MIGO.evolve(self.state, event)
            assert MIGO.conservation_fault(self.state) is None, self.label
            records.append(record)
        return records

    def play(self) -> Model:
        """To the end."""
        while self.model.result is None:
            self.step()
        assert MIGO.status(self.state).to_act is None
        return self.model

    def step(self) -> None:
        """A random move, now and then a refused one before it."""
        model, rng = self.model, self.rng
        assert model.to_act is not None
        if rng.random() < self.wild:
            seat = rng.choice(model.playing())
            records = self.happen(seat, MIGO.parse_move({"type": "resign"}))
            expected = model.resign(seat)
            self.check_events(records, expected)
            return
        if rng.random() < 0.2:
            self.refused()
        legal = model.legal(model.to_act)
        document = rng.choice(legal)
        drinks = [one for one in legal if one.get("drink")]
        flips = [one for one in legal if one.get("flip")]
        if drinks and rng.random() < 0.5:
            document = rng.choice(drinks)
        elif flips and rng.random() < 0.5:
            document = rng.choice(flips)
        left_out = {
            name: value for name, value in document.items() if value not in (None, False) or name == "place"
        }
        posted = left_out if rng.random() < 0.5 else document
        seat = model.to_act
        before = dict(model.table)
        records = self.happen(seat, MIGO.parse_move(posted))
        face = before[document["place"]]
        taken = {"place": document["place"], "card": face[:3], "face": face[3]}
        assert records[0].data == taken, self.label
        self.check_events(records, model.take(document))

    def check_events(self, records: list[EventRecord], expected: list[tuple[str, int | None]]) -> None:
        """The same things happened, and lead to the same table."""
        assert [(record.type, record.seat) for record in records] == expected, self.label
        by_type = {record.type: record.data for record in records}
        model = self.model
        if "round_ended" in by_type:
            row = model.ended[-1]
            wanted = {name: row[name] for name in ("round", "scores", "winner")}
            assert by_type["round_ended"] == wanted, self.label
        if "round_started" in by_type:
            self.check_halves(by_type["round_started"])
            model.next_round(by_type["round_started"]["cards"])
            self.check_round(by_type["round_started"])
        if model.result is not None:
            ended = {name: value for name, value in model.result.items() if name != "winner"}
            assert by_type["game_ended"] == ended, self.label
        self.compare()

    def check_round(self, laid: Json) -> None:
        """The engine says of the new round what the model lays out."""
        model = self.model
        assert laid["cards"] == [model.table[place] for place in range(len(model.table))], self.label
        told = [laid[name] for name in ("round", "layout", "starter")]
        assert told == [model.round, model.layout, model.starter], self.label
        assert sorted(face[:3] for face in laid["cards"] + laid["boxed"]) == CARDS, self.label
        self.boxed = laid["boxed"]

    def check_halves(self, laid: Json) -> None:
        """Half of the last round's cards were turned over, and none from the box, where nothing was prepared."""
        model = self.model
        if model.prepared:
            return
        used = [*model.gone, *[face for player in model.players for face in player.cards]]
        drawn = {face[:3]: face for face in laid["cards"] + laid["boxed"]}
        for card in laid["turned"]:
            drawn[card] = other_side(drawn[card])
        turned = [face for face in used if drawn[face[:3]] != face]
        assert len(turned) == len(used) // 2, self.label
        assert all(drawn[face[:3]] == face for face in self.boxed), self.label

    def refused(self) -> None:
        """A document that is not in the list is refused, and changes nothing."""
        rng, model = self.rng, self.model
        assert model.to_act is not None
        document: Json = {"type": "take", "place": rng.randrange(27)}
        if rng.random() < 0.5:
            document["flip"] = rng.choice([None, *CARDS])
        if rng.random() < 0.5:
            document["drink"] = rng.choice([False, True])
        seat = rng.randrange(self.seats)
        legal = seat == model.to_act and any(same_meaning(document, one) for one in model.legal(seat))
        error: DomainError | None = None
        try:
            MIGO.decide(self.state, seat, MIGO.parse_move(document), self.chance)
        except DomainError as refused:
            error = refused
        assert legal == (error is None), f"{self.label}: {document}: {error}"
        if error is not None:
            assert error.code == ("illegal-move" if seat == model.to_act else "not-your-turn"), self.label
            assert error.rule or error.code == "not-your-turn", self.label

    def compare(self) -> None:
        """Compare all that can be seen."""
        model, status = self.model, MIGO.status(self.state)
        for viewer in (None, *range(self.seats)):
            assert MIGO.view(self.state, viewer) == model.view(), self.label
        assert status.to_act == model.to_act, self.label
        for seat in range(self.seats):
            assert MIGO.legal_moves(self.state, seat) == model.legal(seat), self.label
        found = status.result
        assert (found is None) == (model.result is None), self.label
        if found is not None and model.result is not None:
            assert found.winner == model.result["winner"], self.label
            assert list(found.places) == model.result["places"], self.label
            assert (found.reason, list(found.scores)) == (model.result["reason"], model.result["scores"])
            view = MIGO.view(self.state, None)
            assert view is not None
            assert MIGO.view_scores(view) == list(found.scores), self.label


def same_meaning(one: Json, other: Json) -> bool:
    """Absent means null and false (rules 6)."""
    meaning = ("flip", None), ("drink", False)
    return one["place"] == other["place"] and all(
        one.get(name, default) == other.get(name, default) for name, default in meaning
    )
