"""All URLs of the site: the rule of each route, and functions that build URLs from values.

URLs are parsed by `match.parse_match`, `comparison.parse_comparison` and the pages.  Names are
quoted here, because the name of a recipe can contain a "+".
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from msgspec.structs import astuple

from app.recipes.algorithms import ALGORITHMS
from app.recipes.parameters import get_parameters
from app.tictactoe.notation import DIGITS
from app.web.comparison import Comparison
from app.web.match import WATCHED_EPSILON, Match
from app.web.site_data import MOVES_PREFIX, is_policy_name


class Route(str):
    """The URL rule of a route, as Flask reads it, with methods that build URLs of the route.

    `query_parameters` are the names of the query parameters that the page reads, in the order of
    its URLs; `repeated_parameters` can occur more than once. All other parameters are removed
    before the page is called: see `service/queries.py`. None stands for a route that responds to
    unknown parameters with an error.
    """

    query_parameters: tuple[str, ...] | None
    repeated_parameters: frozenset[str]
    _pattern: str

    def __new__(cls, rule: str, query_text: str | None = "") -> "Route":
        """Create a route from a rule and its query parameters, as in "lens* figure".

        Variable parts of the rule are in angle brackets. A parameter with a "*" can occur more than
        once in a URL.
        """
        route = super().__new__(cls, rule)
        route._pattern = re.sub("<[^<>]*>", "%s", rule)
        names = (query_text or "").split()
        route.query_parameters = (
            None if query_text is None else tuple(name.rstrip("*") for name in names)
        )
        route.repeated_parameters = frozenset(
            name.rstrip("*") for name in names if name.endswith("*")
        )
        return route

    def url(self, *parts: object, **query: object) -> str:
        """Return the URL with values for the variable parts and the query.

        Raises TypeError if the query has a parameter that the route does not read.
        """
        unread = (
            query.keys() - {*self.query_parameters}
            if self.query_parameters is not None
            else ()
        )
        if unread:
            raise TypeError(f"{self} does not read {', '.join(unread)}")
        return self._pattern % tuple(
            _quote(str(part)) for part in parts
        ) + _build_query(**query)

    def build_match_url(self, match: Match, *query_parts: str) -> str:
        """Return the URL of a match on this route; settings with their defaults are left out."""
        _, ply, *settings = astuple(match)
        query = [f"ply={ply}"] if ply is not None else []
        query += [*_list_settings(*settings), *query_parts]
        return self.url(match.record) + ("?" + "&".join(query) if query else "")

    def replace_rule(self, rule: str) -> "Route":
        """Return a route with another rule that reads the same query parameters."""
        route = Route(rule)
        route.query_parameters = self.query_parameters
        route.repeated_parameters = self.repeated_parameters
        return route

    def append_ending(self, ending: str) -> "Route":
        """Return a route with an ending added to its rule and the same parameters."""
        return self.replace_rule(self + ending)


# query parameters of a match: all fields but the record
_MATCH_PARAMETERS = " ".join(Match.__struct_encode_fields__[1:])
# query parameters that `apply_settings` reads
_SETTINGS_PARAMETERS = "at seat player lens errors epsilon delay hide own step pause"
_LAB_PARAMETERS = "ghost curve step game update seeds axis elsewhere"
_RECIPE_PARAMETERS = sorted(
    {name for kind in ALGORITHMS.values() for name in get_parameters(kind)}
)
LAB_CHANGES = [  # parameters for both recipes of the lab, for recipe a, or for recipe b
    side + name
    for side in ("", "a.", "b.")
    for name in ("algorithm", *_RECIPE_PARAMETERS)
]

HOME = Route("/", "agent step")
PLAY = Route("/play/<record>", _MATCH_PARAMETERS)  # PLAY without a record is a new game
REPLY = Route("/reply/<record>", _MATCH_PARAMETERS)
MINDS = Route("/minds/<record>", _MATCH_PARAMETERS)
SQUARE = Route("/square/<record>", f"{_MATCH_PARAMETERS} cell")
# the target of the form with settings
CHANGE_SETTINGS = Route("/set/", _SETTINGS_PARAMETERS)
SETTINGS = Route("/settings/", "at")  # the form with settings
PLAYERS = Route("/players/", "at")
WHY = Route("/why/<record>", f"{_MATCH_PARAMETERS} cell answer")
COMPARE = Route("/compare/<record>", "lens* figure frame")
EXPORTS = Route("/take/<record>", _MATCH_PARAMETERS)
PUZZLES = Route("/puzzle")
PUZZLE_TODAY = Route("/puzzle/today")
PUZZLE = Route("/puzzle/<int:number>", "day answers right plays ply")
SCORE = Route("/puzzle/<int:number>/score", "day answers")
MIND = Route("/mind/<name>", "step colour tile")
FILM = Route("/mind/<name>.gif")
AGENTS = Route("/agents", "sort order")
AGENTS_FILE = Route("/agents.csv")
AGENT = Route("/agents/<name>", "against")
RECIPE_SCRIPT = Route("/lab/<name>.py")
AGENT_FILE = Route("/agents/<name>.<any(npz, json, csv):ending>")
BLUNDERS = Route("/agents/<name>/blunders", "page")
CERTIFICATE = Route("/agents/<name>/certificate-<any(x, o):seat>", "page")
JUDGE = Route("/judge", "moves")
JUDGE_BLUNDERS = Route("/judge/blunders", "moves page")
JUDGE_TOOL = Route("/judge/<any(doctor, judge):tool>.py")
JUDGE_CERTIFICATE = Route("/judge/certificate-<any(x, o):seat>", "moves page")
ARENA = Route("/arena", "show player add")
HOW = Route("/how", "at record board stage")
HOW_PART = Route("/how/<slug>", "step record board stage update right plays answer")
TEACH = Route("/teach", "now game")
PAPER = Route("/teach/paper", "set size of taught")
CLASSROOM = Route("/teach/class")
# The name of a learner can be truncated, so its page finds the canonical name.
TEACH_RECIPE = Route("/teach/<learner>", "now game")
TEACH_PREVIEW = Route("/preview/teach/<name>.png")
TEACH_QR = Route("/qr/teach/<name>.svg")
LAB = Route("/lab", " ".join(["recipe algorithm", _LAB_PARAMETERS, *LAB_CHANGES[1:]]))
LAB_RECIPE = Route("/lab/<name>", _LAB_PARAMETERS)
LAB_PREVIEW = Route("/preview/lab/<name>.png", _LAB_PARAMETERS)
EXPERIMENTS = Route("/experiments", "source verdict")
EXPERIMENT = Route("/experiments/<claim>")
EXPERIMENT_FIGURE = Route("/experiments/<claim>/<int:number>.svg", "scheme")
FAULTS = Route("/faults")
FAULT = Route("/faults/<fault>")
FAULT_PUZZLES = Route("/faults/puzzle")
FAULT_PUZZLE = Route("/faults/puzzle/<int:number>", "answer")
SOURCES = Route("/sources")
GLOSSARY = Route("/glossary")
EMBED = "/embed/"  # prefix of frames, which other sites can show
EMBED_BOARD = Route("/embed/board/<record>", _MATCH_PARAMETERS)
EMBED_REPLY = Route("/embed/reply/<record>", _MATCH_PARAMETERS)
EMBED_VALUE = Route("/embed/value/<record>", _MATCH_PARAMETERS)
EMBED_CURVE = Route("/embed/curve/<name>", "lens* figure against width")
EMBED_MIND = Route("/embed/mind/<name>", "step colour")
EMBED_EXPERIMENT = Route("/embed/experiment/<claim>", "figure")
MATCH_PREVIEW = Route("/preview/<record>.png", _MATCH_PARAMETERS)
API = Route("/api")
API_DESCRIPTION = Route("/api/v1/openapi.json")
API_AGENTS = Route("/api/v1/agents")
API_AGENT = Route("/api/v1/agents/<id>")
API_JUDGE = Route("/api/v1/judge", None)
API_POSITION = Route("/api/v1/positions/<position>", None)
API_MOVE = Route("/api/v1/moves/<position>", None)
API_GAME = Route("/api/v1/games/<record>")
API_MATCH = Route("/api/v1/matches/<x>/<o>")
API_EXPERIMENTS = Route("/api/v1/experiments")
API_EXPERIMENT = Route("/api/v1/experiments/<claim>")


class Destination(NamedTuple):
    """A link: its text, its URL and a description of the target."""

    title: str
    href: str  # "" for a disabled link
    description: str = ""  # description of the target
    id: str = ""  # id of the link
    is_current: bool = False  # whether this is the current page


_MAX_CACHED_LENGTH = 250  # characters: longer than names of recipes and their URLs
# characters of recipe names that need no quoting, unlike "+"
_UNQUOTED_CHARACTERS = ",:="
# Names and defaults of the settings of a match: all fields but the record and the ply.
_SETTING_NAMES = Match.__struct_encode_fields__[2:]
_SETTING_DEFAULTS = astuple(Match())[2:]


def play_url(match: Match) -> str:
    """Return the URL of a match on the play page."""
    address = PLAY.build_match_url(match)
    return f"{address}?o={_format_value(match.o)}" if address.endswith("/") else address


def play_against_url(agent_name: str) -> str:
    """Return the URL of a new game of a person as X against an agent."""
    return play_url(Match(o=agent_name))


def watch_url(agent_name: str) -> str:
    """Return the URL of games of an agent against itself, one after the other.

    One move in ten is random, so that the games differ.
    """
    return play_url(Match(x=agent_name, o=agent_name, epsilon=WATCHED_EPSILON))


def map_moves_to_urls(
    match: Match, build_url: Callable[[Match], str] = play_url
) -> Callable[[int], str]:
    """Return a function that maps a cell to the URL of the match after a move there.

    It is faster than building each URL from a match.
    """
    path, _, query = build_url(match.follow_move(0)).partition("?")
    start = path[:-1]
    end = f"?{query}" if query else ""
    return lambda cell: f"{start}{DIGITS[cell]}{end}"


def map_plies_to_urls(match: Match) -> Callable[[int], str]:
    """Return a function that maps a ply to the URL of the match at that ply."""
    whole = play_url(match.show_ply(len(match.record)))
    path, _, query = whole.partition("?")
    rest = f"&{query}" if query else ""
    return lambda ply: f"{path}?ply={ply}{rest}" if ply < len(match.record) else whole


class MatchRoutes(NamedTuple):
    """Functions that build the URLs of a board's links: to pages, or to frames."""

    build_match_url: Callable[[Match], str]
    build_reply_url: Callable[[Match], str]


PAGE_ROUTES = MatchRoutes(play_url, REPLY.build_match_url)
FRAME_ROUTES = MatchRoutes(EMBED_BOARD.build_match_url, EMBED_REPLY.build_match_url)


def why_url(match: Match, cell: int | None = None, case_name: str = "") -> str:
    """Return the URL that explains the value of a cell, by default of the best move.

    `case_name` selects the update that the page shows: by the cell of the opponent's reply, or by the
    result of the game.
    """
    parts = [f"cell={DIGITS[cell]}"] if cell is not None else []
    parts += [f"answer={case_name}"] * bool(case_name)
    return WHY.build_match_url(match, *parts)


def mind_preview_url(
    agent_name: str, snapshot: int | None = None, colouring_key: str = ""
) -> str:
    """Return the URL of the preview picture of an agent's mind."""
    return frame_file_url(
        EMBED_MIND.url(agent_name, step=snapshot, colour=colouring_key), "png"
    )


def compare_url(comparison: Comparison) -> str:
    """Return the URL of a comparison."""
    return COMPARE.url(
        comparison.record, lens=[*comparison.views], figure=comparison.curve_key
    )


def agent_url(agent_name: str, opponent: str = "") -> str:
    """Return the URL of an agent's page, with its learning curves against an opponent.

    For a policy that is named by its moves, it is the URL of the page that judges the policy.
    """
    if is_policy_name(agent_name):
        return judge_url(agent_name)
    return AGENT.url(agent_name, against=opponent)


def blunders_url(policy_name: str, page: int = 1) -> str:
    """Return the URL of the list of an agent's blunders, at a page number."""
    if is_policy_name(policy_name):
        return JUDGE_BLUNDERS.url(
            moves=policy_name.removeprefix(MOVES_PREFIX), page=_omit_first_page(page)
        )
    return BLUNDERS.url(policy_name, page=_omit_first_page(page))


def certificate_url(policy_name: str, seat: str, page: int = 1) -> str:
    """Return the URL of the proof that an agent cannot be beaten in a seat, "x" or "o"."""
    if is_policy_name(policy_name):
        return JUDGE_CERTIFICATE.url(
            seat,
            moves=policy_name.removeprefix(MOVES_PREFIX),
            page=_omit_first_page(page),
        )
    return CERTIFICATE.url(policy_name, seat, page=_omit_first_page(page))


def judge_url(policy_name: str = "") -> str:
    """Return the URL that judges a policy named by its moves."""
    return JUDGE.url(moves=policy_name.removeprefix(MOVES_PREFIX))


def how_url(part_slug: str = "", **query: str | int | None) -> str:
    """Return the URL of the contents of /how, or of a part.

    A part is a step of the lesson at a snapshot `step`, an algorithm with its board after a
    `record`, a `board` in all encodings, or a worked example at a `stage`. In the lesson `right`
    and `plays` are the cells that answer the questions about a blunder.
    """
    return HOW_PART.url(part_slug, **query) if part_slug else HOW.url(**query)


def mind_url(
    agent_name: str,
    snapshot: int | None = None,
    colouring_key: str = "",
    tile_number: int | None = None,
) -> str:
    """Return the URL of an agent's mind at a snapshot, with a colouring and a selected tile."""
    return MIND.url(agent_name, step=snapshot, colour=colouring_key, tile=tile_number)


def puzzle_url(
    puzzle_number: int,
    day: date | None = None,
    answer_digits: str = "",
    chosen_correct_cell: int | None = None,
    chosen_agent_cell: int | None = None,
    ply: int = 0,
) -> str:
    """Return the URL of a puzzle, in the round of a `day` or in a round of ten.

    `answer_digits` has a digit for each earlier puzzle of the round. `chosen_correct_cell` is the cell
    chosen as the right move, `chosen_agent_cell` the cell chosen as the agent's move; `ply` moves
    of the solution are shown.
    """
    cells = {"right": chosen_correct_cell, "plays": chosen_agent_cell}
    chosen = {name: DIGITS[cell] for name, cell in cells.items() if cell is not None}
    return PUZZLE.url(
        puzzle_number, day=day, answers=answer_digits, **chosen, ply=ply or None
    )


def lab_url(
    recipe_name: str = "",
    baseline: str = "",
    measure_key: str = "",
    step: int | None = None,
    game: int | None = None,
    update: int | None = None,
    seeds: int | None = None,
    axis_key: str = "",
    elsewhere: int | None = None,
) -> str:
    """Return the URL of the lab with a recipe, compared with the recipe `baseline` if given.

    `measure_key` and `axis_key` select the curves, `step` is a snapshot, and `seeds` the number of
    seeds. `game` is the number of a training game, shown after its first `update` updates.
    `elsewhere` is the number of verdicts to show in the table that repeats the comparison with
    other opponents and numbers of games.
    """
    numbers = {"step": step, "game": game, "update": update, "seeds": seeds}
    numbers["elsewhere"] = elsewhere
    query = {"ghost": baseline, "curve": measure_key, "axis": axis_key, **numbers}
    return LAB_RECIPE.url(recipe_name, **query) if recipe_name else LAB.url(**query)


def teach_url(recipe_name: str = "", unfinished_moves: str = "") -> str:
    """Return the URL for teaching a learner, by default the first learner of the list.

    `unfinished_moves` are the cells played so far in the current game.
    """
    return (
        TEACH_RECIPE.url(recipe_name, now=unfinished_moves)
        if recipe_name
        else TEACH.url(now=unfinished_moves)
    )


def paper_url(set_key: str = "", size_key: str = "", machine_recipe: str = "") -> str:
    """Return the URL of the sheets of MENACE on paper.

    `set_key` selects the boxes and `size_key` the size of the paper; `machine_recipe` is the recipe
    of a machine whose present beads are on the labels.
    """
    return PAPER.url(
        set="" if machine_recipe or set_key == "short" else set_key,
        size="" if size_key == "a4" else size_key,
        of=machine_recipe,
    )


def unfinished_game_url(unfinished_moves: str) -> str:
    """Return the relative URL of a game in progress, from the page of its learner.

    It is relative because the name of a taught learner is long.
    """
    return f"?now={unfinished_moves or '.'}"


def teach_game_url(game_number: int) -> str:
    """Return the relative URL of the updates of game `game_number`, from the learner's page."""
    return f"?game={game_number}"


def source_url(source_slug: str) -> str:
    """Return the URL of a source on the page of sources."""
    return f"{SOURCES}#{source_slug}"


def glossary_url(anchor: str) -> str:
    """Return the URL of a term in the glossary."""
    return f"{GLOSSARY}#{anchor}"


def embed_curve_url(
    agent_name: str,
    others: Sequence[str] = (),
    curve_key: str = "",
    opponent: str = "",
    width: int = 0,
) -> str:
    """Return the URL of a frame with the learning curves of agents."""
    query = {"figure": curve_key, "against": opponent, "width": width or None}
    return EMBED_CURVE.url(agent_name, lens=[*others], **query)


def embed_experiment_url(claim: str, figure_number: int = 1) -> str:
    """Return the URL of a frame with a figure of an experiment, by default its first."""
    return EMBED_EXPERIMENT.url(claim, figure=_omit_first_page(figure_number))


def frame_url(page: str) -> str:
    """Return the URL, or the route, of the frame that shows a page."""
    frame = EMBED.rstrip("/") + page
    return page.replace_rule(frame) if isinstance(page, Route) else frame


def page_url(frame_path: str) -> str:
    """Return the URL of the page that a frame shows."""
    return quote_path(frame_path.removeprefix(EMBED.rstrip("/")))


def frame_file_url(frame_url: str, ending: str) -> str:
    """Return the URL of a frame's content as a file with an ending, such as "svg" or "csv"."""
    path, _, query = frame_url.partition("?")
    return f"{path}.{ending}" + (f"?{query}" if query else "")


def append_query(path: str, query: Sequence[tuple[str, str]]) -> str:
    """Return a path with a query; the path is quoted already, the names and values are not.

    A "+" in the path is quoted too, as in all URLs of the site.
    """
    pairs = "&".join(f"{_quote(name)}={_quote(value)}" for name, value in query)
    return path.replace("+", "%2B") + (f"?{pairs}" if pairs else "")


def quote_path(path: str) -> str:
    """Return a path of a request, quoted for a URL.

    A backslash is quoted as well: after the first slash, browsers read it as the start of a host.
    """
    return append_query(quote(path, safe=f"/{_UNQUOTED_CHARACTERS}"), ())


def _omit_first_page(page: int) -> int | None:
    """Return the number of a page, None for the first page, which URLs leave out."""
    return page if page > 1 else None


@lru_cache(maxsize=128)  # a page has about fifteen URLs of a match, with few settings
def _list_settings(*values: object) -> list[str]:
    """Return the parts "name=value" of a query for settings of a match unlike their defaults.

    The list is cached: callers must not change it.
    """
    return [
        f"{name}={_format_value(value)}"
        for name, usual, value in zip(
            _SETTING_NAMES, _SETTING_DEFAULTS, values, strict=True
        )
        if value != usual
    ]


def _build_query(**values: object) -> str:
    """Return values as the query of a URL; a list becomes a repeated parameter."""
    pairs = []
    for name, value in values.items():
        repeated = value if isinstance(value, list) else [value]
        given = [each for each in repeated if each not in (None, "")]
        pairs += [f"{name}={_quote(str(each))}" for each in given]
    return "?" + "&".join(pairs) if pairs else ""


def _format_value(value: object) -> str:
    match value:
        case str():
            return _quote(value)
        case bool():
            return str(int(value))
        case float():
            return f"{value:g}"
        case tuple():
            return "-".join(map(str, value))
    return _quote(str(value))


def _quote(text: str) -> str:
    """Return a text quoted for a URL; the result is cached, except for long texts."""
    return (
        quote(text, safe=_UNQUOTED_CHARACTERS)
        if len(text) > _MAX_CACHED_LENGTH
        else _quote_cached(text)
    )


@lru_cache(maxsize=1024)
def _quote_cached(text: str) -> str:
    return quote(text, safe=_UNQUOTED_CHARACTERS)
