"""What docker-compose.yml and the files under deploy/ say, held against each other and against the service."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from tests.deploy.topology import CONFIGURATION, ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/dashboards/mlsysim.json").read_text())


def test_the_compose_file_is_valid() -> None:
    program = shutil.which("docker-compose")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("docker-compose is not installed, and CI has to check the compose file")
        pytest.skip("docker-compose is not installed (on Debian: apt-get install docker-compose)")
    done = subprocess.run([program, "config", "--quiet"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_is_locked_down(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    if "build" in service:
        user = re.findall(r"^USER (\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[-1]
        assert "\nHEALTHCHECK " in (ROOT / "Dockerfile").read_text()
    else:
        user = service["user"].partition(":")[0]
        assert service["healthcheck"]["test"][0] == "CMD"
        assert re.fullmatch(r"[\w./-]+:v?\d[\w.-]*", service["image"]), "an image without a version"
    assert int(user) > 0


def test_only_the_proxy_is_reached_from_outside() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"proxy": ["${PORT:-8000}:8000"], "grafana": ["127.0.0.1:3000:3000"]}


def test_what_is_mounted_is_there() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"], volume


def test_a_replica_has_the_time_to_stop_that_it_takes() -> None:
    settings = Settings.model_fields
    assert SERVICES["mlsysim"]["stop_grace_period"] == "40s"
    assert settings["drain_time"].default + settings["shutdown_timeout"].default < 40


def test_the_settings_passed_on_are_settings() -> None:
    assert {name.lower() for name in SERVICES["mlsysim"]["environment"]} <= set(Settings.model_fields)


def test_the_proxy_and_the_service_agree() -> None:
    nginx = (CONFIGURATION / "nginx.conf").read_text()
    settings = Settings.model_fields
    assert f"client_max_body_size {settings['body_limit'].default};" in nginx
    (kept,) = re.findall(r"keepalive_timeout (\d+)s;", (CONFIGURATION / "replicas.conf").read_text())
    assert int(kept) < settings["keep_alive"].default, "the service would close connections that nginx still uses"


def expressions(panels: list[dict[str, Any]]) -> Iterator[str]:
    for panel in panels:
        yield from (target["expr"] for target in panel["targets"])


def test_the_dashboard_asks_for_metrics_and_labels_that_exist() -> None:
    client = TestClient(create_app())
    client.post("/scenarios/ModelSpeedupRequestPath/evaluate", json={})
    client.post("/scenarios/ModelSpeedupRequestPath/evaluate", json={"speedup": -1})
    exposed = client.get("/metrics").text
    for expression in expressions(DASHBOARD["panels"]):
        for metric in re.findall(r"\bmlsysim_\w+", expression):
            (labels, *_) = re.findall(rf"^{metric}(?:\{{(.*)\}})? ", exposed, re.MULTILINE) or [None]
            assert labels is not None, f"{metric} is not exposed"
            for label in re.findall(r"by \((.*?)\)", expression):
                for name in label.split(", "):
                    assert re.search(rf'\b{name}="', labels), f"{metric} has no label {name}"


def test_prometheus_asks_every_replica_and_the_dashboard_asks_prometheus() -> None:
    (job,) = yaml.safe_load((ROOT / "deploy/prometheus.yml").read_text())["scrape_configs"]
    (names,) = job["dns_sd_configs"]
    assert f"server {names['names'][0]}:{names['port']} " in (CONFIGURATION / "replicas.conf").read_text()
    provisioned = ROOT / "deploy/grafana/provisioning/datasources/prometheus.yml"
    (source,) = yaml.safe_load(provisioned.read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert {panel["datasource"]["uid"] for panel in DASHBOARD["panels"]} == {source["uid"]}
