"""Objects of deploy/kubernetes: the parts of compose.yaml, told settings that there are, and as confined."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from events.engine.pending_action import GAME_QUEUE
from events.runtime import metrics
from events.runtime.heartbeat import VARIABLE, Heartbeat
from events.runtime.settings import Settings, load
from tests.project.composition import composition
from tests.support.running import ROOT

Json = dict[str, Any]
FOLDER = ROOT / "deploy" / "kubernetes"
FOLDERS = [FOLDER, FOLDER / "engine", FOLDER / "stores"]
GUIDE = ROOT / "docs/how-to/run-on-kubernetes.md"
SERVICES: dict[str, Json] = composition()["services"]
AS_IN_COMPOSE = {"worker": "bots", "thinker": "thinkers", "redis": "store"}  # names that differ
NOT_HERE = {"stream", "tools", "keys"}  # the same as `web`, and what runs once
COMPONENT = "app.kubernetes.io/component"
IN_SECRETS = {"MIGRATO_REDIS_URL": "redis://:p@store:6379/0", "MIGRATO_QUEUE_URL": "redis://:p@queue:6379/0"}


def documents(path: Path) -> Iterator[Json]:
    yield from yaml.safe_load_all(path.read_text())


def objects_in(folder: Path, pattern: str = "*.yaml") -> list[Json]:
    """All that the files of a folder describe."""
    files = [path for path in sorted(folder.glob(pattern)) if path.name != "kustomization.yaml"]
    return [document for path in files for document in documents(path)]


EVERYTHING = objects_in(FOLDER, "*/*.yaml")
WORKLOADS = {
    one["metadata"]["name"]: one for one in EVERYTHING if one["kind"] in ("Deployment", "StatefulSet")
}
PODS: dict[str, Json] = {name: one["spec"]["template"]["spec"] for name, one in WORKLOADS.items()}
ENGINE = {name: pod for name, pod in PODS.items() if name not in ("store", "queue")}
JOBS: dict[str, Json] = {
    one["metadata"]["name"]: one["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    for one in EVERYTHING
    if one["kind"] == "CronJob"
}
CONTAINERS = [(pod, container) for pod in PODS.values() for container in pod["containers"]]
SETTINGS = next(one for one in EVERYTHING if one["kind"] == "ConfigMap")["data"]


def environment(container: Json) -> dict[str, str]:
    """All that a process of the engine is told."""
    own: dict[str, str] = {one["name"]: one["value"] for one in container.get("env", ())}
    return {**SETTINGS, **IN_SECRETS, **own}


def mounts(container: Json) -> dict[str, str]:
    """The volumes that the container has, and how."""
    return {one["name"]: "ro" if one.get("readOnly") else "rw" for one in container["volumeMounts"]}


def test_the_parts_are_those_of_compose() -> None:
    wanted = {
        AS_IN_COMPOSE.get(name, name): service for name, service in SERVICES.items() if name not in NOT_HERE
    }
    assert set(PODS) == set(wanted)
    for name, pod in ENGINE.items():
        assert pod["containers"][0].get("command") == wanted[name].get("command"), name


def test_the_servers_are_told_the_same() -> None:
    """Only the way of the password differs, and the limit of the store's memory."""
    for name, service in (("store", SERVICES["redis"]), ("queue", SERVICES["queue"])):
        (server,) = PODS[name]["containers"]
        assert server["image"] == service["image"]
        assert [f"{PODS[name]['securityContext'][who]}" for who in ("runAsUser", "runAsGroup")] == service[
            "user"
        ].split(":")
        ours, theirs = (one["command"] for one in (server, service))
        assert (ours[0], ours[1::2]) == (theirs[0], theirs[1::2])
        assert all(mine == other for mine, other in zip(ours, theirs, strict=True) if "$" not in other)


def test_every_process_is_told_settings_that_exist() -> None:
    for name, container in (
        (name, one) for name, pod in {**ENGINE, **JOBS}.items() for one in pod["containers"]
    ):
        known = load(environment(container))
        has = mounts(container)
        assert name != "web" or known.drain_seconds < ENGINE[name]["terminationGracePeriodSeconds"]
        assert (known.signing_keys is not None) == ("keys" in has)
        assert (known.archive is not None) == ("archive" in has)


def test_keys_and_archive_are_where_compose_has_them() -> None:
    for service, described in SERVICES.items():
        if (name := AS_IN_COMPOSE.get(service, service)) not in ENGINE:
            continue
        volumes = [volume.split(":") for volume in described["volumes"]]
        wanted = {volume: mode[0] if mode else "rw" for volume, _, *mode in volumes}
        assert mounts(ENGINE[name]["containers"][0]) == {"tmp": "rw"} | wanted, name


def named(kind: str) -> set[str]:
    """The parts that have one of this kind."""
    return {one["metadata"]["name"] for one in EVERYTHING if one["kind"] == kind}


def test_every_part_of_the_engine_is_scaled_or_has_its_number() -> None:
    """Each has a disruption budget."""
    assert named("PodDisruptionBudget") == set(ENGINE)
    fixed = {name: WORKLOADS[name]["spec"].get("replicas") for name in ENGINE}
    scaled = named("HorizontalPodAutoscaler")
    assert scaled == {"web", "bots", "thinkers"}
    assert {name for name, number in fixed.items() if number is None} == scaled


def test_every_container_has_a_probe_that_restarts_it() -> None:
    """HTTP is asked for its health, a server is pinged, and a worker's file must be young."""
    for _, container in CONTAINERS:
        probe = container["livenessProbe"]
        pulse = {one["name"]: one.get("value") for one in container.get("env", ())}.get("MIGRATO_PULSE")
        if "httpGet" in probe:
            assert (probe["httpGet"], pulse) == ({"path": "/healthz", "port": "http"}, None)
        elif pulse is not None:
            (writable,) = (one["mountPath"] for one in container["volumeMounts"] if one["name"] == "tmp")
            assert str(Path(pulse).parent) == writable
            assert pulse in probe["exec"]["command"][-1]
        else:
            assert "valkey-cli ping" in probe["exec"]["command"][-1]
            assert "valkey" in container["image"]


def test_a_disk_that_stalls_gets_no_store_killed() -> None:
    """Five minutes pass before the store is started again, and one before the queue is, which has no disk."""
    probes = {name: PODS[name]["containers"][0]["livenessProbe"] for name in ("store", "queue")}
    patience = {name: probe["periodSeconds"] * probe["failureThreshold"] for name, probe in probes.items()}
    assert patience == {"store": 300, "queue": 60}


def test_a_workers_probe_looks_how_old_its_file_is(tmp_path: Path) -> None:
    """By the very words in the manifests, in a shell."""
    probes = [one["livenessProbe"] for pod in ENGINE.values() for one in pod["containers"]]
    (words,) = {probe["exec"]["command"][-1] for probe in probes if "exec" in probe}
    file = tmp_path / "alive"
    command = ["sh", "-c", words.replace("/tmp/alive", str(file))]

    def is_alive() -> bool:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    assert not is_alive()
    Heartbeat.from_environ({VARIABLE: str(file)}).beat()
    assert is_alive()
    hangs_since = file.stat().st_mtime - 31
    os.utime(file, (hangs_since, hangs_since))
    assert not is_alive()


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl, which is not installed")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_kustomize_renders_what_is_applied(folder: Path) -> None:
    """Every object of the folder once, in its namespace, with the image's name and release."""
    rendered = subprocess.run(
        ["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=True
    ).stdout
    objects = [one for one in yaml.safe_load_all(rendered) if one]
    wanted = EVERYTHING if folder == FOLDER else objects_in(folder)
    names = [(one["kind"], one["metadata"]["name"]) for one in objects]
    assert sorted(names) == sorted((one["kind"], one["metadata"]["name"]) for one in wanted)
    assert {one["metadata"].get("namespace") for one in objects} == {"migrato"}
    images = set(re.findall(r"image: (migrato-engine\S*)", rendered))
    assert images == (set() if folder.name == "stores" else {"migrato-engine:latest"})


def test_the_alerts_become_an_object_of_the_operator(tmp_path: Path) -> None:
    """By the words of the guide, and the pods that its PodMonitor asks have that port."""
    blocks = re.findall(r"^```(yaml|text)\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    (words,) = (text for kind, text in blocks if kind == "text" and "PrometheusRule" in text)
    (tmp_path / "kubectl").write_text("#!/bin/sh\ncat\n")
    (tmp_path / "kubectl").chmod(0o755)
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    said = subprocess.run(
        ["bash", "-c", words], cwd=ROOT, env=environ, capture_output=True, text=True, check=True
    )
    alerts = yaml.safe_load((ROOT / "docs/prometheus/alerts.yaml").read_text())
    assert yaml.safe_load(said.stdout)["spec"] == alerts
    (monitor,) = (yaml.safe_load(text) for kind, text in blocks if kind == "yaml" and "PodMonitor" in text)
    (chosen,) = monitor["spec"]["selector"]["matchExpressions"]
    (asked,) = monitor["spec"]["podMetricsEndpoints"]
    for name in chosen["values"]:
        ports = [port["name"] for one in PODS[name]["containers"] for port in one.get("ports", [])]
        assert ports == [asked["port"]]


def test_old_backups_go_when_a_new_one_has_come(tmp_path: Path) -> None:
    """By the very words of the job, in a shell; a backup that fails removes nothing."""
    (container,) = JOBS["backup"]["containers"]
    program, backups = tmp_path / "migrato", tmp_path / "backups"
    backups.mkdir()
    for name, days in (("games-new.tar", 13), ("games-old.tar", 16), ("other.tar", 16)):
        (backups / name).touch()
        os.utime(backups / name, (time.time() - days * 86_400,) * 2)
    words = [word.replace("/backups", str(backups)) for word in container["command"]]
    left = []
    for last in ("false", 'touch "$2"'):
        program.write_text(f"#!/bin/sh\n{last}\n")
        program.chmod(0o755)
        subprocess.run(words, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=False)
        left.append({path.name for path in backups.iterdir()})
    assert left[0] == {"games-new.tar", "games-old.tar", "other.tar"}
    assert len(left[1]) == 3
    assert "games-old.tar" not in left[1]


def test_a_web_process_has_the_time_to_drain() -> None:
    """The rest before it is told to end, the draining, and some seconds more; longer than any long poll."""
    pod = ENGINE["web"]
    (container,) = pod["containers"]
    rest = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    drain = load(environment(container)).drain_seconds
    assert Settings().long_poll_max < drain
    assert rest + drain + 5 <= pod["terminationGracePeriodSeconds"]


def test_every_container_is_confined() -> None:
    user = re.search(r"^USER (\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert user is not None
    of_jobs = [(job, one) for job in JOBS.values() for one in job["containers"]]
    for pod, container in CONTAINERS + of_jobs:
        is_server = "valkey" in container["image"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == (999 if is_server else int(user[1]))
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert set(container["resources"]["requests"]) == {"cpu", "memory"}
        assert container["resources"]["limits"]["memory"]


def test_every_name_of_a_part_is_that_of_a_part() -> None:
    for one in EVERYTHING:
        match one["kind"]:
            case "Deployment" | "StatefulSet":
                labels = one["spec"]["template"]["metadata"]["labels"]
                assert one["spec"]["selector"]["matchLabels"] == {COMPONENT: one["metadata"]["name"]}
                assert labels[COMPONENT] == one["metadata"]["name"]
            case "Service":
                assert one["spec"]["selector"] == {COMPONENT: one["metadata"]["name"]}
                assert one["metadata"]["name"] in WORKLOADS
            case "PodDisruptionBudget":
                assert one["spec"]["selector"]["matchLabels"][COMPONENT] in WORKLOADS
            case "HorizontalPodAutoscaler":
                name = one["spec"]["scaleTargetRef"]["name"]
                assert "replicas" not in WORKLOADS[name]["spec"]  # applying the files again must not scale it
            case "NetworkPolicy":
                chosen = one["spec"]["podSelector"].get("matchExpressions", [{"values": []}])[0]["values"]
                assert set(chosen) <= set(WORKLOADS)


def test_every_file_is_applied() -> None:
    """Kustomize is told each file, or folder, that is there."""
    apart = {"kustomization.yaml", "prometheus-adapter.yaml"}
    for folder in FOLDERS:
        (said,) = documents(folder / "kustomization.yaml")
        files = {path.name for path in folder.glob("*.yaml")} - apart
        folders = {path.name for path in folder.iterdir() if path.is_dir()}
        assert set(said["resources"]) == files | folders


def test_workers_are_scaled_by_metrics_that_there_are() -> None:
    (rules,) = documents(FOLDER / "prometheus-adapter.yaml")
    of_bots, of_thinkers = rules["rules"]["external"]
    asked = {
        metric["external"]["metric"]["name"]
        for one in EVERYTHING
        if one["kind"] == "HorizontalPodAutoscaler"
        for metric in one["spec"]["metrics"]
        if metric["type"] == "External"
    }
    assert asked == {of_bots["name"]["as"], of_thinkers["seriesQuery"]}
    (kept,) = metrics.JOB_WAIT.describe()
    assert set(re.findall(r"migrato_\w+?(?=_sum|_count)", of_bots["metricsQuery"])) == {kept.name}
    assert set(re.findall(r'queue="(\w+)"', of_bots["metricsQuery"])) == {GAME_QUEUE}
