"""What the commands about images take for an image, and what for an address."""

import pytest

from orchestrator.cli import shipping
from orchestrator.cli.failures import UsageError
from orchestrator.containers import images
from orchestrator.local import ServiceFailed


class TestTarget:
    @pytest.mark.parametrize(
        ("target", "address"),
        [
            ("unix:/run/parser.sock", True),
            ("localhost:50051", True),
            ("mytool:2024", True),
            ("localhost:1", True),
            ("127.0.0.1:80", True),
            ("[::1]:80", True),
            ("mytool:1.0", False),
            ("mytool:24", False),
            ("example/mytool:2024", False),
            ("mytool", False),
        ],
    )
    def test_without_such_an_image_a_name_and_a_port_are_an_address(
        self, target: str, address: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A port has four or five digits, after what can only be a host any."""
        monkeypatch.setattr(images, "is_one", lambda _: False)
        assert shipping._is_address(target) == address

    def test_an_image_whose_tag_is_a_number_is_an_image(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The engine has it."""
        monkeypatch.setattr(images, "is_one", lambda image: image == "mytool:2024")
        assert not shipping._is_address("mytool:2024")

    def test_nothing_is_examined_where_nothing_answers(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """One line with the remedy, in place of every point of the contract."""
        monkeypatch.setattr(shipping, "_ANSWER_SECONDS", 0.5)
        with pytest.raises(ServiceFailed, match=r"nothing takes gRPC calls at 127\.0\.0\.1:1: start the service there"):
            shipping.conform("127.0.0.1:1")
        assert capsys.readouterr().out == ""

    def test_no_such_port(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is said before anything is tried."""
        monkeypatch.setattr(images, "is_one", lambda _: False)
        with pytest.raises(UsageError, match="a port is 65535 at most"):
            shipping._is_address("localhost:99999")
