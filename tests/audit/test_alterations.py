"""Whatever member of an event somebody is shown otherwise than it was recorded, the event itself tells.

Every one is altered in turn, in games that run and in games that are over, as a spectator and each seat see them: by
`migrato verify`, the page and the published script. `tests.audit.alterations` is the program.
"""

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from domain.chance import commitment_of
from domain.lifecycle import Create, Json, PlayBotMove, Seat, TakeHint
from domain.migrato.game import MIGRATO
from events.audit.findings import CheckFailed
from events.audit.stream_verifier import EMPTY, follow
from events.audit.verify import verify
from events.log.export import SHORTEST_EVENT, Exported, line
from events.log.seeds import hint_seed, move_seed
from tests.audit import migo_games
from tests.audit.alterations import alterations, verdicts
from tests.audit.games import Corpus, parsed
from tests.audit.played import SEED, Recorded
from tests.audit.test_in_the_browser import PROGRAMS, in_node
from tests.domain.migo.table import laid
from tests.support.node import NODE
from tests.support.waiting import LIMIT


def migrato(
    game_id: str, moves: int, *seats: Seat, is_former: bool = False, setup: Json | None = None, **options: Any
) -> dict[str, Exported]:
    """A game after so many moves, as everybody sees it; in form 1 of commitments if `is_former`."""
    game, rng = Recorded(MIGRATO, game_id, is_former=is_former), Random(game_id)
    game.do(None, Create(game_id, commitment_of(SEED), options, seats, setup))
    greedy = MIGRATO.bot("greedy")
    for number in range(moves):
        now, seat = game.now, game.now.status.to_act
        if seat is None:
            break
        move = MIGRATO.parse_move(rng.choice(MIGRATO.legal_moves(now.state, seat)))
        if now.status.seats[seat].kind == "human":
            if number == 4:
                seed = hint_seed(SEED, game_id, now.version, seat, "greedy")
                game.do(seat, TakeHint("greedy", greedy.version, {"iterations": 7}, seed))
            game.do(seat, move)
        else:
            seed = move_seed(SEED, game_id, now.version)
            game.do(seat, PlayBotMove(move, "greedy", greedy.version, {"iterations": 7}, seed))
    return {str(viewer): parsed(game.export(viewer)) for viewer in (None, *range(len(seats)))}


def migo(moves: int) -> dict[str, Exported]:
    """A game of Migo with a prepared round that has not been laid out yet, as everybody sees it."""
    game = migo_games.created(
        migo_games.ADA, migo_games.bot("greedy"), setup={"rounds": [laid(), laid("E20b E19b", number=2)]}
    )
    for _ in range(moves):
        game.move()
    return {str(viewer): parsed(game.export(viewer)) for viewer in (None, 0, 1)}


ADA, GREEDY = Seat("human", "pl_" + "a" * 20, client_seed="ada"), Seat("bot", bot="greedy", version="1")


@pytest.fixture(scope="module")
def running() -> list[Exported]:
    """Games that run, as everybody sees them: shuffled ones, and ones whose cards were prepared."""
    deck = [face for face, count in _deck().items() for _ in range(count)]
    games = [
        migrato("alter", 12, ADA, GREEDY, memory_aid=True),
        migrato("prepared", 6, ADA, Seat("human", "pl_" + "b" * 20), setup={"deck": deck}),
        migo(8),
    ]
    return [export for game in games for export in game.values()]


def _deck() -> Json:
    """Number of cards of each face in a deck."""
    event: Json = orjson.loads(migrato("deck", 0, ADA, GREEDY)["None"].events[0])
    deck: Json = event["data"]["options"]["deck_list"]
    return deck


def _refused(exports: list[Exported], step: int) -> int:
    """The number of alterations that were made; each is found at its event."""
    count = 0
    for exported in exports:
        assert verify(exported).wrong is None
        for what, at, found, check in verdicts(exported, step):
            assert check is not None, (at, what)
            assert found == at, (at, what, check)
            count += 1
    return count


def test_the_command_refuses_each_at_its_event(running: list[Exported], played: Corpus) -> None:
    """Of games that are over, too: there the whole game is played again for each, so few are made."""
    over = [parsed(played.finished["setup"]), parsed(migo_games.played("prepared 2"))]
    assert _refused(running, 7) > 1000
    assert _refused(over, 97) > 40


@pytest.mark.nightly("a member that is bound by nothing, of an event that is seldom altered")
def test_the_command_refuses_all_of_them(running: list[Exported], played: Corpus) -> None:
    """The command refuses every alteration of every member of every event."""
    seen = [parsed(export) for export in played.running.values()]
    over = [parsed(played.finished["setup"]), parsed(migo_games.played("prepared 2"))]
    assert _refused([*running, *seen], 1) > 10000
    assert _refused(over, 5) > 900


def test_some_alterations_of_a_former_game_pass() -> None:
    """Some alterations of a game in the former form pass, so the tests of the present form can fail."""
    found = verdicts(migrato("alter", 12, ADA, GREEDY, is_former=True)["None"])
    assert sum(check is None for *_, check in found) > 10


def test_the_page_and_the_script_refuse_each(running: list[Exported]) -> None:
    """The page by the same check as the command."""
    asked, expected = list[bytes](), list[str]()
    for exported in running:
        head = EMPTY
        for raw in exported.events:
            for _, document in [*alterations(orjson.loads(raw))][len(asked) % 5 :: 5]:
                with pytest.raises(CheckFailed) as refused:
                    follow(head, document)
                expected.append(refused.value.check)
                asked.append(orjson.dumps({"tip": head._asdict(), "document": document}))
            head = follow(head, orjson.loads(raw))
    assert len(asked) > 1000
    command = [str(NODE), "--no-warnings", str(PROGRAMS / "alterations.mjs")]
    done = subprocess.run(command, input=b"\n".join(asked), capture_output=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[page, script] for page, script in told] == [[check, True] for check in expected]


def test_an_export_for_another_viewer_is_refused(running: list[Exported], tmp_path: Path) -> None:
    """By the command and the page alike; where nobody is shown more than a spectator, it says nothing either way."""
    changed, told = dict[str, bytes](), 0
    for at, exported in enumerate(running):
        header = orjson.loads(exported.header)
        is_alike = header["game"] == "migo"
        for viewer in (None, 0, 1, 2, -1):
            if viewer == header["viewer"] or (is_alike and viewer in (None, 0, 1)):
                continue
            lie = Exported(1, line(header | {"viewer": viewer})[:-1], exported.events, exported.end)
            changed[f"{at} to {viewer}"] = _file(lie)
    found = in_node(tmp_path, changed)
    for name, file in changed.items():
        wrong, there = verify(parsed(file)).wrong, found[name]["wrong"]
        assert wrong is not None, name
        assert there is not None, name
        assert (wrong.check, wrong.version) == (there["check"], there["version"]), name
        told += wrong.check == "header"
    assert (len(changed), told) == (30, 12)


@pytest.mark.nightly("verifiers that differ in a rare event")
def test_three_verifiers_agree_on_a_thousand_games(tmp_path: Path) -> None:
    """As somebody sees them, at some moment or at the end, with and without an alteration."""
    rng, games = Random(35), dict[str, bytes]()
    for number in range(500):
        moves = rng.choice((3, 9, 27, 81, 500))
        exports = migrato(f"m{number}", moves, *rng.choice(((ADA, GREEDY), (GREEDY, ADA), (GREEDY, GREEDY))))
        games[f"migrato {number}"] = _file(rng.choice([*exports.values()]))
        game = migo_games.created(*migo_games.people(rng.choice((2, 3, 4))), game_id=f"o{number}")
        for _ in range(moves):
            if game.now.status.to_act is None:
                break
            game.move()
        games[f"migo {number}"] = game.export(rng.choice((None, 0, 1)))
    for name in rng.sample(sorted(games), 300):
        lines = games[name].split(b"\n")
        at = rng.randrange(1, len(lines) - 2)
        changed = [
            orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for _, one in alterations(orjson.loads(lines[at]))
        ]
        lines[at] = rng.choice([one for one in changed if len(one) > SHORTEST_EVENT])
        games[name] = b"\n".join(lines)
    page = dict[str, Any]()
    names = sorted(games)
    for at in range(0, len(names), 50):
        page |= in_node(tmp_path, {name: games[name] for name in names[at : at + 50]})
    for name in names:
        wrong, there = verify(parsed(games[name]), trusted=None).wrong, page[name]["wrong"]
        assert (wrong is None) == (there is None), (name, wrong, there)
        if wrong is not None:
            assert (wrong.check, wrong.version) == (there["check"], there["version"]), name
        events = b"\n".join(games[name].split(b"\n")[1:-2])
        command = [str(NODE), str(PROGRAMS.parents[2] / "docs/audit/verify.mjs")]
        done = subprocess.run(command, input=events, capture_output=True, timeout=LIMIT, check=False)
        assert (done.returncode == 0) == (wrong is None), (name, wrong, done.stderr)
    assert len(games) == 1000


def _file(exported: Exported) -> bytes:
    return b"\n".join([exported.header, *exported.events, exported.end, b""])
