"""The table follows from the events alone, as their reference says: at every version it is what a view shows."""

from random import Random
from typing import Any

import pytest

from tests.service.migo.conftest import Seat
from tests.service.migo.naive import Naive, covering, other, shown
from tests.service.migo.table import MigoTable, people
from tests.service.table import json_of

Json = dict[str, Any]


class Rendered:
    """A table that is changed by events, by nothing but the texts of their reference."""

    def __init__(self, created: Json) -> None:
        self.seats = len(created["seats"])
        self.size = 2 if self.seats == 2 and created["options"]["layout_size"] == "standard" else 4
        self.layouts = ["ropes", "pyramid", "pyramids", created["options"]["round4_layout"]]
        self.flags = [0] * self.seats
        self.resigned: set[int] = set()
        self.rounds: list[Json] = []
        self.to_act: int | None = None

    def lay_out(self, number: int, starter: int, table: dict[int, str]) -> None:
        """The cards of a round."""
        self.round, self.starter, self.to_act, self.table = number, starter, starter, table
        self.layout = self.layouts[number - 1]
        self.full, self.empty = [0] * self.seats, [0] * self.seats
        self.cards: list[list[str]] = [[] for _ in range(self.seats)]

    def after(self, seat: int) -> int:
        """The next one that plays."""
        order = [(seat + step) % self.seats for step in range(1, self.seats + 1)]
        return next(one for one in order if one not in self.resigned)

    def apply(self, event: Json) -> None:
        """What has happened."""
        kind, seat, data = event["type"], event["seat"], event["data"]
        match kind:
            case "round_started":
                self.lay_out(data["round"], data["starter"], dict(enumerate(data["cards"])))
            case "position_set":
                lying = {place: name for place, name in enumerate(data["table"]) if name is not None}
                self.lay_out(data["round"], data["starter"], lying)
                self.to_act = data["to_act"]
                self.cards = [list(player["cards"]) for player in data["players"]]
                self.full = [player["bottles"]["full"] for player in data["players"]]
                self.empty = [player["bottles"]["empty"] for player in data["players"]]
                self.flags = [player["flags"] for player in data["players"]]
                self.resigned = set(data["resigned"])
                self.rounds = [
                    {"round": number, "layout": self.layouts[number - 1], **ended}
                    for number, ended in enumerate(data["rounds"], 1)
                ]
            case "card_taken":
                name = self.table.pop(data["place"])
                assert name == data["card"] + data["face"]
                self.cards[seat].append(name)
                self.to_act = self.after(seat)
            case "bottle_gained":
                self.full[seat] += 1
            case "sherpa_dismissed":
                assert self.cards[seat].pop()[:3] == data["card"]
            case "card_flipped":
                at = [name[:3] for name in self.cards[seat]].index(data["card"])
                self.cards[seat][at] = other(self.cards[seat][at])
                assert self.cards[seat][at][3] == data["face"]
            case "bottle_drunk":
                self.full[seat] -= 1
                self.empty[seat] += 1
                self.to_act = seat
            case "round_ended":
                self.flags[data["winner"]] += 1
                self.rounds.append({"layout": self.layout, **data})
            case "player_resigned":
                self.resigned.add(seat)
                if self.seats > 2:
                    self.cards[seat] = []
                if self.to_act == seat:
                    self.to_act = self.after(seat)
            case "game_ended":
                self.to_act = None

    def state(self, scoring: Naive) -> Json:
        """As a view shows it; `scoring` knows how cards count."""
        scoring.cards, scoring.empty, scoring.resigned = self.cards, self.empty, list(self.resigned)
        over, scores = covering(self.layout, self.size), scoring.scores()
        return {
            "phase": "take",
            "round": self.round,
            "layout": self.layout,
            "starter": self.starter,
            "table": [
                {"place": place, **shown(name), "free": not over[place] & self.table.keys()}
                for place, name in sorted(self.table.items())
            ],
            "bottles": 3 - sum(self.full) - sum(self.empty),
            "players": [
                {
                    "seat": seat,
                    "flags": self.flags[seat],
                    "score": scores[seat],
                    "resigned": seat in self.resigned,
                    "bottles": {"full": self.full[seat], "empty": self.empty[seat]},
                    "cards": [shown(name) for name in self.cards[seat]],
                }
                for seat in range(self.seats)
            ],
            "rounds": self.rounds,
        }


def hold(table: MigoTable) -> None:
    """Every step of the replay."""
    rendered: Rendered | None = None
    after: int | None = 0
    while after is not None:
        page = table.get(f"/replay?limit=100&after={after}")
        for item in page["items"]:
            for event in item["events"]:
                rendered = rendered or Rendered(event["data"])
                rendered.apply(event)
            assert rendered is not None
            scoring = Naive.__new__(Naive)
            scoring.seats = rendered.seats
            assert item["view"]["state"] == rendered.state(scoring)
            assert item["view"]["to_act"] == rendered.to_act
        after = page["next"] if page["items"] and page["next"] != page["version"] else None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_table_follows_from_the_events(seat: Seat, seats: int) -> None:
    """Of a whole game and of its fork, in which somebody resigns."""
    rng = Random(seats)
    table = seat([*people(seats)], options={"round4_layout": "pyramids"})
    table.play(rng, 20)
    fork = table.post(
        "/fork",
        0,
        {"version": table.get()["version"], "resample": True, "seats": [{"kind": "human"}] * seats},
    )
    assert fork.status_code == 201, fork.text
    again = MigoTable.__new__(MigoTable)
    again.client, again.application = table.client, table.application
    again.adopt(json_of(fork))
    again.play(rng, 5)
    again.move(seats - 1, {"type": "resign"})
    again.finish(rng)
    hold(again)
    table.finish(rng)
    hold(table)
