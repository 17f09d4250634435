"""openapi.yaml: what the code says, whole, and true to what the service does."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from flask.testing import FlaskClient

from domain.registry import GAMES
from service.http.app import Service
from service.http.documentation.event_reference import reference
from service.http.documentation.openapi import EXAMPLES, as_json, as_yaml, spec
from service.http.problems import KINDS
from service.http.schemas.common.events import SEEN_BY
from service.http.schemas.registry import events_of
from tests.service.contract import description, validator
from tests.service.recording import record, steady
from tests.service.thinking import Worker

EVENTS_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "events.md"
COMMITTED = Path(__file__).parents[2] / "openapi.yaml"
PAGES = {
    "/",
    "/learn",
    "/play/<game>",
    "/join/<game>",
    "/games/<game>",
    "/players/<player>",
    "/leaderboard",
    "/operator",
    "/proof",
    "/assets/<digest>/<path:name>",
    "/developers",
    "/docs",
    "/guide",
    "/guide/<path:name>",
    "/problems",
    "/openapi.json",
    "/openapi.yaml",
}  # for people, or the description itself


def test_committed_files_are_as_the_code_says() -> None:
    """Renew them with `migrato openapi > openapi.yaml` and
    `python -m service.http.documentation.event_reference > docs/reference/events.md`.
    """
    assert COMMITTED.read_text() == as_yaml()
    assert EVENTS_PAGE.read_text() == reference()


def test_both_forms_are_served(client: FlaskClient) -> None:
    """They are of one document, and have entity tags."""
    assert yaml.safe_load(as_yaml()) == orjson.loads(as_json()) == spec()
    for path, body, media_type in (
        ("/openapi.yaml", as_yaml().encode(), "application/yaml"),
        ("/openapi.json", as_json(), "application/json"),
    ):
        answer = client.get(path)
        assert (answer.data, answer.mimetype) == (body, media_type)
        assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_every_resource_is_described(service: Service) -> None:
    """And nothing that is none."""
    routed = {
        (re.sub(r"<\w+:(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in service.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule not in PAGES and not rule.rule.startswith("/static/")
    }
    assert {
        (path, method) for path, methods in description()["paths"].items() for method in methods
    } == routed


@pytest.mark.plain
def test_the_examples_are_as_the_service_answers(client: FlaskClient, worker: Worker) -> None:
    """Played again they give the same, but for ids, tokens, times, digests; renew them by tests.service.recording."""
    assert steady(record(client, worker)) == steady(orjson.loads(EXAMPLES.read_bytes()))


def test_the_examples_fit_their_schemas() -> None:
    """Of requests, of answers, of problems, of parameters."""
    tried = 0
    for content in contents(description()["paths"]):
        check = validator(content["schema"])
        for example in content.get("examples", {}).values():
            if "$ref" in example:
                example = description()["components"]["examples"][example["$ref"].rpartition("/")[2]]
            check.validate(example["value"])
            tried += 1
    assert tried > 30
    operations = [operation for methods in description()["paths"].values() for operation in methods.values()]
    for parameter in (parameter for operation in operations for parameter in operation.get("parameters", [])):
        if "example" in parameter:
            validator(parameter["schema"]).validate(parameter["example"])


def test_every_operation_has_examples() -> None:
    """A request, where there is a body, and an answer; but for what is never the same twice.

    Examples of problems stand under their status.
    """
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            if "requestBody" in operation:
                assert operation["requestBody"]["content"]["application/json"]["examples"], (method, path)
            best = operation["responses"][min(operation["responses"])]
            forms = best.get("content", {}).keys() - {"text/event-stream", "text/plain"}
            assert all(best["content"][form].get("examples") for form in forms), (method, path)
            for status, response in operation["responses"].items():
                problems = response.get("content", {}).get("application/problem+json", {})
                assert {KINDS[code].status for code in problems.get("examples", ())} <= {int(status)}


def test_the_codes_of_problems() -> None:
    """Every code of the table, and no other."""
    assert description()["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == list(KINDS)


def test_null_of_every_optional_member_of_a_body() -> None:
    """The description says what the service does: an explicit null counts as left out, also deep inside a body."""
    bodies = [
        operation["requestBody"]["content"]["application/json"]["schema"]
        for methods in description()["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    ]
    members = list(optional_members(bodies, set()))
    assert len(members) > 30
    for name, schema in members:
        assert validator(schema).is_valid(None), name


def optional_members(node: Any, known: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every optional member of the objects below the node, with its schema."""
    if isinstance(node, dict):
        name = node.get("$ref", "").rpartition("/")[2]
        if name and name not in known:
            known.add(name)
            node = description()["components"]["schemas"][name]
            for member, schema in node.get("properties", {}).items():
                if member not in node.get("required", ()):
                    yield f"{name}.{member}", schema
        for inner in node.values():
            yield from optional_members(inner, known)
    elif isinstance(node, list):
        for inner in node:
            yield from optional_members(inner, known)


@pytest.mark.parametrize("game", GAMES)
def test_events_of_every_kind(game: str) -> None:
    """Each type is a schema of its own, which hides no field but those that it names, and says a sentence on each."""
    schemas, kinds = description()["components"]["schemas"], events_of(game)
    assert {"game_created", "move_chosen", "seat_token_reissued", "game_scored"} <= set(kinds)
    for kind, schema in kinds.items():
        event = schemas[type(schema).__name__]
        assert event["properties"]["type"]["const"] == kind
        data = schemas[event["properties"]["data"]["$ref"].rpartition("/")[2]]
        hidden = event["properties"]["redacted"]["items"].get("enum", [])
        for name, member in data.get("properties", {}).items():
            assert (SEEN_BY in member) == (name in hidden), (kind, name)
            assert "$ref" in member or member["description"].endswith((".", "`")), (kind, name)


def contents(node: Any) -> Iterator[dict[str, Any]]:
    """Every media type object below the node."""
    if isinstance(node, dict):
        yield from node.get("content", {}).values()
        for inner in node.values():
            yield from contents(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from contents(inner)
