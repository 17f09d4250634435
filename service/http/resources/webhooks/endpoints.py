"""Webhooks: addresses to which an app has its games' events sent, and the deliveries to them."""

from typing import Final

from domain.lifecycle import Json
from events.features.apps.scopes import WEBHOOKS
from events.features.webhooks.deliveries import Delivery
from events.features.webhooks.endpoints import EndpointState
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import checked, json_body, meant, query
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas import webhooks as shapes
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.webhooks import ChangedWebhook, DeliveriesQuery, NewWebhook, SecretRotation

webhooks = ApiBlueprint(
    "Webhooks", "Requests to an app's own server, whenever something happens in its games."
)

JSON: Final = "application/json"
PATH: Final = "/v1/webhooks/{webhook_id}"
_NEW, _CHANGED, _ROTATION = NewWebhook(), ChangedWebhook(), SecretRotation()
_DELIVERIES, _NO_QUERY = DeliveriesQuery(), NoQuery()
_OF_ALL: Final = ("unauthorized", "forbidden", "store-unavailable")
_OF_ONE: Final = ("not-found", *_OF_ALL)


@webhooks.operation(
    "POST",
    "/v1/webhooks",
    summary="Create a webhook",
    body=_NEW,
    answers={201: Answer("The webhook, with its secret.", {JSON: shapes.CreatedWebhook()}, ("Location",))},
    problems=(*_OF_ALL, "too-many-webhooks", "busy"),
    scope=WEBHOOKS,
)
def create_webhook() -> Reply:
    """From now on, events of the app's games are sent to the address: as `POST` with a JSON document, signed as
    Standard Webhooks describes, at least once, and in order for each game. With `game_id` only the events of that game
    are sent, and with `seat_token` also what that seat sees. An app may have 20 webhooks.
    """
    app = _app()
    wanted = checked(_NEW, json_body(_NEW))
    state, secret = use_cases().webhooks.create(
        app,
        wanted["url"],
        wanted["types"],
        wanted["description"],
        wanted.get("game_id"),
        wanted.get("seat_token"),
    )
    location = {"Location": f"/v1/webhooks/{state.endpoint.id}"}
    return answer(_document(state) | {"secret": secret}, 201, cache=NO_STORE, headers=location)


@webhooks.operation(
    "GET",
    "/v1/webhooks",
    summary="List the app's webhooks",
    answers={200: Answer("The webhooks.", {JSON: shapes.WebhookList()})},
    problems=_OF_ALL,
    scope=WEBHOOKS,
)
def list_webhooks() -> Reply:
    """All webhooks of the app, without their secrets."""
    app = _app()
    found = use_cases().webhooks.all_of(app)
    return answer({"webhooks": [_document(state) for state in found]}, cache=NO_STORE)


@webhooks.operation(
    "GET",
    PATH,
    summary="Get a webhook",
    answers={200: Answer("The webhook.", {JSON: shapes.Webhook()})},
    problems=_OF_ONE,
    scope=WEBHOOKS,
)
def view_webhook(webhook_id: str) -> Reply:
    """The webhook, without its secret."""
    return answer(_document(use_cases().webhooks.get(_app(), webhook_id)), cache=NO_STORE)


@webhooks.operation(
    "PATCH",
    PATH,
    summary="Change a webhook",
    body=_CHANGED,
    answers={200: Answer("The webhook.", {JSON: shapes.Webhook()})},
    problems=_OF_ONE,
    scope=WEBHOOKS,
)
def change_webhook(webhook_id: str) -> Reply:
    """Changes what the body names. What waits for the webhook is sent to a new `url` too, and other `types` hold for
    events that are not waiting yet.
    """
    app = _app()
    body = json_body(_CHANGED)
    wanted = meant(body, checked(_CHANGED, body))
    return answer(_document(use_cases().webhooks.change(app, webhook_id, wanted)), cache=NO_STORE)


@webhooks.operation(
    "DELETE",
    PATH,
    summary="Delete a webhook",
    answers={204: Answer("The webhook is deleted.", {})},
    problems=_OF_ONE,
    scope=WEBHOOKS,
)
def delete_webhook(webhook_id: str) -> Reply:
    """Deletes the webhook with its secrets and all deliveries that wait or were given up. An attempt that is under way
    may still arrive.
    """
    use_cases().webhooks.delete(_app(), webhook_id)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})


@webhooks.operation(
    "POST",
    f"{PATH}/ping",
    summary="Ping a webhook",
    answers={202: Answer("The ping is on its way.", {JSON: shapes.PingSent()})},
    problems=(*_OF_ONE, "rate-limited"),
    scope=WEBHOOKS,
)
def ping_webhook(webhook_id: str) -> Reply:
    """Sends an event of the type `ping`, once, whatever `types` the webhook has. One that does not arrive is listed
    among the dead deliveries, with the reason.
    """
    delivery = use_cases().webhooks.ping(_app(), webhook_id)
    return answer({"delivery_id": delivery}, 202, cache=NO_STORE)


@webhooks.operation(
    "POST",
    f"{PATH}/secret",
    summary="Replace a webhook's secret",
    body=_ROTATION,
    body_required=False,
    answers={201: Answer("The new secret.", {JSON: shapes.RotatedSecret()})},
    problems=(*_OF_ONE, "rate-limited"),
    scope=WEBHOOKS,
)
def rotate_webhook_secret(webhook_id: str) -> Reply:
    """From now on deliveries carry a signature by the new secret, and for `overlap` seconds another by the old secret.
    Those before it sign until the end that they had, five in all; with an `overlap` of 0 none does.
    """
    app = _app()
    wanted = checked(_ROTATION, json_body(_ROTATION, optional=True))
    secret, until = use_cases().webhooks.rotate(app, webhook_id, wanted["overlap"])
    return answer({"secret": secret, "former_expires_at": until}, 201, cache=NO_STORE)


@webhooks.operation(
    "GET",
    f"{PATH}/deliveries",
    summary="List deliveries that have not arrived",
    query=_DELIVERIES,
    answers={200: Answer("The deliveries.", {JSON: shapes.WebhookDeliveriesPage()})},
    problems=_OF_ONE,
    scope=WEBHOOKS,
)
def list_deliveries(webhook_id: str) -> Reply:
    """The dead deliveries, which were given up, or with `status=waiting` those that are still tried. A delivery is
    given up a day after its event; the last 1,000 are kept.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    wanted = query(_DELIVERIES)
    found, following = use_cases().webhooks.deliveries(
        app, webhook_id, dead=wanted["status"] == "dead", after=wanted.get("cursor"), limit=wanted["limit"]
    )
    return answer({"deliveries": [_delivery(one) for one in found], "next": following}, cache=NO_STORE)


@webhooks.operation(
    "POST",
    f"{PATH}/deliveries/{{delivery_id}}/resend",
    summary="Send a dead delivery again",
    answers={202: Answer("The delivery is on its way.", {JSON: shapes.WebhookDelivery()})},
    problems=_OF_ONE,
    scope=WEBHOOKS,
)
def resend_delivery(webhook_id: str, delivery_id: str) -> Reply:
    """Tries a dead delivery again, for up to another day, with the same id. Its event comes after the events of its
    game that have arrived meanwhile.
    """
    again = use_cases().webhooks.resend(_app(), webhook_id, delivery_id)
    return answer(_delivery(again), 202, cache=NO_STORE)


def _app() -> str:
    """The app that asks; the operation has no query."""
    app = use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    return app


def _document(state: EndpointState) -> Json:
    endpoint = state.endpoint
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "types": list(endpoint.types),
        "description": endpoint.description,
        "game_id": endpoint.game_id,
        "seat": endpoint.seat,
        "created_at": endpoint.created_at,
        "disabled": endpoint.disabled is not None,
        "disabled_reason": endpoint.disabled,
        "waiting": state.waiting,
        "dead": state.dead,
    }


def _delivery(delivery: Delivery) -> Json:
    message = delivery.logged.message
    return {
        "id": delivery.id,
        "type": message.type,
        "timestamp": message.at,
        "game_id": message.game_id or None,
        "attempts": delivery.attempts,
        "response_status": delivery.status,
        "error": delivery.error,
    }
