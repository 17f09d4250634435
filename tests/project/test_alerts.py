"""Alerts ask for metrics that exist, lead to a section of the runbook, and fire when they should."""

import re
from typing import Any, Final

import yaml

from tests.project.test_dashboard import DOCUMENTED
from tests.support.markdown import ROOT, anchors
from tests.support.programs import program
from tests.support.running import output

FOLDER: Final = ROOT / "docs/prometheus"
RULES: Final = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"][0]["rules"]
TESTS: Final = yaml.safe_load((FOLDER / "alerts.test.yaml").read_text())["tests"]
RUNBOOK: Final = ROOT / "docs/how-to/runbook.md"


def test_each_has_a_section_of_the_runbook() -> None:
    """Each section has an alert."""
    sections = anchors(RUNBOOK) - {"runbook"}
    assert {rule["alert"].lower() for rule in RULES} == sections
    for rule in RULES:
        assert rule["annotations"]["runbook_url"] == f"/guide/how-to/runbook#{rule['alert'].lower()}"


def test_each_asks_for_metrics_that_exist() -> None:
    """Each alert asks for metrics that exist, by labels that these have."""
    for rule in RULES:
        told = f"{rule['expr']} {rule['annotations']['summary']}"
        names = set(re.findall(r"migrato_\w+", rule["expr"]))
        assert names <= DOCUMENTED.keys(), rule["alert"]
        labels = {label for name in names for label in DOCUMENTED[name]} | {"job", "instance"}
        asked = re.findall(r"(\w+)(?:=~|!=|!~|=)\"", rule["expr"]) + re.findall(r"\$labels\.(\w+)", told)
        assert set(asked) <= labels, rule["alert"]


def test_each_has_a_moment_of_silence_and_one_of_noise() -> None:
    moments: dict[str, set[bool]] = {}
    for moment in (moment for test in TESTS for moment in test["alert_rule_test"]):
        expected: list[Any] = moment["exp_alerts"]
        moments.setdefault(moment["alertname"], set()).add(bool(expected))
    assert moments == {rule["alert"]: {False, True} for rule in RULES}


def test_prometheus_agrees() -> None:
    """Prometheus's own tool accepts the alerts, and plays the series of their tests."""
    promtool = program("promtool", "prometheus")
    output([promtool, "check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml"], FOLDER)
    output([promtool, "test", "rules", "alerts.test.yaml"], FOLDER)
