import pytest

from sg_server.messages import ENGLISH
from sg_server.modes import KNOWN_OWNERS, Detection, Owner, decide, reason, result

OWNER = KNOWN_OWNERS[0]


@pytest.mark.parametrize("plugins", [(), ("vim-fugitive", "ms-python.python")])
def test_an_override_is_in_force_where_nobody_owns_the_editors_grep(plugins: tuple[str, ...]) -> None:
    answer = result(decide("override", Detection(plugins=plugins)), ENGLISH)
    assert (answer.configured, answer.effective, answer.reason) == ("override", "override", None)


@pytest.mark.parametrize("owner", KNOWN_OWNERS, ids=lambda owner: owner.id)
def test_an_owner_keeps_an_override_from_being_in_force(owner: Owner) -> None:
    detection = Detection(plugins=("vim-fugitive", owner.id.upper()))
    answer = result(decide("override", detection), ENGLISH)
    assert (answer.configured, answer.effective, answer.cause) == ("override", "additive", "plugin-conflict")
    assert answer.plugin == owner.name
    assert answer.plugin in (answer.reason or "")


def test_a_failed_detection_is_not_taken_for_no_conflict() -> None:
    answer = result(decide("override", Detection(failure="E121: no such list")), ENGLISH)
    assert (answer.configured, answer.effective, answer.cause) == ("override", "additive", "detection-failed")
    assert "E121: no such list" in (answer.reason or "")


def test_additive_is_in_force_whatever_is_installed() -> None:
    for detection in (Detection(plugins=(OWNER.id,)), Detection(failure="no")):
        decision = decide("additive", detection)
        assert decision.effective == "additive"
        assert reason(decision, ENGLISH) is None


def test_each_owner_is_named_once_with_where_it_is_seen_to_be_one() -> None:
    ids = [owner.id.casefold() for owner in KNOWN_OWNERS]
    assert len(ids) == len(set(ids))
    assert all(owner.name and owner.source.startswith("github.com/") for owner in KNOWN_OWNERS)
