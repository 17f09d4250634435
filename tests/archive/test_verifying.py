"""`migrato archive verify`, and files of an archive given to `migrato verify`: as thorough as with any export."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from events.archive import file_format
from events.archive.file_format import Member
from events.archive.reader import ArchiveReader
from events.archive.storage import Storage
from events.runtime import bootstrap, key_files
from service.cli import archive_audit
from tests.archive.conftest import Place
from tests.archive.test_command import flipped
from tests.audit.games import KEY
from tests.audit.tamper import Parts, parts
from tests.support.command import migrato
from tests.support.sure import sure

pytestmark = pytest.mark.usefixtures("one_partition")


def told(result: Result) -> list[dict[str, object]]:
    """The objects that `--json` printed, the sum last."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def filed(storage: Storage, members: dict[str, Member], before: str) -> str:
    """A file of these games, in the place of another one; its name."""
    parts_of = sure(file_format.parts_of(before))
    content = file_format.pack(*parts_of, members)
    name = file_format.name_of(*parts_of, content)
    storage.remove(before)
    storage.stage(name, content)
    return name


def rewrite(storage: Storage, game_id: str, change: Callable[[Parts], None]) -> str:
    """Another game in a game's place, with all seals as they must be; the name of the file."""
    (name,) = storage.names()
    members = file_format.unpack(name, storage.read(name))
    one = parts(file_format.unzipped(members[game_id].export))
    change(one)
    one.reseal()
    export = file_format.zipped(one.file)
    members[game_id] = Member(export, members[game_id].private, one.end["version"], one.end["head"])
    return filed(storage, members, name)


def win_by_more(game: Parts) -> None:
    """The last line tells another result."""
    game.end["result"]["scores"][0] += 1


def test_a_game_that_was_rewritten_is_found(place: Place) -> None:
    """By the rules of the game: all that seals it was made anew. One process or several, file or folder."""
    ids = sorted(place.finished(3) for _ in range(3))
    place.move()
    name = rewrite(place.storage, ids[1], win_by_more)
    said = place.archive("verify")
    assert (said.exit_code, said.stdout.count("game ")) == (1, 1)
    assert f"✗ {name}: game {ids[1]}, " in said.stdout
    assert "the check is: result" in said.stdout
    assert said.stdout.splitlines()[-1].startswith("3 games: 2 with nothing wrong, 1 FAILED (")
    assert place.archive("verify", "--jobs", "2").stdout.splitlines()[:-1] == said.stdout.splitlines()[:-1]
    *games, total = told(place.archive("verify", "--json"))
    assert [(game["file"], game["game_id"], game["verdict"]) for game in games] == [
        (name, game_id, "failed" if game_id == ids[1] else "passed") for game_id in ids
    ]
    assert total["summary"]["verdicts"]["failed"] == 1  # type: ignore[index]
    root = place.directory
    for given in (root, root / name):
        said = migrato("verify", given, "--json")
        assert said.exit_code == 1
        again = [(game["game_id"], game["verdict"], game["wrong"]) for game in told(said)[:-1]]
        assert again == [(game["game_id"], game["verdict"], game["wrong"]) for game in games]


def test_only_the_keys_that_are_trusted_will_do(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any, games that nobody vouches for are counted."""
    monkeypatch.chdir(tmp_path)  # away from the keys of an engine that was run in this checkout
    key_files.ensure(tmp_path / "keys")
    place = place.changed(signing_keys=tmp_path / "keys", archive_after=0.0)
    place.finished(3)
    assert bootstrap.mover(place.settings).run().games == 1
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    ours.write_text(json.dumps(place.application.heads.published()))
    theirs.write_text(json.dumps({"keys": [KEY]}))
    said = place.archive("verify")
    assert (said.exit_code, "signer NOT verified of 1" in said.stdout) == (0, True)
    said = place.archive("verify", "--keys", str(ours))
    assert (said.exit_code, "signer" in said.stdout) == (0, False)
    said = place.archive("verify", "--keys", str(theirs))
    assert (said.exit_code, "the check is: signature" in said.stdout) == (1, True)
    assert place.archive("verify", "--keys", str(tmp_path / "none")).exit_code == 2


def test_the_keys_of_the_engine_itself_are_trusted(place: Place, tmp_path: Path) -> None:
    """Unless others are named; a game that was never signed passes beside those, and is counted."""
    own, others = {"MIGRATO_SIGNING_KEYS": str(tmp_path / "keys")}, tmp_path / "others"
    place.finished(3)
    assert place.move().games == 1
    key_files.ensure(tmp_path / "keys")
    key_files.ensure(others)
    signing = place.changed(signing_keys=tmp_path / "keys", archive_after=0.0)
    signing.finished(3)
    assert bootstrap.mover(signing.settings).run().games == 1
    key_files.rotate(tmp_path / "keys")  # the former key is one of the engine's still
    said = place.archive("verify", **own)
    assert (said.exit_code, "signer" in said.stdout, "NOT signed: 1" in said.stdout) == (0, False, True)
    named = tmp_path / "named.json"
    named.write_text(json.dumps(key_files.load(tmp_path / "keys").jwk_set()))
    assert place.archive("verify", "--keys", str(named), **own).exit_code == 1
    said = place.archive("verify", MIGRATO_SIGNING_KEYS=str(others))
    assert (said.exit_code, said.stdout.count("the check is: signature")) == (1, 1)
    (others / key_files.CURRENT).write_text("no key")
    said = place.archive("verify", MIGRATO_SIGNING_KEYS=str(others))
    assert (said.exit_code, "signer NOT verified of 1" in said.stdout) == (0, True)


def test_a_damaged_file_hides_no_other(place: Place) -> None:
    """A game of which one line is another's, in a file that is what its name says; beside it a file that is not."""
    ids = sorted(place.finished(3) for _ in range(3))
    place.move()
    (name,) = place.storage.names()
    members = file_format.unpack(name, place.storage.read(name))
    members[ids[0]] = replace(members[ids[0]], private=members[ids[1]].private)
    name = filed(place.storage, members, name)
    broken = f"2020/01/01/{name[11:]}"
    place.storage.stage(broken, flipped(place.storage.read(name), 100))
    *games, total = told(place.archive("verify", "--json"))
    assert [(game["file"], game["verdict"], game.get("code")) for game in games] == [
        (broken, "unreadable", "damaged"),
        (name, "unreadable", "damaged"),
        (name, "passed", None),
        (name, "passed", None),
    ]
    assert total["summary"]["games"] == 4  # type: ignore[index]
    said = place.archive("verify")
    assert (said.exit_code, ids[0] in said.stderr, broken in said.stderr) == (1, True, True)
    said = migrato("verify", place.directory / broken)  # which reads no private line
    assert (said.exit_code, "does not hold what its name says" in said.stderr) == (2, True)


def test_a_game_that_no_index_names_is_found(place: Place) -> None:
    """Data between the games of a file, or after them, is found: no game can hide where no index names it."""
    ids = sorted(place.finished(3) for _ in range(2))
    place.move()
    (name,) = place.storage.names()
    content, entries = place.storage.read(name), ArchiveReader(place.storage).index(name)
    index_at, _ = file_format.index_place(content[-file_format.FOOTER :])
    for hidden in ids:
        kept = {game_id: entry for game_id, entry in entries.items() if game_id != hidden}
        games = [
            {"game_id": game_id, **{member: getattr(entry, member) for member in file_format.Entry.__slots__}}
            for game_id, entry in kept.items()
        ]
        index = file_format.zipped(
            json.dumps({"index": {"format": file_format.FORMAT, "games": games}}).encode()
        )
        forged = content[:index_at] + index + file_format._footer(index_at, len(index))
        day, partition = file_format.parts_of(name) or ("", 0)
        other = file_format.name_of(day, partition, forged)
        place.storage.stage(other, forged)
        for said in (place.archive("verify"), migrato("verify", place.directory / other)):
            assert said.exit_code in (1, 2)
            assert "that its index does not name" in said.stderr
        place.storage.remove(other)


def test_games_of_a_file_that_gives_way_to_another_are_looked_at_there(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a file gives way to another while they are read, as beside an archiver, the new file's games are checked."""
    ids = [place.finished(3)]
    place.move()
    reader, read = ArchiveReader(place.storage), place.storage.read

    def replaced(name: str) -> bytes:
        if len(ids) == 1:
            ids.append(place.finished(3))
            place.move()
        return read(name)

    monkeypatch.setattr(reader.storage, "read", replaced)
    outcomes = archive_audit.outcomes(reader, archive_audit.Trust(None), False, 1, lambda: None)
    found = [outcome.report.game_id for outcome in outcomes if outcome.report is not None]
    assert found == sorted(ids)


def test_files_of_an_archive_are_read_wherever_they_are(place: Place, tmp_path: Path) -> None:
    """By any name, beside other files, from stdin; what an archiver left behind is none of them; nothing is cut off."""
    ids = sorted(place.finished(3) for _ in range(2))
    place.move()
    (name,) = place.storage.names()
    root, content = place.directory, place.storage.read(name)
    place.storage.stage(f"{name}.0123abcd.tmp", content[:-10])
    export = place.archive("export", "--game", ids[0]).stdout_bytes
    (root / "beside").mkdir()
    (root / "beside" / "game.ndjson").write_bytes(export)
    (tmp_path / "renamed").write_bytes(content)
    games = told(migrato("verify", root, "--json"))[:-1]
    assert [game["game_id"] for game in games] == [*ids, ids[0]]
    for said in (
        migrato("verify", tmp_path / "renamed", "--json"),
        migrato("verify", "-", "--json", typed=content),
    ):
        assert (said.exit_code, [game["game_id"] for game in told(said)[:-1]]) == (0, ids)
    for end in (-1, len(content) // 2):
        (tmp_path / "renamed").write_bytes(content[:end])
        said = migrato("verify", tmp_path / "renamed")
        assert (said.exit_code, "unreadable" in said.stderr) == (2, True)
