"""What the commands about images take for an image, and what for an address."""

import pytest

from orchestrator.cli import shipping
from orchestrator.cli.failures import UsageError
from orchestrator.containers import images


class TestTarget:
    @pytest.mark.parametrize(
        ("target", "address"),
        [
            ("unix:/run/parser.sock", True),
            ("localhost:50051", True),
            ("mytool:2024", True),
            ("mytool:1.0", False),
            ("mytool:24", False),
            ("example/mytool:2024", False),
            ("mytool", False),
        ],
    )
    def test_without_such_an_image_a_name_and_a_port_are_an_address(
        self, target: str, address: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A port has four or five digits."""
        monkeypatch.setattr(images, "is_one", lambda _: False)
        assert shipping._is_address(target) == address

    def test_an_image_whose_tag_is_a_number_is_an_image(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The engine has it."""
        monkeypatch.setattr(images, "is_one", lambda image: image == "mytool:2024")
        assert not shipping._is_address("mytool:2024")

    def test_no_such_port(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is said before anything is tried."""
        monkeypatch.setattr(images, "is_one", lambda _: False)
        with pytest.raises(UsageError, match="a port is 65535 at most"):
            shipping._is_address("localhost:99999")
