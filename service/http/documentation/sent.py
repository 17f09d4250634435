"""Requests that the engine sends to an app's webhooks and to remote bots: `webhooks` and `callbacks` in
openapi.yaml.
"""

from typing import Any, Final

from marshmallow import Schema

from service.http.documentation.of_game import Plugin
from service.http.schemas.common.sent import ChoiceDone, Ping, RemoteAnswer, RemoteQuestion
from service.http.schemas.webhooks import WebhookMessage

Json = dict[str, Any]

APP_EVENT, BOT_QUESTION = "app_event", "bot_question"
CALLBACKS: Final = {
    "create_game": (BOT_QUESTION, "{$request.body#/seats/0/url}"),
    "create_webhook": (APP_EVENT, "{$request.body#/url}"),
}  # operations from which such requests follow, and the expression of their address
HEADERS: Final = {
    "webhook-id": "The id of the message, the same in every attempt.",
    "webhook-timestamp": "The time of this attempt, in seconds since 1970.",
    "webhook-signature": "`v1,` and an HMAC-SHA256 of both and the body, for each secret that is valid.",
}


def callbacks(endpoint: str) -> Json:
    """Requests that follow from an operation."""
    if endpoint not in CALLBACKS:
        return {}
    name, address = CALLBACKS[endpoint]
    return {"callbacks": {name: {address: {"$ref": f"#/webhooks/{name}"}}}}


def webhooks(plugin: Plugin) -> Json:
    """The requests by name."""
    move = {"schema": _reference(plugin, RemoteAnswer())}
    return {
        APP_EVENT: {
            "post": {
                "operationId": APP_EVENT,
                "tags": ["Webhooks"],
                "summary": "Receive an event of a game",
                "description": "Any status from 200 to 299 within 10 seconds means that the event has arrived.",
                **_request(plugin, WebhookMessage(), Ping(), ChoiceDone()),
                "responses": {
                    "2XX": {"description": "The event has arrived."},
                    "410": {"description": "The webhook is to be disabled."},
                },
            }
        },
        BOT_QUESTION: {
            "post": {
                "operationId": BOT_QUESTION,
                "tags": ["Bots"],
                "summary": "Answer with a move",
                "description": "A `remote` seat is to move. Its bot has 5 seconds, unless the operator has set another "
                "limit.",
                **_request(plugin, RemoteQuestion()),
                "responses": {
                    "200": {"description": "The bot's move.", "content": {"application/json": move}},
                    "401": {"description": "The engine has not signed this."},
                },
            }
        },
    }


def _request(plugin: Plugin, *shapes: Schema) -> Json:
    forms = [_reference(plugin, shape) for shape in shapes]
    content = {"application/json": {"schema": forms[0] if len(forms) == 1 else {"oneOf": forms}}}
    return {
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": words,
                "schema": {"type": "string"},
            }
            for name, words in HEADERS.items()
            # written out: openapi-generator reads no references here, and would see three parameters without names
        ],
        "requestBody": {"required": True, "content": content},
        "security": [],
    }


def _reference(plugin: Plugin, shape: Schema) -> Json:
    assert plugin.converter is not None
    return dict(plugin.converter.resolve_nested_schema(shape))  # type: ignore[no-untyped-call]
