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
from service.http.documentation.openapi import as_json, as_yaml, spec
from service.http.documentation.sharing import whole
from service.http.page.assets import ROUTES
from service.http.problems import KINDS
from service.http.schemas.common.events import SEEN_BY
from service.http.schemas.of_each_game import GAME_SCHEMAS, events_of
from tests.service.contract import description, resolved, validator

EVENTS_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "events.md"
COMMITTED = Path(__file__).parents[2] / "openapi.yaml"
PAGES = {
    *ROUTES,
    "/assets/<digest>/<path:name>",
    "/developers",
    "/embed/<game>",
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
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the former is much faster
    assert yaml.load(as_yaml(), Loader=loader) == orjson.loads(as_json()) == spec()
    for path, body, media_type in (
        ("/openapi.yaml", as_yaml().encode(), "application/yaml"),
        ("/openapi.json", as_json(), "application/json"),
    ):
        answer = client.get(path)
        assert (answer.data, answer.mimetype) == (body, media_type)
        assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_every_resource_is_described(service: Service) -> None:
    """The description has every resource, and nothing else."""
    routed = {
        (re.sub(r"<\w+:(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in service.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule not in PAGES and not rule.rule.startswith("/static/")
    }
    assert {
        (path, method) for path, methods in description()["paths"].items() for method in methods
    } == routed


def test_a_new_net_changes_no_contract() -> None:
    """Versions of bots that name their net stand in no example, and nowhere else."""
    versions = {bot.version for game in GAMES.values() for bot in game.bots.values() if "-" in bot.version}
    assert versions
    assert [version for version in versions if version in as_yaml()] == []


def test_the_examples_fit_their_schemas() -> None:
    """Of requests, of answers, of problems, of parameters; a generated client sends a parameter's default by itself."""
    tried = 0
    for content in contents(description()):
        check = validator(content["schema"])
        for example in content.get("examples", {}).values():
            if "$ref" in example:
                example = resolved(example)
            check.validate(example["value"])
            tried += 1
    assert tried > 30
    operations = [operation for methods in description()["paths"].values() for operation in methods.values()]
    for parameter in (
        resolved(named) for operation in operations for named in operation.get("parameters", [])
    ):
        for value in (parameter.get("example"), parameter["schema"].get("default")):
            if value is not None:
                validator(parameter["schema"]).validate(value)


def test_every_body_has_an_example() -> None:
    """So has the answer from which a program starts to play; examples of problems stand under their status."""
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            if "requestBody" in operation:
                assert operation["requestBody"]["content"]["application/json"]["examples"], (method, path)
            for status, response in operation["responses"].items():
                problems = resolved(response).get("content", {}).get("application/problem+json", {})
                assert {KINDS[code].status for code in problems.get("examples", ())} <= {int(status)}
    started = description()["paths"]["/v1/games"]["post"]["responses"]["201"]["content"]["application/json"]
    assert started["examples"]


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
        event = whole(schemas[type(schema).__name__], schemas)
        assert event["properties"]["type"]["const"] == kind
        data = whole(event["properties"]["data"], schemas)
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


def test_the_options_of_a_game_are_those_of_its_table() -> None:
    """By name, with the words and the bounds of each; what follows is marked."""
    schemas = description()["components"]["schemas"]
    for name, game in GAMES.items():
        asked = schemas[type(GAME_SCHEMAS[name].options).__name__]["properties"]
        resolved = schemas[type(GAME_SCHEMAS[name].resolved_options).__name__]["properties"]
        assert list(resolved) == [option.name for option in game.option_table]
        assert set(asked) == set(resolved)
        for option in game.option_table:
            told = asked[option.name]
            assert ("x-follows" in told) == (option.kind == "follows")
            if option.kind == "int":
                assert (told["minimum"], told["maximum"]) == (option.minimum, option.maximum)
            if option.kind == "choice" and "enum" in told:
                assert tuple(word for word in told["enum"] if word is not None) == option.choices


def test_the_document_is_read_by_tools() -> None:
    """It is small; a game is named by an enum; a discriminator stands beside documents alone; all components are
    referred to.
    """
    assert len(as_yaml()) < 300_000
    text = as_json().decode()
    for node in objects(description()):
        game = node.get("properties", {}).get("game", {"enum": ()})
        assert {"const", "enum", "anyOf", "oneOf"} & game.keys(), node
        if "discriminator" in node:
            assert [reference["$ref"] for reference in node["oneOf"]] == [
                *node["discriminator"]["mapping"].values()
            ]
    for kind, named in description()["components"].items():
        if kind != "securitySchemes":
            assert [name for name in named if f'"#/components/{kind}/{name}"' not in text] == []


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every object of the document."""
    if isinstance(node, dict):
        yield node
        for inner in node.values():
            yield from objects(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from objects(inner)
