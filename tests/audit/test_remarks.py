"""Remarks: no check finds it wrong, and a reader is told all the same, of one game, of many, in words and as JSON.

Most of these files could only be made by whoever runs the engine, with the right seed and the right key.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from domain import interventions
from domain.lifecycle import Json, Seat
from domain.migrato.rules.rule_books import TURN_CAP
from domain.takebacks.takebacks import MOST_REQUESTS
from events.audit.findings import REMARKS
from events.audit.remarks.unproven import _usual
from events.audit.verify import verify
from events.engine.access import Caller
from events.log.seeds import hint_seed
from events.times import milliseconds_of, time_of
from service.cli import main
from tests.audit.games import ADA, BO, CREATOR, KEY, TRUSTED, Corpus, Table, parsed, sound
from tests.audit.tamper import Parts, as_person, parts, ruled, timed
from tests.audit.test_running_clocks import relinked

Tamper = Callable[[Parts], object]
LONG = {"iterations": 10**9}


def remarks(export: bytes, *, bots: bool = False) -> dict[str, str]:
    """The remarks by what they are about; the file must pass."""
    report = sound(verify(parsed(export), trusted=TRUSTED, bots=bots))
    assert report.passed
    told: dict[str, list[str]] = {}
    for remark in report.remarks:
        told.setdefault(remark.about, []).append(remark.detail)
    return {about: "; ".join(details) for about, details in told.items()}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


# --- the signer -----------------------------------------------------------------------------------------------------


def test_a_signer_whom_nobody_vouches_for_is_the_last_word(played: Corpus, tmp_path: Path) -> None:
    """Of one game as of many: whoever changes a game can sign it with a key of their own."""
    one, other, keys = tmp_path / "one", tmp_path / "other", tmp_path / "keys"
    one.write_bytes(played.finished["bots"])
    other.write_bytes(parts(played.finished["long"]).reseal().sign().file)
    keys.write_text(json.dumps({"keys": [KEY]}))
    alone = run(one)
    assert alone.exit_code == 0
    assert "signer NOT verified" in alone.stdout.splitlines()[-2]
    assert "signer NOT" not in run(one, "--keys", keys).stdout
    many = run(one, other)
    assert many.exit_code == 0
    for line in many.stdout.splitlines():
        assert line.endswith(f"signer NOT verified: nothing but the file itself names the key {KEY['kid']}")
    assert many.stderr.splitlines()[-2].endswith("; signer NOT verified of 2")
    nobodys = tmp_path / "unsigned"
    nobodys.write_bytes(parts(played.finished["long"]).unsigned().file)
    assert run(one, nobodys).stderr.splitlines()[-2].endswith("; signer NOT verified of 1; NOT signed: 1")
    assert run(nobodys, nobodys).stderr.splitlines()[-2].endswith("games/s); NOT signed: 2")
    *games, total = run(one, other, "--json").stdout.splitlines()
    assert json.loads(total)["summary"]["signer_not_verified"] == len(games) == 2
    for line in games:
        assert json.loads(line)["remarks"][-1]["about"] == "signer"
    trusting = run(one, other, "--keys", keys)
    assert "signer NOT" not in trusting.stdout + trusting.stderr


# --- what only the operator could change ----------------------------------------------------------------------------


def _times_back(export: Parts) -> None:
    """The clock jumps back an hour in the middle, as nothing forbids."""
    at = export.events.index(export.last("move_chosen"))
    for event in export.events[at:]:
        event["at"] = "2001-01-01T00:00:00.000Z"


def _stranger(export: Parts) -> None:
    """A hint of a bot that is not known, with the seed that follows for it."""
    hint = export.first("hint_given")
    hint["data"] |= {"bot": "oracle", "version": "7"}
    seed, game_id = bytes.fromhex(export.end["server_seed"]), export.header["game_id"]
    for since in range(hint["version"]):
        if hint_seed(seed, game_id, since, hint["seat"], "ismcts-easy") == hint["data"]["seed"]:
            hint["data"]["seed"] = hint_seed(seed, game_id, since, hint["seat"], "oracle")
            return
    raise AssertionError("the hint was none of ismcts-easy")


def _ruled(**options: Any) -> Tamper:
    return lambda export: ruled(export, **options)


def _idle(export: Parts) -> None:
    """One search that did nothing."""
    export.chosen("budget")["budget"] = {"iterations": 0}


def _hint_of(budget: Json | None) -> Tamper:
    return lambda export: export.data("hint_given").update(budget=budget)


def _played_by(name: str, value: Any) -> Tamper:
    """Another value in all that is recorded of how seat 0 chose."""

    def tamper(export: Parts) -> None:
        if name == "bot":
            export.events[0]["data"]["seats"][0]["bot"] = value
        for event in export.events:
            if event["type"] == "move_chosen" and event["seat"] == 0 and event["data"][name] is not None:
                event["data"][name] = value

    return tamper


CHANGED: dict[str, tuple[str, Tamper, str, str]] = {
    "times that run backwards": ("bots", _times_back, "times", "has 2001-01-01T00:00:00.000Z, after 20"),
    "a hint of a bot that is not known": ("people", _stranger, "hints", "by oracle 7, which is not known here"),
    "a hint that thought too long": ("people", _hint_of({"iterations": 9}), "hints", "1 cannot have done 9 iterations"),
    "a hint that did not think": ("people", _hint_of({"iterations": 0}), "hints", "have done 0 iterations there"),
    "a hint of a search without one": ("people", _hint_of(None), "hints", "cannot have done no iterations"),
    "a bot that nobody knows": ("search", _played_by("bot", "oracle"), "bots", "has oracle, a bot that is not known"),
    "moves of such a bot": ("search", _played_by("bot", "oracle"), "bots", "are by oracle 1, which"),
    "a version that nobody knows": ("search", _played_by("version", "99"), "bots", "are by ismcts-easy 99, which"),
    "moves after too long a search": ("search", _played_by("budget", LONG), "bots", "have done 1000000000 iterations"),
    "a move without its search": ("search", _idle, "bots", "cannot have done 0 iterations there"),
    "another memory aid": ("bots", _ruled(memory_aid=True), "options", "memory_aid"),
    "a later end of a game that came to its own": ("bots", _ruled(turn_limit=1_999), "options", "turn_limit"),
}  # fmt: skip


def test_changes_are_remarked_on(played: Corpus, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """The files pass, for nothing in them can be refuted; every form of the report tells."""
    for what, (game, tamper, about, words) in CHANGED.items():
        with subtests.test(what):
            honest, changed = played.finished[game], parts(played.finished[game])
            tamper(changed)
            file = changed.reseal().sign().file
            assert words in remarks(file)[about]
            if about != "options":  # of which an honest game leaves as little trace
                assert about not in remarks(honest)
            _is_told_everywhere(tmp_path, file, words)


def _is_told_everywhere(tmp_path: Path, changed: bytes, words: str, *options: str) -> None:
    keys, one = tmp_path / "keys", tmp_path / "changed"
    keys.write_text(json.dumps({"keys": [KEY]}))
    one.write_bytes(changed)
    alone = run(one, "--keys", keys, *options)
    assert alone.exit_code == 0, alone.output
    assert any(line.startswith("  ! ") and words in line for line in alone.stdout.splitlines())
    among = run(one, one, "--keys", keys, *options)
    assert among.exit_code == 0
    assert words in among.stdout.splitlines()[1]
    told = json.loads(run(one, "--json", "--keys", keys, *options).stdout)
    assert told["verdict"] == "passed"
    assert any(words in remark["detail"] for remark in told["remarks"])


def test_a_limit_where_the_cap_is_can_be_called_none(table: Table) -> None:
    """No limit can be called such a limit as well: either way the game ends there."""
    for given, called in ((TURN_CAP, None), (None, TURN_CAP)):
        game_id = table.create(ADA, BO, turn_limit=given)
        table.play(game_id, choose=lambda now: {"type": "exchange"})
        export = parts(honest := table.scored(game_id))
        ruled(export, turn_limit=called)
        for file in (honest, export.reseal().sign().file):
            assert "turn_limit" in remarks(file)["options"]


def test_an_option_that_left_a_trace_is_not_remarked_on(table: Table) -> None:
    """A turn limit that ended the game, a first seat that is not the one that would have been drawn."""
    limited = table.finish(table.create(ADA, BO, turn_limit=4))
    assert "turn_limit" not in remarks(limited)["options"]
    found = set[bool]()
    for _ in range(50):  # it is one or the other by chance
        found.add("first_seat" in remarks(table.finish(table.create(ADA, BO, turn_limit=2)))["options"])
        if len(found) == 2:
            break
    assert found == {True, False}
    drawn = remarks(table.finish(table.create(ADA, BO, turn_limit=2, first_seat="random")))
    assert "first_seat" in drawn["options"]


def test_a_rule_that_made_a_difference_is_not_remarked_on(played: Corpus) -> None:
    """Return flights that were taken; a book whose moves the other does not know. Each remark is tried out."""
    for name, export in played.finished.items():
        taken = {event["type"] for event in parts(export).events}
        told = remarks(export)["options"]
        if "return_flight_taken" in taken:
            assert "return_flight" not in told, name
        for option, other in (("memory_aid", True), ("turn_limit", 1_888), ("return_flight", None)):
            changed = parts(export)
            options = changed.events[0]["data"]["options"]
            for where in (changed.header["rules"], options):
                where[option] = not where[option] if other is None else other
            passes = verify(parsed(changed.reseal().sign().file), trusted=TRUSTED).passed
            assert passes == (option in told), (name, option)


# --- seats ----------------------------------------------------------------------------------------------------------


def test_bots_that_are_called_people_are_remarked_on(table: Table, tmp_path: Path) -> None:
    """By how soon they move; and, asked again, by each of their choices."""
    bots = ("greedy", "ismcts-easy")
    honest = table.finish(table.create(*[Seat("bot", bot=bot) for bot in bots], turn_limit=20))
    assert "people" not in remarks(honest, bots=True)
    for called in ((1,), (0, 1)):
        relabelled = as_person(parts(honest), *called)
        soon, told = remarks(relabelled)["people"], remarks(relabelled, bots=True)["people"].split("; ")
        for seat in called:
            assert f"seat {seat} is called a person's but moves like a program: half its" in soon
            assert any(
                one.startswith(f"seat {seat} ") and f"is that of {bots[seat]}, " in one for one in told
            )
    _is_told_everywhere(tmp_path, relabelled, "is called a person's")
    _is_told_everywhere(tmp_path, relabelled, "is that of ismcts-easy, with the seed", "--bots")


def test_a_strong_bot_that_is_called_a_person_is_remarked_on(table: Table) -> None:
    """Its seeds follow from the server seed, wherever its name was taken away."""
    honest = table.finish(table.create(ADA, Seat("bot", bot="ismcts"), turn_limit=12))
    told = remarks(as_person(parts(honest), 1), bots=True)["people"]
    # The cheapest bot that chooses so is named: in some games a shorter search comes to the same moves.
    assert re.search("is that of ismcts(-easy)?, with the seed", told)


def test_new_tokens_are_remarked_on(played: Corpus, tmp_path: Path) -> None:
    """The holder of the seed and the key can put one in, and another play a person's seat."""
    export = parts(played.finished["reissued"])
    events = [event for event in export.events if event["type"] == "seat_token_reissued"]
    at = {seat: [event["version"] for event in events if event["seat"] == seat] for seat in (0, 1)}
    told = remarks(export.file)["tokens"].split("; ")
    assert [one.partition(":")[0] for one in told] == [
        f"seat {seat} got a new token at event {first} (and {len(later)} more)"
        for seat, (first, *later) in at.items()
    ]
    _is_told_everywhere(tmp_path, export.file, "got a new token")
    assert "tokens" not in remarks(played.finished["people"])


def test_new_tokens_of_a_running_game_are_remarked_on(table: Table) -> None:
    game_id = table.create(ADA, BO)
    table.application.seats.reissue(game_id, 1, CREATOR)
    report = verify(parsed(table.export(game_id)))
    assert report.wrong is None
    version = table.now(game_id).version
    assert [one.detail.partition(":")[0] for one in report.remarks if one.about == "tokens"] == [
        f"seat 1 got a new token at event {version}"
    ]


def test_a_game_without_a_late_client_seed_is_remarked_on(
    played: Corpus, table: Table, tmp_path: Path
) -> None:
    """One that was given at its creation binds nobody; where nothing was dealt by chance, none could."""
    told = remarks(played.finished["search"])["client-seeds"]
    assert told.startswith(
        "no seat gave a client seed after the engine had committed itself (seat 0 gave one before): "
    )
    _is_told_everywhere(tmp_path, played.finished["long"], "no seat gave a client seed")
    for name in ("people", "setup"):
        assert "client-seeds" not in remarks(played.finished[name])
    game_id = table.create(ADA, Seat("open"))
    assert "client-seeds" not in [one.about for one in verify(parsed(table.export(game_id))).remarks]
    table.application.seats.take(game_id, 1, "bo", None, CREATOR)
    assert "client-seeds" in [one.about for one in verify(parsed(table.export(game_id))).remarks]


def test_remote_seats_are_remarked_on(played: Corpus, tmp_path: Path) -> None:
    """A person's seat that is called remote leaves no trace but how soon it moved, and so does one that is remote."""
    told = remarks(played.finished["remote"])["remote"]
    assert told.startswith("seat 0 is called a remote program's, and only the engine says that")
    assert re.search(r": half its \d+ moves came within \d+\.\d{3} s$", told)
    relabelled = parts(played.finished["long"])
    relabelled.events[0]["data"]["seats"][1]["kind"] = "remote"
    hours = remarks(timed(relabelled, timedelta(hours=1)).reseal().sign().file)
    assert hours["remote"].endswith(" moves came within 3600.000 s")
    assert "remote" not in remarks(played.finished["long"])
    _is_told_everywhere(tmp_path, played.finished["remote"], "is called a remote program's")


def test_a_new_token_is_no_move_of_a_person(table: Table) -> None:
    """A new token is no move of a person, even if it was asked for at once."""
    game_id = table.create(ADA, BO, turn_limit=10)
    for number in range(40):
        table.application.seats.reissue(game_id, number % 2, CREATOR)
    slow = timed(parts(table.finish(game_id)), timedelta(hours=1))
    for event, after in zip(slow.events, slow.events[1:], strict=False):
        if after["type"] == "seat_token_reissued":
            after["at"] = event["at"]
    assert "people" not in remarks(slow.reseal().sign().file)


def test_a_person_who_takes_time_is_not_remarked_on(played: Corpus) -> None:
    """An hour between the moves, and choices that no bot makes all of."""
    spaced = timed(parts(played.finished["people"]), timedelta(hours=1))
    assert "people" not in remarks(spaced.reseal().sign().file, bots=True)


def test_moves_that_were_taken_back_hide_no_pace(table: Table) -> None:
    """A program that now and then makes a move slowly, and takes it back, moves no slower for it."""
    game_id = table.create(ADA, Seat("bot", bot="greedy"), turn_limit=12)
    ada, slow = Caller("seat", seat=0, game_id=game_id), set[int]()
    while (now := table.now(game_id)).status.to_act is not None:
        move = table.unseen(now, 0) if now.status.to_act == 0 and len(slow) + 3 <= MOST_REQUESTS else None
        for _ in range(3 if move else 0):
            slow.add(table.now(game_id).version)
            table.application.moves.play(game_id, 0, move or {})
            table.application.takebacks.ask(game_id, 0, ada)
        table.play(game_id, 1)
    quick = timed(parts(table.scored(game_id)), timedelta(milliseconds=10))
    for event in quick.events:
        minutes = sum(version < event["version"] for version in slow)
        event["at"] = time_of(milliseconds_of(event["at"]) + 60_000 * minutes)
    assert "moves like a program" in remarks(quick.reseal().sign().file)["people"]


def test_a_bot_that_is_always_replaced_is_remarked_on(table: Table, tmp_path: Path) -> None:
    """The engine says that it overran its time; another moved in its place again and again."""
    game_id = table.create(Seat("bot", bot="ismcts-expert"), Seat("bot", bot="greedy"), turn_limit=12)
    while (now := table.now(game_id)).status.to_act is not None:
        turns = table.application.bot_turns
        (turns.bot_move if now.status.to_act else turns.fallback_move)(game_id, now.version)
    export = table.scored(game_id)
    moves = sum(event["type"] == "move_chosen" and event["seat"] == 0 for event in parts(export).events)
    told = remarks(export)["replaced"]
    assert told == f"seat 0 (ismcts-expert) was replaced in every one of its {moves} moves: overran {moves}"
    _is_told_everywhere(tmp_path, export, told)


def test_a_bot_that_is_replaced_now_and_then_is_remarked_on(played: Corpus) -> None:
    """Each reason is counted."""
    told = remarks(played.finished["remote"])["replaced"]
    chosen = [e["data"] for e in parts(played.finished["remote"]).events if e["type"] == "move_chosen"]
    reasons = Counter(data["fallback"] for data in chosen if data["fallback"] is not None)
    assert told.startswith(f"seat 0 (remote) was replaced in {reasons.total()} of its ")
    assert told.endswith(", ".join(f"{why} {count}" for why, count in sorted(reasons.items())))


DECIDED = {
    "aborted": ["app tests aborts the game"],
    "never begun": ["app tests aborts the game"],
    "adjudicated": ["app tests adjudicates the game: places 2, 1"],
    "claimed": ["seat "],
    "replaced": [f"app tests puts the bot {bot} in the place of seat" for bot in ("ismcts-easy", "greedy")],
}


def test_decisions_of_an_app_are_remarked_on(played: Corpus, tmp_path: Path) -> None:
    """No check can tell that it was the app, and a result that it gave does not come of the cards."""
    assert "decisions" not in remarks(played.finished["people"])
    for name, words in DECIDED.items():
        export = played.finished[name]
        decided = [event for event in parts(export).events if event["type"] in interventions.KINDS]
        told = remarks(export)["decisions"]
        for event, said in zip(decided, words, strict=True):
            assert f"at event {event['version']} {said}" in told
        _is_told_everywhere(tmp_path, export, words[0])


def test_an_abort_for_silence_tells_how_long_it_was_silent(played: Corpus) -> None:
    """An operator can call any abort one for silence."""
    forged = timed(parts(played.finished["aborted"]), timedelta(seconds=90))
    aborted = forged.last("game_aborted")
    aborted |= {"schema": interventions.WITH_REASON, "data": {**aborted["data"], "reason": "silent"}}
    told = remarks(forged.reseal().sign().file)["decisions"]
    expected = f"at event {aborted['version']} the game is aborted: nobody moves, 90 s after the event before"
    assert told == expected


def test_times_of_a_running_game_are_remarked_on(played: Corpus) -> None:
    """They are seen, whatever else is hidden."""
    export = parts(played.running["spectator"])
    hidden = [event for event in export.events[3:] if event["redacted"]]
    hidden[-1]["at"] = "2001-01-01T00:00:00.000Z"
    report = relinked(export.unsigned())
    assert report.wrong is None
    (told,) = (remark.detail for remark in report.remarks if remark.about == "times")
    assert f"event {hidden[-1]['version']} has 2001-01-01" in told


def test_every_remark_is_one_that_is_listed(played: Corpus) -> None:
    seen = set[str]()
    for export in (*played.finished.values(), *played.running.values()):
        told = [remark.document["about"] for remark in verify(parsed(export)).remarks]
        assert told == sorted(told, key=list(REMARKS).index)
        seen |= {*told}
    assert seen >= {"people", "options"}


def test_a_clock_that_never_ran_out_is_said_to_leave_no_trace(played: Corpus) -> None:
    """Any longer one would have led to the same events; one in which time was up would not."""
    export = parts(played.finished["long"])
    set_ = {**parts(played.finished["forfeited"]).first("clock_set"), "at": export.events[1]["at"]}
    export.events.insert(2, set_)
    file = export.reseal().sign().file
    assert verify(parsed(file), trusted=TRUSTED).passed
    assert "clock" in remarks(file)["options"].split(": ")[1].split(", ")
    for name in ("long", "clock", "forfeited", "out of time"):
        assert "clock" not in remarks(played.finished[name])["options"].split(": ")[1].split(", ")


def test_a_clock_of_former_releases_is_remarked_on(played: Corpus) -> None:
    """It gives more time, and nothing in such a game tells its age."""
    export = parts(played.finished["clock"])
    del export.events[0]["data"]["unrated_because"]
    assert "former releases" not in remarks(export.reseal().sign().file)["options"]
    export.first("clock_set")["schema"] = 1
    assert "former releases" in remarks(export.reseal().sign().file)["options"]


def test_an_outage_that_is_said_to_end_later_is_remarked_on(played: Corpus) -> None:
    """No check: the store's clock and the engine's are two."""
    export = parts(played.finished["clock"])
    assert remarks(export.file)["outages"] == "seats got time back once, 32.0 s in all"
    export.data("clock_credited")["until"] = "2026-11-21T13:00:00.000Z"
    told = remarks(export.reseal().sign().file)["outages"]
    assert told.endswith(" 32.0 s in all; 1 before the outage was over, by the file's own times")


def test_a_search_that_a_bot_without_one_made_for_time_that_was_up(played: Corpus) -> None:
    export = parts(played.finished["clock"])
    chosen = export.first("move_chosen", lambda event: event["data"]["fallback"] == "time-up")
    assert "bots" not in remarks(export.file)
    chosen["data"]["budget"] = {"iterations": 5}
    assert "cannot have done 5 iterations there" in remarks(export.reseal().sign().file)["bots"]


def test_seconds_between_times_are_exact() -> None:
    """Within a minute and beyond it: what is a quarter of a second is one everywhere."""
    times = [f"2026-11-21T10:0{at // 60_000}:{at % 60_000 / 1000:06.3f}Z" for at in range(0, 61_000, 7)]
    for before, at in zip(times, times[50:], strict=False):
        assert _usual([(before, at)]) == 0.35
        assert _usual([(at, before)]) == -0.35
        assert _usual([(before, at), (at, before), (before, at)]) == 0.35
