"""The table follows from the events alone, as their reference says: at every version it is what a view shows."""

from random import Random

from tests.model.migo_model import MORE, TWO, Model, other_side, places_of
from tests.service.migo.conftest import Seat
from tests.service.migo.prepared import COUNTED
from tests.service.migo.table import MigoTable
from tests.service.table import Json


class Rendered(Model):
    """A table that is changed by events, by nothing but the texts of their reference."""

    def __init__(self, created: Json) -> None:
        super().__init__(created["options"], len(created["seats"]), COUNTED, [])
        self.small = len(self.players) == 2 and self.options["layout_size"] == "standard"
        self.layouts = ["ropes", "pyramid", "pyramids", self.options["round4_layout"]]

    def put(self, data: Json, table: list[str | None]) -> None:
        """The cards of a round."""
        self.round, self.starter, self.to_act = data["round"], data["starter"], data["starter"]
        self.layout = self.layouts[self.round - 1]
        self.where = places_of(self.layout, (TWO if self.small else MORE)[self.layout])
        self.table = {place: name for place, name in enumerate(table) if name is not None}
        for player in self.players:
            player.cards, player.full, player.empty = [], 0, 0

    def apply(self, event: Json) -> None:
        """An event."""
        kind, seat, data = event["type"], event["seat"], event["data"]
        player = None if seat is None else self.players[seat]
        match kind:
            case "round_started":
                self.put(data, data["cards"])
            case "position_set":
                self.put(data, data["table"])
                self.to_act = data["to_act"]
                for at, (player, shown) in enumerate(zip(self.players, data["players"], strict=True)):
                    player.cards, player.flags = list(shown["cards"]), shown["flags"]
                    player.full, player.empty = shown["bottles"]["full"], shown["bottles"]["empty"]
                    player.resigned = at in data["resigned"]
                self.ended = [
                    {"round": number, "layout": self.layouts[number - 1], **ended}
                    for number, ended in enumerate(data["rounds"], 1)
                ]
            case "round_ended":
                self.players[data["winner"]].flags += 1
                self.ended.append({"layout": self.layout, **data})
            case "game_ended":
                self.to_act = None
        if player is None:
            return
        match kind:
            case "card_taken":
                name = self.table.pop(data["place"])
                assert name == data["card"] + data["face"]
                player.cards.append(name)
                self.pass_turn()
            case "bottle_gained":
                player.full += 1
            case "sherpa_dismissed":
                assert player.cards.pop()[:3] == data["card"]
            case "card_flipped":
                at = [name[:3] for name in player.cards].index(data["card"])
                player.cards[at] = other_side(player.cards[at])
                assert player.cards[at][3] == data["face"]
            case "bottle_drunk":
                player.full -= 1
                player.empty += 1
                self.to_act = seat
            case "player_resigned":
                player.resigned = True
                if len(self.players) > 2:
                    player.cards = []
                if self.to_act == seat and len(self.playing()) > 1:
                    self.pass_turn()


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
            assert item["view"]["state"] == rendered.view()
            assert item["view"]["to_act"] == rendered.to_act
        after = page["next"] if page["items"] and page["next"] != page["version"] else None


def test_the_table_follows_from_the_events(seat: Seat) -> None:
    """The table follows from the events of a whole game and of its fork, in which a seat resigns."""
    rng = Random(3)
    table = seat(3, options={"round4_layout": "pyramids"})
    table.play(rng, 20)
    fork = table.fork(
        0, version=table.get()["version"], resample=True, seats=[{"kind": "human"} for _ in range(3)]
    )
    fork.play(rng, 5)
    fork.move(2, {"type": "resign"})
    for game in (fork, table):
        game.finish(rng)
        hold(game)
