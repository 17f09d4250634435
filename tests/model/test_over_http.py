"""The service against the naive model, by the public contract alone."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.runtime.settings import Settings
from tests.model.differential import (
    VIEWERS,
    Match,
    RefusedError,
    comparable,
    differences,
    expected,
    match_at,
    only_list,
    play_randomly,
)
from tests.model.migrato_model import Json, Model
from tests.model.random_play import random_deck, random_options
from tests.service.table import code_of, json_of, set_table

# In the first the deck is shuffled again and Return Flights are taken; in the second all birds arrive on the standard
# deck before anything is drawn by the service's own chance.
SEEDS = [27, 202]
FURTHER = range(203, 223)  # where these have not had all
SHARED = ("version", "status", "turn", "to_act")


class HttpTable:
    """A public game of two people on a set-up deck; each seat asks with its own token."""

    def __init__(
        self, client: FlaskClient, application: Application, options: Json, deck: Sequence[str]
    ) -> None:
        setup = {"deck": list(deck)}
        self._table = set_table(client, application, options=options, setup=setup, visibility="public")

    def observed(self) -> Json:
        games = {viewer: json_of(self._table.get(seat=viewer)) for viewer in VIEWERS}
        lists = {seat: json_of(self._table.get("/legal-moves", seat)) for seat in (0, 1)}
        assert {viewer: game["viewer"] for viewer, game in games.items()} == {
            viewer: viewer for viewer in VIEWERS
        }
        assert len({tuple(game[name] for name in SHARED) for game in games.values()}) == 1
        assert {seat: moves["seat"] for seat, moves in lists.items()} == {0: 0, 1: 1}
        game, result = games[None], games[None]["result"]
        assert (game["status"] == "finished") == (result is not None)
        return {
            "views": {viewer: game["state"] for viewer, game in games.items()},
            "legal": {seat: moves["moves"] for seat, moves in lists.items()},
            "to_act": game["to_act"],
            "turn": game["turn"],
            "result": result and {name: result[name] for name in ("winner", "reason", "scores")},
        }

    def refuses(self, seat: int, document: Json) -> str | None:
        """Asked by a dry run; what that refuses is then posted in earnest, and refused the same way."""
        dry = self._table.move(seat, document, "?dry_run=true")
        if dry.status_code == 200:
            return None
        refusal = code_of(self._table.move(seat, document))
        assert refusal == code_of(dry), document
        return refusal[1]

    def play(self, seat: int, document: Json) -> list[list[str]] | None:
        answer = self._table.move(seat, document)
        if answer.status_code != 201:
            raise RefusedError(answer.text)
        return None

    def orders(self) -> list[list[str]]:
        """The orders of all decks shuffled anew, once the game is over."""
        events = json_of(self._table.get("/events?limit=1000"))["events"]
        return [only_list(event["data"]) for event in events if event["type"] == "deck_reshuffled"]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """So many requests are allowed here."""
    return replace(settings, limits="off")


def played(client: FlaskClient, application: Application, seed: int) -> Match:
    """A whole random game; afterwards the model plays it again with the orders then revealed."""
    rng = Random(seed)
    options = random_options(rng)
    deck = random_deck(options, rng)
    table = HttpTable(client, application, options, deck)
    match = match_at(table, f"game {seed} over HTTP", options, deck)
    first_seat = match.model.to_act
    play_randomly(match, rng, 300)
    if match.model.result is None:
        match.play(rng.choice([0, 1]), {"type": "resign"})
    again, orders = Model(options, deck, first_seat), table.orders()
    for seat, document in match.played:
        again.play(seat, document, shuffle=lambda _: orders.pop(0))
    assert differences(comparable(table.observed()), comparable(expected(again))) == []
    assert orders == []
    return match


def test_random_games_over_http(client: FlaskClient, application: Application) -> None:
    """Each seat and a spectator are told what the model says, after every move; refusals have their shape."""
    matches = [played(client, application, seed) for seed in SEEDS]
    further = iter(FURTHER)
    while not have_had_all(matches):
        matches.append(played(client, application, next(further)))


def have_had_all(matches: list[Match]) -> bool:
    """True if the games had a reshuffle and a regular end: in both a theft, which is by chance, may lead elsewhere."""
    return any(match.model.seen["R3 reshuffle"] for match in matches) and any(
        match.model.result["reason"] == "all_arrived" for match in matches if match.model.result
    )
