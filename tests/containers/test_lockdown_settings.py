"""compose.yaml without an engine: every parser locked down alike, and its labels true."""

import re
import tomllib
from typing import Any

import pytest
import yaml

from orchestrator import local, selection
from orchestrator.containers import composed, lockdown
from services.runtime import descriptor
from services.runtime.descriptor import Descriptor
from tests.containers.engine import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PARSERS = [name for name, service in SERVICES.items() if "PARSER" in service.get("build", {}).get("args", {})]


def chosen(name: str) -> Descriptor:
    """Return what the folder of a service's parser says of its version and setting."""
    arguments = SERVICES[name]["build"]["args"]
    folder = descriptor.read(local.SERVICES / arguments["PARSER"])
    return folder.chosen(arguments["VERSION"], arguments.get("SETTING", ""))


def test_intake_and_every_parser_of_a_default_run_is_there() -> None:
    """The three parsers of a first run, and intake, which meets the files before them."""
    assert {"intake", "markitdown", "docslicer", "opendataloader"} <= set(PARSERS)


@pytest.mark.parametrize("name", PARSERS)
class TestEveryParser:
    def test_is_locked_down_as_by_the_sdk(self, name: str) -> None:
        """Compose and the Docker SDK are told the same limits, so conform proves what compose runs."""
        service, wanted = SERVICES[name], lockdown.container()
        assert service["read_only"] is wanted["read_only"] is True
        assert service["tmpfs"] == [f"{path}:{options}" for path, options in wanted["tmpfs"].items()]
        for key in ("cap_drop", "security_opt", "pids_limit", "dns", "dns_opt"):
            assert service[key] == wanted[key], key
        for key in ("mem_limit", "memswap_limit"):
            assert service[key] == f"${{DOCASSAY_MEMORY:-{wanted[key] >> 30}g}}"
        assert service["cpuset"] == "${DOCASSAY_CPUS:-}"
        assert not {"cpus", "cpu_quota", "privileged", "cap_add", "devices", "pid", "ipc"} & set(service)

    def test_sees_the_documents_alone(self, name: str) -> None:
        """And its models, if it needs any; both read-only: no gold, no results, no engine's socket."""
        mounts = {volume["source"]: (volume["target"], volume["read_only"]) for volume in SERVICES[name]["volumes"]}
        wanted = {"documents": (lockdown.DOCUMENTS, True)}
        if chosen(name).weights:
            wanted["weights"] = ("/weights", True)
        assert mounts == wanted

    def test_has_a_network_that_only_the_orchestrator_shares(self, name: str) -> None:
        """Nothing else is in it but the server that vlm asks, and it leads nowhere."""
        [network] = SERVICES[name]["networks"]
        settings = COMPOSE["networks"][network]
        others = {other for other, service in SERVICES.items() if network in service["networks"]} - {name}
        assert others == ({"orchestrator", "ollama"} if name == "vlm" else {"orchestrator"})
        assert settings["internal"] is lockdown.network()["internal"]
        assert settings["driver_opts"] == lockdown.network()["options"]

    def test_has_labels_that_are_true(self, name: str) -> None:
        """The image says the licence that parser.toml says, and the digest of the lock that is installed."""
        arguments, said = SERVICES[name]["build"]["args"], chosen(name)
        version, setting = arguments["VERSION"], arguments.get("SETTING", "")
        assert arguments["LOCK_DIGEST"] == said.lock_digest(version, setting)
        assert arguments["LICENCE"] == said.licence
        assert SERVICES[name]["image"] == f"docassay/{said.name}:{version}" + (f"-{setting}" if setting else "")
        assert name == selection.service_name(said.name, setting)

    def test_is_known_to_the_orchestrator(self, name: str) -> None:
        """By an address; one of a profile is looked for, never waited for."""
        orchestrator = SERVICES["orchestrator"]
        assert orchestrator["environment"][f"DOCASSAY_PARSER_{name.upper()}"] == f"{name}:{lockdown.PORT}"
        assert name in orchestrator["depends_on"]
        profiled = composed.read(orchestrator["environment"]).profiled
        assert (name in profiled) == bool(SERVICES[name].get("profiles"))


class TestProfiles:
    def test_more_needs_no_weights_and_full_does(self) -> None:
        """Whoever asks for more waits for no download; what full needs, the service weights fetches, and it alone."""
        with_weights = {name for name in PARSERS if chosen(name).weights}
        assert {name for name in PARSERS if SERVICES[name].get("profiles") == ["full"]} == with_weights | {"vlm"}
        assert with_weights == {"docling", "indra_ocr", "marker", "mineru", "unstructured_hi_res"}
        fetched = selection.select(SERVICES["weights"]["command"], local.SERVICES)
        assert {selection.service_name(entry.name, entry.setting) for entry in fetched} == with_weights
        assert [
            entry.version == SERVICES[selection.service_name(entry.name, entry.setting)]["build"]["args"]["VERSION"]
            for entry in fetched
        ] == [True] * len(fetched)

    def test_what_ollama_is_to_have_is_what_vlm_asks_for(self) -> None:
        """In the setting that its service has; beside the official embedder."""
        arguments = SERVICES["vlm"]["build"]["args"]
        command = chosen("vlm").weights_elsewhere[arguments.get("SETTING", "")]
        assert SERVICES["ollama_weights"]["command"] == ["nomic-embed-text", command.removeprefix("ollama pull ")]

    def test_only_what_fetches_weights_has_a_way_out(self) -> None:
        """Two services that no profile of a run has; every other network leads nowhere."""
        out = {name for name, settings in COMPOSE["networks"].items() if not (settings or {}).get("internal")}
        assert out == {"outside"}
        on_it = {name for name, service in SERVICES.items() if out & set(service["networks"])}
        assert on_it == {"weights", "ollama_weights"}
        assert all(SERVICES[name]["profiles"] == ["weights"] for name in on_it)
        assert SERVICES["weights"]["volumes"][0]["source"] == "weights"

    def test_a_gpu_is_given_to_the_parsers_that_use_one_and_they_are_told_apart(self) -> None:
        """What is given a device is what the orchestrator marks; vlm's is that of the server it asks."""
        gpu: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.gpu.yaml").read_text())["services"]
        given = {
            name
            for name, service in gpu.items()
            if any(
                "gpu" in device["capabilities"]
                for device in service.get("deploy", {}).get("resources", {}).get("reservations", {}).get("devices", ())
            )
        }
        assert given == {"docling", "marker", "unstructured_hi_res", "ollama"}
        marked = composed.read(gpu["orchestrator"]["environment"]).with_gpu or ()
        assert set(marked) == given - {"ollama"} | {"vlm"}
        assert set(marked) < set(PARSERS)


def test_no_service_makes_a_folder_of_the_host() -> None:
    """A mistyped corpus is an error, never an empty folder that root owns."""
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", ())]
    bound = [mount for mount in mounts if mount["type"] == "bind"]
    assert bound
    assert all(mount["bind"]["create_host_path"] is False for mount in bound)


def test_a_service_knows_what_its_folders_are_called_on_the_host() -> None:
    """A message from a container is read by somebody outside it, where /corpus and /results are no folders."""
    bound = [
        (service["environment"], mount)
        for service in SERVICES.values()
        for mount in service.get("volumes", ())
        if mount["type"] == "bind"
    ]
    assert {mount["target"] for _, mount in bound} == {"/corpus", "/results"}
    for environment, mount in bound:
        assert environment[f"DOCASSAY_HOST_{mount['target'][1:].upper()}"] == mount["source"]


def test_the_lock_of_the_image_is_part_of_the_project_s() -> None:
    """What runs in a container is what is tested outside: the same versions with the same hashes."""

    def entries(path: str) -> set[str]:
        return {entry.strip() for entry in (ROOT / path).read_text().replace("\\\n", "").splitlines() if entry.strip()}

    pinned, ours = entries("requirements.lock"), entries("images/docassay.lock")
    assert ours
    assert {" ".join(entry.split()) for entry in ours} <= {" ".join(entry.split()) for entry in pinned}


def test_the_lock_of_the_image_has_what_its_parts_ask_for() -> None:
    """A dependency that was added to the orchestrator or the scorer is in their image too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"]]
    for part in ("orchestrator", "scorer", "corpus"):
        asked += project["optional-dependencies"][part]
    wanted = {re.split(r"[^A-Za-z0-9._-]", entry)[0].lower().replace("_", "-") for entry in asked}
    locked = set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / "images/docassay.lock").read_text(), re.MULTILINE))
    assert wanted - locked == set()
