"""`migrato play`: a person in the terminal against bots, over HTTP like every other client."""

import os
import secrets

import click

from domain.game import Bots, Rules
from domain.registry import DEFAULT_GAME, GAMES
from service.cli.exits import Failure, Refusal
from service.cli.http_client import Client, Json, Refused, default_url
from service.cli.selfplay.options import GameCommand, game_option
from service.cli.terminal import left_games
from service.cli.terminal.game import Terminal

_GONE = (
    "not-found",
    "game-erased",
    "gone",
    "unauthorized",
)  # problems of a game or a seat that is not there any more
_LEVELS = GAMES[DEFAULT_GAME].levels
EXAMPLES = f"""\b
Examples:
  migrato play                                       against greedy at http://127.0.0.1:8000
  migrato play --bot {_LEVELS[0]}                         against a beginner; the levels go up to {_LEVELS[-1]}
  migrato play --bot level-5 --rules opla --return-flight
  migrato play --game migo --bot greedy,heuristic    Migo, against two bots
  migrato play --game migo --seats 4                 Migo, against three
  migrato play --resume                              go on with the game that was left last
"""


def _usual_opponents(game: Bots) -> dict[str, str]:
    return {"bot": ",".join(str(seat.bot) for seat in game.default_seats if seat.kind == "bot")}


@click.command(cls=GameCommand, between_bots=False, defaults=_usual_opponents, epilog=EXAMPLES)
@click.option("--url", metavar="URL", help="The service.  [default: as MIGRATO_HOST and MIGRATO_PORT say]")
@click.option(
    "--bot",
    show_default=True,
    metavar="BOT[,BOT]...",
    help="Who to play against, one for each further seat.",
)
@click.option(
    "--seats",
    type=click.IntRange(2, 10),
    metavar="N",
    help="Seats of the game, yours included; the last bot takes those that are left.",
)
@game_option
@click.option("--name", default=lambda: os.environ.get("USER") or "you", metavar="NAME", help="Your name.")
@click.option("--seed-less", is_flag=True, help="Throw no seed of your own into the shuffles.")
@click.option("--resume", is_flag=True, help="Go on with the game that you left last.")
@click.option("--token", metavar="TOKEN", help="Go on with the game that this seat token is for.")
@click.option(
    "--app-key", envvar="MIGRATO_APP_KEY", metavar="KEY", help="Needed where the service wants one."
)
def play(
    url: str | None,
    bot: str,
    seats: int | None,
    game: Rules,
    options: Json,
    name: str,
    seed_less: bool,
    resume: bool,
    token: str | None,
    app_key: str | None,
) -> None:
    """Play a game against bots in the terminal.

    Choose a move by its number; ? tells what else there is. Ctrl-C or the end of the input leaves; the game stays, and
    --resume returns to it.
    """
    try:
        if resume:
            _go_on(url)
            return
        url = url or default_url()
        is_new = token is None
        if token is None:
            human: Json = {"kind": "human", "player": name}
            if not seed_less:
                human["client_seed"] = secrets.token_hex(16)
            others = [{"kind": "bot", "bot": opponent} for opponent in _opponents(bot, seats)]
            document = {"game": game.name, "seats": [human, *others], "options": options}
            new = Client(url, app_key).post("/v1/games", document)
            token = str(new["seats"][0]["token"])
        Terminal(Client(url, token), token).play(is_new)
    except Refused as refused:
        raise Failure(f"The service refuses: {refused}") from refused


def _opponents(bots: str, seats: int | None) -> list[str]:
    """The bots by name; the last one as often as seats are left."""
    named = [bot.strip() for bot in bots.split(",")]
    if seats is None:
        return named
    if len(named) > seats - 1:
        raise Refusal(f"{len(named)} bots and you have no room at {seats} seats.")
    return named + named[-1:] * (seats - 1 - len(named))


def _go_on(url: str | None) -> None:
    """The last game that was left, at that service if one is named; those that are gone are forgotten."""
    for left in left_games.all_left():
        if url in (None, left.url):
            try:
                Terminal(Client(left.url, left.token), left.token).play()
            except Refused as refused:
                if refused.code not in _GONE:
                    raise
                left_games.forget(left.token)
                click.echo("A game that you left is not there any more.")
            else:
                return
    raise Refusal("You have left no game that goes on. `migrato play` begins one.")
