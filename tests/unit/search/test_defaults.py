from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from sg_server.search.defaults import SearchDefaults
from sg_server.search.params import ExplainParams, SearchParams

GLOBS = st.lists(st.text(min_size=1), max_size=3).map(tuple)
DEFAULTS = st.builds(
    SearchDefaults,
    hidden=st.booleans(),
    follow=st.booleans(),
    exclude=GLOBS,
    max_file_size=st.none() | st.integers(0, 100),
)
REQUESTS = st.builds(
    SearchParams,
    pattern=st.just("x"),
    path=st.none() | st.just("src"),
    hidden=st.none() | st.booleans(),
    follow=st.none() | st.booleans(),
    exclude=st.none() | st.just("*.js") | GLOBS,
    max_file_size=st.none() | st.integers(0, 100),
    ignored=st.none() | st.booleans(),
)


@given(DEFAULTS, REQUESTS)
def test_a_default_holds_exactly_where_the_request_says_nothing(
    defaults: SearchDefaults, request: SearchParams
) -> None:
    asked = asdict(request)
    expected = asked | {name: value for name, value in asdict(defaults).items() if asked[name] is None}
    assert asdict(defaults.fill(request)) == expected


@given(DEFAULTS, REQUESTS)
def test_filling_twice_changes_nothing(defaults: SearchDefaults, request: SearchParams) -> None:
    filled = defaults.fill(request)
    assert defaults.fill(filled) == filled


def test_no_excludes_at_all_can_be_asked_for() -> None:
    assert SearchDefaults(exclude=("*.js",)).fill(ExplainParams(exclude=())).exclude == ()
