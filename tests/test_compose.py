"""docker-compose.yml is valid, waits for health, and holds no secret.

The schema is the part of the Compose specification that the file uses, and
strict: a misspelt key, which Compose might take for an extension, fails here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from tests.test_settings_documented import variables_of_settings

ROOT = Path(__file__).resolve().parent.parent
OURS = ("web", "worker")
DURATION = {"type": "string", "pattern": r"^([0-9]+(us|ms|s|m|h))+$"}
TEXTS = {"type": "array", "minItems": 1, "items": {"type": "string"}}
ENVIRONMENT = {
    "type": "object",
    "propertyNames": {"pattern": "^[A-Z][A-Z0-9_]*$"},
    "additionalProperties": {"type": "string"},
}
SERVICE = {
    "type": "object",
    "required": ["image", "restart", "healthcheck"],
    "additionalProperties": False,
    "properties": {
        "image": {"type": "string", "pattern": r"^[a-z0-9./_-]+(:[A-Za-z0-9._-]+)?$"},
        "build": {"type": "string"},
        "command": TEXTS,
        "init": {"type": "boolean"},
        "restart": {"enum": ["no", "always", "on-failure", "unless-stopped"]},
        "environment": ENVIRONMENT,
        "stop_grace_period": DURATION,
        "ports": {
            "type": "array",
            "uniqueItems": True,
            "items": {"type": "string", "pattern": r"^[0-9.]+:[0-9]+:[0-9]+$"},
        },
        "volumes": {
            "type": "array",
            "uniqueItems": True,
            "items": {"type": "string", "pattern": r"^[a-z]+:/[a-z/]+(:ro)?$"},
        },
        "depends_on": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["condition"],
                "additionalProperties": False,
                "properties": {
                    "condition": {
                        "enum": [
                            "service_started",
                            "service_healthy",
                            "service_completed_successfully",
                        ]
                    }
                },
            },
        },
        "healthcheck": {
            "type": "object",
            "required": ["test", "interval", "timeout", "retries"],
            "additionalProperties": False,
            "properties": {
                "test": {
                    "type": "array",
                    "minItems": 2,
                    "items": [{"enum": ["CMD", "CMD-SHELL"]}],
                    "additionalItems": {"type": "string"},
                },
                "interval": DURATION,
                "timeout": DURATION,
                "start_period": DURATION,
                "retries": {"type": "integer", "minimum": 1},
            },
        },
    },
}
COMPOSE = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "required": ["name", "services", "volumes"],
    "additionalProperties": False,
    "patternProperties": {"^x-": {}},
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$"},
        "services": {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": "^[a-zA-Z0-9._-]+$"},
            "additionalProperties": SERVICE,
        },
        "volumes": {
            "type": "object",
            "propertyNames": {"pattern": "^[a-zA-Z0-9._-]+$"},
            "additionalProperties": {"type": ["null", "object"], "maxProperties": 0},
        },
    },
}

TEXT = (ROOT / "docker-compose.yml").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.fixture(scope="module")
def compose() -> Any:  # Any: parsed YAML
    return yaml.safe_load(TEXT)


def test_the_file_follows_the_compose_specification(compose: Any) -> None:
    errors = [
        f"{'/'.join(map(str, error.instance_path))}: {error.message}"
        for error in jsonschema_rs.validator_for(COMPOSE).iter_errors(compose)
    ]

    assert errors == []


@pytest.mark.parametrize(
    "text",
    [
        "{name: a, volumes: {}, services: {web: {image: a, restart: always}}}",
        "{name: a, volumes: {}, services: {}, sevices: {}}",
        "{name: a, volumes: {b: {drivr: c}}, services: {}}",
    ],
)
def test_the_schema_refuses_what_is_wrong(text: str) -> None:
    assert not jsonschema_rs.validator_for(COMPOSE).is_valid(yaml.safe_load(text))


def test_the_four_services_are_there(compose: Any) -> None:
    assert set(compose["services"]) == {"web", "worker", "redis", "postgres"}


@pytest.mark.parametrize("name", OURS)
def test_our_services_pass_only_what_the_settings_read(compose: Any, name: str) -> None:
    passed = set(compose["services"][name]["environment"])

    assert passed <= variables_of_settings()
    assert {"DATABASE_URL", "REDIS_URL", "CODESEARCH_SECRET_KEY"} <= passed


def test_every_volume_that_is_used_is_declared(compose: Any) -> None:
    used = {
        volume.partition(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", [])
    }

    assert used == set(compose["volumes"])


def test_web_and_worker_share_the_data(compose: Any) -> None:
    assert all("data:/data" in compose["services"][name]["volumes"] for name in OURS)


def test_whoever_waits_waits_for_health(compose: Any) -> None:
    for service in compose["services"].values():
        for name, wait in service.get("depends_on", {}).items():
            assert name in compose["services"]
            assert wait["condition"] == "service_healthy"


def test_every_secret_must_be_given() -> None:
    secrets = re.findall(r"\$\{(\w*(?:PASSWORD|SECRET)\w*)(:?.?)", TEXT)

    assert {name for name, _ in secrets} == {
        "CODESEARCH_SECRET_KEY",
        "POSTGRES_PASSWORD",
        "REDIS_PASSWORD",
    }
    assert {operator for _, operator in secrets} == {":?"}


def test_only_the_web_is_published_and_on_this_machine_only(compose: Any) -> None:
    ports = {
        name: service["ports"]
        for name, service in compose["services"].items()
        if "ports" in service
    }

    assert ports == {"web": ["127.0.0.1:8000:8000"]}


def test_the_image_runs_as_an_ordinary_user_from_its_first_command() -> None:
    instructions = re.findall(r"^([A-Z]+) (.*)$", DOCKERFILE, flags=re.MULTILINE)
    users = [value for name, value in instructions if name == "USER"]

    assert users == ["codesearch"]
    assert instructions[-1][0] == "CMD"


def test_the_build_sees_what_the_dockerfile_copies() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = {line[1:] for line in ignored if line.startswith("!")}
    copies = re.findall(r"^COPY (.*) \S+$", DOCKERFILE, flags=re.MULTILINE)
    copied = {name for line in copies for name in line.split()}

    assert "*" in ignored
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
