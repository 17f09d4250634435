"""One seat's game at the terminal: the table, the moves by their numbers, and a few words."""

from urllib.parse import quote

import click
from rich.console import Console

from domain.game import Game, Presentation
from domain.lifecycle import EventRecord
from domain.registry import game_named
from service.cli.exits import Refusal
from service.cli.http_client import Client, Json, Refused
from service.cli.terminal import left_games
from service.cli.terminal.left_games import LeftGame
from service.cli.terminal.wording import names_of, told

WAIT = 20  # seconds of one long poll
KNOWN = ("places", "scores")  # lists by seat that any game's result has; what else there is may have decided
UNTOLD = ("move_chosen",)  # who plays is known, and the move follows
WORDS = {
    "t": "table",
    "c": "cards",
    "h": "hint",
    "r": "rules",
    "q": "quit",
    "?": "help",
}
HELP = """\
A number chooses a move. Besides:
  t  table    the table and the moves again
  c  cards    what the cards are called
  h  hint     what the strongest bot would do, and why; `h level-3` asks another one. In a game that nobody prepared
              all players learn that you asked
  r  rules    the rules
     resign   give the game up
  q  quit     leave; the game stays, and `migrato play --resume` returns to it"""
PROMPT = "your move (? for help)"


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
        self._names: list[str] = []
        self._kept = False

    def play(self, is_new: bool = False) -> None:
        """Play until the game is over or the person leaves; a new game begins with a legend of its cards."""
        try:
            view = self._look()
            if is_new:
                click.echo(f"\n{game_named(view['game']).legend}".rstrip())
            self._kept = left_games.keep(LeftGame(self._service.url, self._token))
            while view["status"] != "finished":
                if view["to_act"] == self._seat:
                    self._move(view)
                else:
                    self._wait()
                view = self._look()
        except (EOFError, KeyboardInterrupt, click.Abort):
            self._leave()
        else:
            left_games.forget(self._token)
            self._print_result(view)

    def _leave(self) -> None:
        self._console.print("\nYou left; the game stays. Go on with:")
        if self._kept:
            click.echo("  migrato play --resume\nor, elsewhere, with:")
        click.echo(f"  migrato play --url {self._service.url} --token {self._token}")

    def _look(self) -> Json:
        """The view as of the last event that has been printed; those before it have been, too."""
        while True:
            view = self._service.get(self._path)
            self._names = names_of(view["seats"], self._seat)
            if self._last_version >= view["version"]:
                return view
            page = self._service.get(f"{self._path}/events?after={self._last_version}")
            for event in page["events"]:
                self._last_version = event["version"]
                if event["type"] not in UNTOLD:
                    self._print_event(game_named(view["game"]), event)

    def _print_event(self, game: Presentation, event: Json) -> None:
        record = EventRecord(event["type"], event["schema"], event["seat"], event["data"])
        text = told(record, game.notation(record), self._names, self._seat)
        style = "bold" if event["seat"] == self._seat else ""
        self._console.print(f"  * {text}", style=style, markup=False)

    def _wait(self) -> None:
        self._service.get(f"{self._path}/events?after={self._last_version}&wait={WAIT}&limit=1")

    def _move(self, view: Json) -> None:
        """One move, with everything else that the person types before it."""
        moves = self._service.get(f"{self._path}/legal-moves")["moves"]
        game = game_named(view["game"])
        if len(moves) == 1 and moves[0]["type"] in game.automatic_moves:
            self._post(moves[0])
            return
        self._show(view, moves)
        while True:
            answer = click.prompt(PROMPT, prompt_suffix="> ", default="", show_default=False).strip().lower()
            answer = WORDS.get(answer, answer)
            word, _, bot = answer.partition(" ")
            if answer.isdecimal() and 1 <= int(answer) <= len(moves):
                if self._post(moves[int(answer) - 1]):
                    return
            elif answer == "resign":
                if click.confirm("Give the game up?") and self._post({"type": "resign"}):
                    return
            elif WORDS.get(word, word) == "hint":
                if self._hint(view, moves, bot):
                    return
            else:
                self._say(answer, game, view, moves)

    def _say(self, answer: str, game: Game, view: Json, moves: list[Json]) -> None:
        """Carry out a word that changes nothing."""
        match answer:
            case "quit":
                raise EOFError
            case "table":
                self._show(view, moves)
            case "cards":
                click.echo(game.legend or "The cards of this game are called what they are.")
            case "rules":
                click.echo(f"The rules: {self._service.url}/guide/reference/rules-{game.name}")
            case "help":
                click.echo(HELP)
            case "":
                pass
            case _:
                click.echo(f"{HELP}\nThere are the moves 1 to {len(moves)}.")

    def _hint(self, view: Json, moves: list[Json], bot: str) -> bool:
        """Show the move of a bot, the game's strongest unless one is named; whether the game is another one by now."""
        try:
            hint = self._service.get(f"{self._path}/hint" + (f"?bot={quote(bot)}" if bot else ""))
        except Refused as refused:
            click.echo(f"There is no hint: {refused}")
            return refused.code in {"not-your-turn", "game-over"}
        number = f"{moves.index(hint['move']) + 1}, " if hint["move"] in moves else ""
        text = game_named(view["game"]).describe_move(hint["move"], view)
        told_to = " Everybody learns that you asked." if hint["recorded"] else ""
        click.echo(f"{hint['bot']} would choose {number}{text}.{_in_favour(hint)}{told_to}")
        return False

    def _post(self, move: Json) -> bool:
        try:
            self._service.post(f"{self._path}/moves", move)
        except Refused as refused:
            click.echo(f"Move refused: {refused}")
            return refused.code in {"not-your-turn", "game-over", "conflict"}
        return True

    def _show(self, view: Json, moves: list[Json]) -> None:
        game = game_named(view["game"])
        click.echo(f"\n{game.draw(view, self._seat)}")
        for number, move in enumerate(moves, 1):
            click.echo(f"{number:>4}  {game.describe_move(move, view)}")

    def _print_result(self, view: Json) -> None:
        click.echo(f"\n{game_named(view['game']).draw(view, self._seat)}")
        result, seats = view["result"], len(view["seats"])
        if result is None:
            click.echo("The game was aborted: it has no result.")
            return
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


def _in_favour(hint: Json) -> str:
    """Chance of the hint's move to win, and its first reason, if the bot gives them."""
    weighed = next((one for one in hint["considered"] if one["move"] == hint["move"]), None)
    if weighed is None:
        return ""
    reason = "".join(f" {why['text']}" for why in weighed["reasons"][:1])
    return f" It wins {100 * weighed['win_probability']:.0f} of 100 games.{reason}"
