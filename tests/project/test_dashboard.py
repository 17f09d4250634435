"""The dashboard asks for metrics that exist, by labels that they have."""

import json
import re
from typing import Any

from prometheus_client.metrics import MetricWrapperBase

from events.runtime import metrics
from service.http.operations import queue_metrics, server_metrics
from tests.support.markdown import ROOT

Json = dict[str, Any]
DASHBOARD: Json = json.loads((ROOT / "docs/grafana/migrato-engine.json").read_text())
PANELS: list[Json] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [(panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]]
OF_A_HISTOGRAM = ("_bucket", "_sum", "_count")
OF_PROMETHEUS = {"job", "instance", "le"}
EVICTED = "migrato_store_evicted_keys"  # the one counter among them
NOT_SHOWN = {"migrato_cache_entries"}  # the bytes say more


def documented() -> dict[str, set[str]]:
    """The labels of each metric, as docs/reference/metrics.md has them."""
    page = (ROOT / "docs/reference/metrics.md").read_text()
    found = dict[str, set[str]]()
    for line in page.splitlines():
        if line.startswith("| `migrato_"):
            names, labels, _ = line.strip("| ").split(" | ", 2)
            found |= {name: set(re.findall(r"`(\w+)`", labels)) for name in re.findall(r"`(\w+)`", names)}
    return found


def existing() -> dict[str, set[str]]:
    """The labels of each metric, as the code has them."""
    found = dict[str, set[str]]()
    for value in vars(metrics).values():
        if isinstance(value, MetricWrapperBase):
            name = f"{value._name}_total" if value._type == "counter" else value._name
            found[name] = set(value._labelnames)
    return found


DOCUMENTED = documented()


def test_the_page_lists_what_there_is() -> None:
    """The further metrics of the code are asked of the servers and the machine when /metrics is read."""
    modules = (queue_metrics, server_metrics)
    text = "".join((ROOT / str(module.__file__)).read_text() for module in modules)
    asked = set(re.findall(r'"(migrato_\w+)"', text)) - {EVICTED} | {f"{EVICTED}_total"}
    assert DOCUMENTED.keys() == existing().keys() | asked
    assert {name: DOCUMENTED[name] for name in existing()} == existing()


def test_queries_ask_for_metrics_that_exist() -> None:
    """By labels that they have, in selectors and groups; brackets are closed."""
    for _, query in QUERIES:
        check(query)


def check(query: str) -> None:
    """AssertionError unless the query asks for metrics that exist, by labels that they have."""
    asked = re.findall(r"(migrato_\w+)\{([^}]*(?:\{\w+\}[^}]*)*)\}", query)
    assert len(asked) == query.count("migrato_"), "a metric without a selector"
    labels = set[str]()
    for name, selector in asked:
        base = name
        if name not in DOCUMENTED:
            base = next(name.removesuffix(end) for end in OF_A_HISTOGRAM if name.endswith(end))
            assert base.endswith("_seconds"), "no histogram"
        labels |= DOCUMENTED[base]
        assert set(re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", selector)) <= DOCUMENTED[base] | OF_PROMETHEUS
        assert 'job=~"$job"' in selector
        counts = name.endswith(("_total", *OF_A_HISTOGRAM))
        assert counts == bool(re.search(rf"(rate|increase)\({name}\{{", query)), "only what counts has a rate"
    for group in re.findall(r"by \(([^)]*)\)", query):
        assert set(group.split(", ")) <= labels | OF_PROMETHEUS
    for opening, closing in ("()", "[]", "{}"):
        assert query.count(opening) == query.count(closing)


def test_every_metric_is_on_the_dashboard() -> None:
    """Every metric is on the dashboard, so an operator sees all that is measured."""
    shown = " ".join(query for _, query in QUERIES)
    assert {name for name in DOCUMENTED if name not in shown} == NOT_SHOWN


def test_it_can_be_imported() -> None:
    """Panels have ids and places of their own, and the data source is the importer's choice."""
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    assert len(set(places)) == len(places)
    assert {panel["datasource"]["uid"] for panel in PANELS} == {"${datasource}"}
    assert [variable["name"] for variable in DASHBOARD["templating"]["list"]] == ["datasource", "job"]
