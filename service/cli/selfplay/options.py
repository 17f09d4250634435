"""The options of commands about a game: which one, its own options, and how games of bots are played."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click

from domain.errors import DomainError
from domain.game import Game, Rules
from domain.options import Option
from domain.registry import DEFAULT_GAME, game_named

F = TypeVar("F", bound=Callable[..., Any])
_GAME: Final = "service.cli.selfplay.game"
_PREFIX: Final = "option_"  # so that no option of a game can be mistaken for one of the command's


class GameCommand(click.Command):
    """A command with `--game NAME`, which gives it that game's own options.

    The function takes the `Game` as `game`, and the document of its options as `options`.
    """

    def __init__(
        self,
        *args: Any,
        between_bots: bool = True,
        defaults: Callable[[Game], dict[str, str]] | None = None,
        **more: Any,
    ) -> None:
        """`between_bots`: no person plays; `defaults`: values of the command's options that depend on the game."""
        super().__init__(*args, **more)
        self._between_bots, self._defaults = between_bots, defaults

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The game first, for what else may stand there depends on it."""
        game = _chosen(ctx, args)
        ctx.meta[_GAME] = game
        ctx.default_map = self._defaults(game) if self._defaults else None
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise click.UsageError(f"{error.format_message()} {_what_it_has(game)}", ctx) from error
        options = {option.name: ctx.params.pop(_PREFIX + option.name) for option in _offered(game)}
        ctx.params.update(game=game, options=options)
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's options, the game's own after `--game`."""
        params = super().get_params(ctx)
        if _GAME not in ctx.meta:
            return params
        place = [param.name for param in params].index("game") + 1
        own = [self._parameter(option) for option in _offered(ctx.meta[_GAME])]
        return [*params[:place], *own, *params[place:]]

    def _parameter(self, option: Option) -> click.Option:
        default = option.of_bots if self._between_bots else option.default
        names = [_flag(option), _PREFIX + option.name]
        if option.kind == "flag":
            return click.Option(names, is_flag=True, default=bool(default), help=option.help)
        values: click.ParamType[Any] = click.Choice(option.choices)
        if option.kind == "int":
            values = click.IntRange(option.minimum, option.maximum)
        shown = default is not None
        metavar = "N" if option.kind == "int" else None
        return click.Option(
            names, type=values, default=default, show_default=shown, metavar=metavar, help=option.help
        )


game_option = click.option(
    "--game",
    default=DEFAULT_GAME,
    show_default=True,
    metavar="NAME",
    help="Which game; it has options of its own.",
)


def game_of(ctx: click.Context | None) -> Game:
    """The game that a `GameCommand` is about; the default one outside of such a command."""
    game: Game = game_named(DEFAULT_GAME) if ctx is None else ctx.meta.get(_GAME) or game_named(DEFAULT_GAME)
    return game


def seats_of(game: Rules) -> str:
    """Numbers of seats that the game may have, in words: "two" or "two, three or four"."""
    words = [{2: "two", 3: "three", 4: "four"}.get(count, str(count)) for count in game.seat_counts]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def run_options(command: F) -> F:
    """Options of a run: --seed, --jobs."""
    for option in (
        click.option(
            "--jobs",
            type=click.IntRange(1, 256),
            default=1,
            show_default=True,
            metavar="N",
            help="Processes.",
        ),
        click.option(
            "--seed",
            type=int,
            default=0,
            show_default=True,
            metavar="N",
            help="The same seed, the same games.",
        ),
    ):
        command = option(command)
    return command


def _chosen(ctx: click.Context, args: Sequence[str]) -> Game:
    """The game that the command line names, before anything else of it is understood."""
    name = DEFAULT_GAME
    for argument, following in zip(args, [*args[1:], ""], strict=False):
        if argument == "--":
            break
        if argument == "--game" and following:
            name = following
        elif argument.startswith("--game="):
            name = argument.removeprefix("--game=")
    try:
        return game_named(name)
    except DomainError as error:
        raise click.BadParameter(str(error), ctx, param_hint="'--game'") from error


def _what_it_has(game: Game) -> str:
    own = ", ".join(map(_flag, _offered(game)))
    return f"The game {game.name} has {own or 'no options of its own'}."


def _offered(game: Rules) -> list[Option]:
    return [option for option in game.option_table if option.is_offered]


def _flag(option: Option) -> str:
    return f"--{option.name.replace('_', '-')}"
