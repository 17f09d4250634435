"""The options that every command has which lets bots play each other."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from domain.lifecycle import Json
from domain.migrato.rules.rule_books import TURN_CAP

F = TypeVar("F", bound=Callable[..., Any])


def game_options(command: F) -> F:
    """What is played: --rules, --return-flight, --turn-limit; `options_of` makes the game's options of them."""
    for option in (
        click.option(
            "--turn-limit",
            type=click.IntRange(1, TURN_CAP),
            default=1000,
            show_default=True,
            metavar="N",
            help="End a game after so many turns, scored as it stands.",
        ),
        click.option("--return-flight", is_flag=True, help="Play with the Return Flight extension."),
        click.option("--rules", type=click.Choice(["digital", "opla"]), default="digital", show_default=True),
    ):
        command = option(command)
    return command


def options_of(rules: str, return_flight: bool, turn_limit: int) -> Json:
    """The game's options."""
    return {"rules": rules, "return_flight": return_flight, "turn_limit": turn_limit}


def run_options(command: F) -> F:
    """How it is played: --seed, --jobs."""
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
