"""`migrato play`: a person in the terminal against bots, over HTTP like every other client."""

import os
import secrets

import click
from rich.console import Console

from domain.game import Game
from domain.lifecycle import EventRecord
from domain.registry import game_named
from service.cli.exits import Failure, Refusal
from service.cli.http_client import Client, Json, Refused
from service.cli.supervision.port import reachable
from service.selfplay.options import GameCommand, game_option

WAIT = 20  # seconds of one long poll
HELP = "A number chooses a move; t shows the table and the moves again, q leaves."
KNOWN = ("places", "scores")  # lists by seat that any game's result has; what else there is may have decided
EXAMPLES = """\b
Examples:
  migrato play                                       against greedy at http://127.0.0.1:8000
  migrato play --bot heuristic --rules opla --return-flight
  migrato play --game migo --bot greedy,heuristic    Migo, against two bots
  migrato play --token mg_...                        go on with a game that was left
"""


def _usual_opponents(game: Game) -> dict[str, str]:
    return {"bot": ",".join(str(seat.bot) for seat in game.default_seats if seat.kind == "bot")}


@click.command(cls=GameCommand, between_bots=False, defaults=_usual_opponents, epilog=EXAMPLES)
@click.option("--url", metavar="URL", help="The service.  [default: as MIGRATO_HOST and MIGRATO_PORT say]")
@click.option(
    "--bot",
    show_default=True,
    metavar="BOT[,BOT]...",
    help="Who to play against, one for each further seat.",
)
@game_option
@click.option("--name", default=lambda: os.environ.get("USER") or "you", metavar="NAME", help="Your name.")
@click.option("--seed-less", is_flag=True, help="Throw no seed of your own into the shuffles.")
@click.option("--token", metavar="TOKEN", help="Go on with the game that this seat token is for.")
@click.option(
    "--app-key", envvar="MIGRATO_APP_KEY", metavar="KEY", help="Needed where the service wants one."
)
def play(
    url: str | None,
    bot: str,
    game: Game,
    options: Json,
    name: str,
    seed_less: bool,
    token: str | None,
    app_key: str | None,
) -> None:
    """Play a game against bots in the terminal.

    Choose a move by its number. Ctrl-C or the end of the input leaves; the game stays, and --token returns to it.
    """
    url = url or _default_url()
    try:
        if token is None:
            human: Json = {"kind": "human", "player": name}
            if not seed_less:
                human["client_seed"] = secrets.token_hex(16)
            seats = [human, *({"kind": "bot", "bot": opponent.strip()} for opponent in bot.split(","))]
            document = {"game": game.name, "seats": seats, "options": options}
            new = Client(url, app_key).post("/v1/games", document)
            token = str(new["seats"][0]["token"])
        Terminal(Client(url, token), token).play()
    except Refused as refused:
        raise Failure(f"The service refuses: {refused}") from refused


class Terminal:
    """One seat's game at the terminal."""

    def __init__(self, service: Client, token: str) -> None:
        """`token`: the seat's, which carries the game's id and the seat's number."""
        parts = token.split("_")
        if len(parts) < 4 or not parts[2].isdecimal():
            raise Refusal("That is no seat token: they begin with mg_.")
        self._service, self._token = service, token
        self._path, self._seat = f"/v1/games/{parts[1]}", int(parts[2])
        self._console = Console(highlight=False)
        self._last_version = 0

    def play(self) -> None:
        """Until the game is over or the person leaves."""
        try:
            view = self._look()
            while view["status"] != "finished":
                if view["to_act"] == self._seat:
                    self._move(view)
                else:
                    self._wait()
                view = self._look()
        except (EOFError, KeyboardInterrupt, click.Abort):
            self._console.print("\nYou left; the game stays. Go on with:")
            click.echo(f"  migrato play --url {self._service.url} --token {self._token}")
        else:
            self._print_result(view)

    def _look(self) -> Json:
        """The view as of the last event that has been printed; those before it have been, too."""
        while True:
            view = self._service.get(self._path)
            if self._last_version >= view["version"]:
                return view
            page = self._service.get(f"{self._path}/events?after={self._last_version}")
            for event in page["events"]:
                self._last_version = event["version"]
                if event["type"] != "move_chosen":  # who plays is known, and the move follows
                    self._print_event(game_named(view["game"]), event)

    def _print_event(self, game: Game, event: Json) -> None:
        record = EventRecord(event["type"], event["schema"], event["seat"], event["data"])
        style = "bold" if event["seat"] == self._seat else ""
        self._console.print(f"{event['version']:>4}  {game.notation(record)}", style=style, markup=False)

    def _wait(self) -> None:
        self._service.get(f"{self._path}/events?after={self._last_version}&wait={WAIT}&limit=1")

    def _move(self, view: Json) -> None:
        moves = self._service.get(f"{self._path}/legal-moves")["moves"]
        if len(moves) == 1 and moves[0]["type"] in game_named(view["game"]).automatic_moves:
            self._post(moves[0])
            return
        self._show(view, moves)
        while True:
            answer = click.prompt("your move", prompt_suffix="> ", default="", show_default=False).strip()
            if answer == "q":
                raise EOFError
            if answer == "t":
                self._show(view, moves)
            elif answer.isdecimal() and 1 <= int(answer) <= len(moves):
                if self._post(moves[int(answer) - 1]):
                    return
            else:
                click.echo(f"{HELP} There are the moves 1 to {len(moves)}.")

    def _post(self, move: Json) -> bool:
        try:
            self._service.post(f"{self._path}/moves", move)
        except Refused as refused:
            click.echo(f"Move refused: {refused}")
            return refused.code in {"not-your-turn", "game-over", "conflict"}
        return True

    def _show(self, view: Json, moves: list[Json]) -> None:
        game = game_named(view["game"])
        click.echo(game.draw(view, self._seat))
        for number, move in enumerate(moves, 1):
            click.echo(f"{number:>4}  {game.describe_move(move, view)}")

    def _print_result(self, view: Json) -> None:
        click.echo(game_named(view["game"]).draw(view, self._seat))
        result, seats = view["result"], len(view["seats"])
        order = [(self._seat + step) % seats for step in range(seats)]
        by_seat = {name: value for name, value in result.items() if name not in KNOWN and type(value) is list}
        shown = [
            f"{name} " + " : ".join(str(value[seat]) for seat in order)
            for name, value in (by_seat | {"scores": result["scores"]}).items()
        ]
        if not by_seat:
            shown[0] = shown[0].removeprefix("scores ")
        click.echo(f"{self._outcome(result)}, {', '.join(shown)} ({result['reason'].replace('_', ' ')}).")

    def _outcome(self, result: Json) -> str:
        if result["winner"] == self._seat:
            return "You win"
        if len(result["scores"]) == 2:
            return "A draw" if result["winner"] is None else "You lose"
        place = result["places"][self._seat]
        shared = "share" if result["places"].count(place) > 1 else "have"
        return f"You {shared} place {place} of {len(result['places'])}"


def _default_url() -> str:
    host = reachable(os.environ.get("MIGRATO_HOST") or "127.0.0.1")
    return f"http://{host}:{os.environ.get('MIGRATO_PORT') or 8000}"
