"""An auditor's copy of a game is the same bytes before and after it moved, and is verified offline."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from events.runtime import bootstrap, key_files
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from service.http.app import create_app
from tests.archive.conftest import Place, finished
from tests.support.command import migrato


def test_an_archived_game_is_given_as_the_service_gave_it(place: Place, tmp_path: Path) -> None:
    """Signed, whole, from Redis, through the API from the archive, and out of the file; replayed and forked, too."""
    key_files.ensure(tmp_path / "keys")
    place = place.changed(signing_keys=tmp_path / "keys", archive_after=0.0)
    client, game_id = create_app(place.settings, place.application).test_client(), place.finished()
    paths = [f"/v1/games/{game_id}{path}" for path in ("/export", "/replay", "/head", "?version=3")]
    before = [client.get(path).data for path in paths]
    assert b'"signature":"' in before[0]
    assert bootstrap.mover(place.settings).run().games == 1
    client = create_app(place.settings).test_client()
    assert [client.get(path).data for path in paths] == before
    assert place.archive("export", "--game", game_id).stdout_bytes == before[0]
    assert client.get(f"/v1/games/{game_id}/audit").status_code == 200
    (tmp_path / "game.ndjson").write_bytes(before[0])
    verified = migrato("verify", tmp_path / "game.ndjson")
    assert verified.exit_code == 0, verified.output
    forked = client.post(f"/v1/games/{game_id}/fork", json={"version": 2})
    assert forked.status_code == 201, forked.text


def test_beside_an_embedded_store_the_keys_of_the_data_directory_sign(short_path: Path) -> None:
    """Nobody names them to `archive run`: the file has the export that the API gave, byte by byte."""
    data = short_path / "data"
    environ = {"MIGRATO_DATA_DIR": str(data), "MIGRATO_ARCHIVE_AFTER": "0", "MIGRATO_FSYNC": "no"}
    run = partial(migrato, "archive", **environ)
    key_files.ensure(key_files.keys_of(data))
    with EmbeddedServer(data, "no") as server:
        settings = Settings(redis_url=server.url, signing_keys=key_files.keys_of(data))
        application = bootstrap.application(settings)
        game_id = finished(application)
        before = create_app(settings, application).test_client().get(f"/v1/games/{game_id}/export").data
        assert b'"signature":"' in before
        unlooked = finished(application)
        assert run("run").exit_code == 0
    assert run("export", "--game", game_id).stdout_bytes == before
    assert b'"signature":"' in run("export", "--game", unlooked).stdout_bytes


@pytest.mark.usefixtures("one_partition")
@pytest.mark.parametrize("back", [True, False], ids=["brought back", "only in its file"])
def test_a_game_that_was_filed_without_its_signature_is_filed_again(
    place: Place, tmp_path: Path, back: bool
) -> None:
    """By the next run that comes to its file; and without keys what was signed stays as it is."""
    key_files.ensure(tmp_path / "keys")
    keyless = replace(place.settings, archive_after=0.0)
    place = place.changed(signing_keys=tmp_path / "keys", archive_after=0.0)
    game_id, client = place.finished(), create_app(place.settings, place.application).test_client()
    before = client.get(f"/v1/games/{game_id}/export").data

    def filed() -> bytes:
        return place.archive("export", "--game", game_id).stdout_bytes

    assert bootstrap.mover(keyless).run().games == 1
    assert b'"signature":null' in filed()
    if back:
        assert place.archive("restore", game_id).exit_code == 0
    else:
        place.finished()
    assert bootstrap.mover(place.settings).run().games == 1
    assert filed() == before
    place.finished()
    assert bootstrap.mover(keyless).run().games == 1
    assert filed() == before
