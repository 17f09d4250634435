"""Answers that are no views: of a created game, a seat that was taken, a hint, a move that is refused.

They must have all their members, and reveal nothing that the caller cannot know: an unknown member counts as a leak, a
hint is the move that the bot finds from its seat's knowledge, and a refusal is the same for all possible hidden cards.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from domain.chance import SeededChance
from domain.errors import DomainError
from drills.checker.moves import Finding, Lost
from drills.checker.told import Loss, Told, epoch_of
from drills.checker.truth import Truth, as_json

Json = dict[str, Any]
IDENTITY: Final = {"id", "game", "status", "rated", "setup", "visibility", "created_at", "version", "options"}
CREATED: Final = IDENTITY | {"seats", "fairness", "links", "unrated_because", "updated_at"}
CREATED_SEAT: Final = {"seat", "kind", "bot", "player", "player_id", "token", "secret"}
TAKEN: Final = {"seat", "kind", "player", "player_id", "token", "status", "version", "links"}
HINT: Final = {"game_version", "seat", "recorded", "bot", "version", "move", "considered", "iterations"}
PROBLEM: Final = {"type", "title", "status", "detail", "code", "request_id", "rule", "rule_url"}
CHANCE: Final = SeededChance(bytes(32), "")  # for a refused move, which needs no chance


def check_created(truth: Truth, one: Told) -> Iterator[Finding]:
    """Findings about the answer to a game's creator: it has what was asked for, and nothing of what was dealt."""
    answer, data = one.answer, truth.events[0]["data"]
    where = f"the answer to the creation by {one.by}"
    yield from _no_more(where, answer, CREATED)
    yield from _no_more(f"{where}, fairness", answer["fairness"], {"commitment"})
    status = truth.game.status(truth.states[answer["version"]]).status
    told = [answer[name] for name in ("id", "game", "options", "status")]
    true = [data["id"], data["game"], data["options"], status]
    if told != true or answer["fairness"]["commitment"] != data["commitment"]:
        yield "view", f"{where}: {told}, not {true}"
    for number, (seat, recorded) in enumerate(zip(answer["seats"], data["seats"], strict=True)):
        yield from _no_more(f"{where}, seat {number}", seat, CREATED_SEAT)
        if (seat["seat"], seat["kind"], seat.get("bot")) != (number, recorded["kind"], recorded["bot"]):
            yield "view", f"{where}: {seat}, not {recorded}"
        if "token" in seat and recorded["kind"] != "human":
            yield "leak", f"{where}: a token of seat {number}, which is {recorded['kind']}"


def check_answers(
    truth: Truth, told: Sequence[Told], losses: Sequence[Loss], lost: Lost, seed: int = 0
) -> Iterator[Finding]:
    """Findings about every answer of these kinds whose events still exist."""
    rng = random.Random(f"{seed}:answers:{truth.header['game_id']}")
    for one in told:
        version = one.answer.get("game_version") if one.do == "hint" and one.ok else one.version
        if version is None or not lost.kept(version, epoch_of(one.at, losses), len(losses)):
            continue
        if version > truth.version:
            if one.ok and one.do in ("hint", "sit"):
                yield "lost", f"{one.by} was told of version {version} by request {one.number}"
        elif one.ok and one.do == "sit":
            yield from _check_taken(truth, one, version)
        elif one.ok and one.do == "hint":
            yield from _check_hint(truth, one, version)
        elif not one.ok and one.refused_at is not None:
            yield from _check_refusal(truth, one, version, rng)


def _check_taken(truth: Truth, one: Told, version: int) -> Iterator[Finding]:
    answer, where = one.answer, f"the answer to {one.by}, who takes seat {one.seat}"
    yield from _no_more(where, answer, TAKEN)
    told = (answer["seat"], answer["status"])
    true = (one.seat, truth.game.status(truth.states[version]).status)
    if told != true:
        yield "view", f"{where}: {told}, not {true}"
    taken = (event["seat"] for event in truth.events[:version] if event["type"] == "seat_taken")
    if one.seat not in taken:
        yield "view", f"{where}: nobody has taken it by version {version}"


def _check_hint(truth: Truth, one: Told, version: int) -> Iterator[Finding]:
    """Findings about a hint: it is a legal move of the seat that asks, and the one that a recorded seed leads to."""
    answer, seat = one.answer, one.seat
    where = f"the hint for seat {seat} at version {version}, request {one.number} of {one.by}"
    yield from _no_more(where, answer, HINT)
    state = truth.states[version]
    if answer["seat"] != seat or seat is None:
        yield "leak", f"{where}: for seat {answer['seat']}"
        return
    legal = as_json(truth.game.legal_moves(state, seat))
    for move in (answer["move"], *(considered["move"] for considered in answer["considered"])):
        if move not in legal:
            yield "view", f"{where}: {move} is not legal"
            return
    given = _given(truth, seat, answer["bot"], version)
    if answer["recorded"] != (given is not None):
        yield "view", f"{where}: {'not ' if given is None else ''}recorded"
    elif given is not None and truth.game.bot(answer["bot"]).budget is None:
        seen = truth.observation(version, seat)
        choice = truth.game.think(seen, answer["bot"], int(given["seed"], 16))
        expected = as_json(truth.game.move_document(choice.move))
        if answer["move"] != expected:
            yield "leak", f"{where}: {answer['move']}; by what it knows the bot comes to {expected}"


def _given(truth: Truth, seat: int, bot: str, version: int) -> Json | None:
    """The data of the event by which this hint was recorded since the last move."""
    for event in reversed(truth.events[:version]):
        if event["type"] != "hint_given":
            return None
        if event["seat"] == seat and event["data"]["bot"] == bot:
            found: Json = event["data"]
            return found
    return None


def _check_refusal(truth: Truth, one: Told, version: int, rng: random.Random) -> Iterator[Finding]:
    """Findings about a refusal: it is that of the rules, and the same whatever is hidden from the seat."""
    answer, seat = one.answer, one.seat or 0
    where = f"the refusal of {one.body} at version {version}, request {one.number} of {one.by}"
    refusal = _refusal(truth, truth.states[version], seat, one.body or {})
    if refusal is None:
        yield "refused", f"{where}: {answer.get('detail')}, and the move is legal"
        return
    yield from _no_more(where, answer, PROBLEM | refusal.data.keys())
    told = (answer["code"], answer["detail"], {name: answer.get(name) for name in refusal.data})
    if told != _words(refusal):
        yield "view", f"{where}: {told}, not {_words(refusal)}"
        return
    other = _refusal(truth, truth.otherwise(version, seat, rng.getrandbits(53)), seat, one.body or {})
    if other is None or told != _words(other):
        yield "leak", f"{where}: it depends on what is hidden"


def _refusal(truth: Truth, state: Any, seat: int, body: Json) -> DomainError | None:
    try:
        truth.game.decide(state, seat, truth.game.parse_move(dict(body)), CHANCE)
    except DomainError as refusal:
        return refusal
    return None


def _words(refusal: DomainError) -> tuple[str, str, Json]:
    return refusal.code, refusal.detail, as_json(refusal.data)


def _no_more(where: str, answer: Json, names: set[str]) -> Iterator[Finding]:
    if more := answer.keys() - names:
        yield "leak", f"{where}: {', '.join(sorted(more))}"
