"""The command `migrato arena`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import click

from compiled import in_use
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json
from domain.registry import game_named
from service.cli.exits import Failure, Refusal
from service.cli.external_bots.answers import ExternalBotFailed
from service.cli.external_bots.entrants import external_bot
from service.cli.external_bots.servers import ServerBot, try_out
from service.cli.selfplay.arena import report
from service.cli.selfplay.arena.fixtures import Record, Tournament
from service.cli.selfplay.arena.parameters import Anchor, Entrants, JsonObject
from service.cli.selfplay.arena.results import ResultsError, check_alike, load
from service.cli.selfplay.arena.run import run
from service.cli.selfplay.arena.standings import Standings, standings
from service.cli.selfplay.match import Contestant, check_options
from service.cli.selfplay.options import GameCommand, game_option, run_options, seats_of

ABOUT = 100  # games of a line-up unless stated otherwise: the multiple of the seats next below
PLOT_FORMATS = (".svg", ".png")

EXAMPLES = """\b
Examples:
  migrato arena --bots random,greedy,heuristic
  migrato arena --bots greedy,heuristic,ismcts --games 500 --jobs 2 --csv arena.csv --plot arena.svg
  migrato arena --bots greedy,heuristic,ismcts --games 500 --jobs 2 --csv arena.csv --resume
  migrato arena --bots heuristic,ismcts@500it,ismcts@2000it --rules opla --seed 7
  migrato arena --game migo --bots random,greedy,heuristic,maxn-easy --seats 3 --games 300
  migrato arena --bots mybot.py:MyBot,level-3 --games 200
  migrato arena --bots mine@2=https://bot.example/move,level-5 --jobs 8 --csv mine.csv --resume
  migrato arena --from arena.csv --markdown
"""


@click.command(cls=GameCommand, epilog=EXAMPLES)
@click.option(
    "--bots",
    type=Entrants(external_bot),
    help="Who plays: names, or name@300ms and name@2000it for other budgets a move; mybot.py:MyBot, https://...",
)
@click.option(
    "--games",
    type=click.IntRange(2),
    show_default=str(ABOUT),
    metavar="N",
    help="How many games for each line-up; a multiple of the seats, as every shuffle is played once from each.",
)
@click.option(
    "--seats",
    type=int,
    metavar="N",
    help="How many seats a game has; every choice of so many bots is a line-up.  [default: the fewest]",
)
@game_option
@click.option(
    "--options", "more", type=JsonObject(), help="Further options of the game, as the API takes them."
)
@run_options
@click.option(
    "--csv",
    "csv_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the games here, each as soon as it is over.",
)
@click.option("--resume", is_flag=True, help="Go on from the games that are in the --csv file.")
@click.option(
    "--from",
    "from_path",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Play nothing; show the games of such a file.",
)
@click.option(
    "--anchor",
    type=Anchor(),
    metavar="BOT[=ELO]",
    help="Whose rating is set, and to what.  [default: random=0, or else the weakest]",
)
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw the ratings, .svg or .png.",
)
@click.option("--markdown", "form", flag_value="markdown", help="Print the tables as Markdown.")
@click.option("--json", "form", flag_value="json", help="Print the figures as JSON.")
def arena(
    bots: tuple[Contestant, ...] | None,
    games: int | None,
    seats: int | None,
    game: Game,
    options: Json,
    more: Json | None,
    seed: int,
    jobs: int,
    csv_path: Path | None,
    resume: bool,
    from_path: Path | None,
    anchor: tuple[str, float] | None,
    plot_path: Path | None,
    form: str | None,
) -> None:
    """Let bots play a round robin, and rate them.

    Each shuffle is played once from every seat; games are interleaved over the line-ups. Elo ratings are
    fitted to all games at once, with 95 % intervals from a bootstrap over the shuffles. Tables go to stdout,
    progress to stderr. Ctrl-C ends it with the games so far; --resume goes on, and comes to the same games.
    """
    if (bots is None) == (from_path is None):
        raise Refusal("Name the --bots that are to play, or the file --from which to show results.")
    if resume and csv_path is None:
        raise Refusal("--resume goes on from a --csv file: name it.")
    if plot_path is not None and plot_path.suffix not in PLOT_FORMATS:
        raise Refusal(f"--plot draws {' or '.join(PLOT_FORMATS)}, as the file's name ends.")
    missing = [name for name in ("choix", *["matplotlib"] * bool(plot_path)) if find_spec(name) is None]
    if missing:
        click.echo(f"Without ratings and plots; these need: pip install {' '.join(missing)}", err=True)
    if from_path is not None:
        records, left = _loaded(from_path), 0
    else:
        assert bots is not None
        at_table = _seats(game, seats, bots)
        tournament = Tournament(
            bots, _games(games, at_table), options | (more or {}), seed, in_use(), game.name, at_table
        )
        records, left = _played(tournament, jobs, csv_path, resume)
    if not records:
        raise Failure("There is no game to show.")
    shown = standings(records, _known(anchor, records))
    _print(shown, form)
    if plot_path is not None and not missing:
        _plot(shown, plot_path)
    if left:
        how = f"--csv {csv_path} --resume plays them" if csv_path else "--csv would have kept these"
        raise Failure(f"Interrupted with {left} games left to play; {how}.")


def _seats(game: Game, seats: int | None, bots: Sequence[Contestant]) -> int:
    """Number of seats of the games. Refusal if the game does not allow so many, or there are too few bots."""
    if seats is None:
        seats = game.seat_counts[0]
    if seats not in game.seat_counts:
        raise Refusal(f"{game.name} has {seats_of(game)} seats, not {seats}.")
    if len(bots) < seats:
        raise Refusal(f"For games of {seats} seats, name at least as many bots.")
    return seats


def _games(games: int | None, seats: int) -> int:
    """Number of games of a line-up. Refusal if they are not whole shuffles."""
    if games is None:
        return ABOUT // seats * seats
    if games % seats and seats == 2:
        raise Refusal(f"--games {games} is odd, and every shuffle is played twice.")
    if games % seats:
        raise Refusal(
            f"--games {games} is no multiple of {seats}, and every shuffle is played {seats} times."
        )
    return games


def _loaded(path: Path) -> list[Record]:
    try:
        records = load(path)
        check_alike(path, records)
    except ResultsError as error:
        raise Refusal(str(error)) from error
    return records


def _played(tournament: Tournament, jobs: int, path: Path | None, resume: bool) -> tuple[list[Record], int]:
    game = game_named(tournament.game)
    try:
        check_options(game, tournament.options, tournament.seats)
        for entrant in tournament.entrants:
            if isinstance(entrant, ServerBot):
                try_out(entrant, game, tournament.options, tournament.seats)
        return run(tournament, jobs, path, resume)
    except (DomainError, ResultsError) as error:
        raise Refusal(str(error)) from error
    except ExternalBotFailed as error:
        kept = f" The games so far are in {path}; --resume goes on from them." if path else ""
        raise Failure(f"{error}{kept}") from error


def _known(anchor: tuple[str, float] | None, records: Sequence[Record]) -> tuple[str, float] | None:
    if anchor is not None and not any(anchor[0] in record.bots for record in records):
        raise Refusal(f"{anchor[0]} did not play, and cannot be the anchor.")
    return anchor


def _print(shown: Standings, form: str | None) -> None:
    if form == "json":
        click.echo(json.dumps(asdict(shown), indent=2))
    elif form == "markdown":
        click.echo(report.markdown(shown), nl=False)
    else:
        report.print_tables(shown)


def _plot(shown: Standings, path: Path) -> None:
    from service.cli.selfplay.arena.plot import plot

    try:
        plot(shown, path)
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror}.") from error
