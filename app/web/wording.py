"""Sentences that several pages share, about matches, colours and agents."""

from collections.abc import Sequence
from typing import NamedTuple

from app.tictactoe.game import GAME, SEATS, O, X, get_mover
from app.tictactoe.notation import MARKS
from app.tictactoe.policy import BASELINES
from app.tictactoe.tasks import TrainingTask
from app.tictactoe.views import RewardScale
from app.web.algorithms import ALGORITHM_PAGES, get_opponent_name
from app.web.facts import (
    find_losing_game,
    get_figures,
    judge_policy,
    rank_players,
)
from app.web.formatting import (
    format_count,
    format_percent,
    format_signed,
    format_updates,
    join_words,
    name_square,
)
from app.web.match import MatchState
from app.web.move_values import (
    LEGEND_HEATS,
    OPTIMAL_PLAY_REWARDS,
    MoveValues,
    evaluate_moves,
)
from app.web.site_data import (
    HUMAN,
    TASK_SUFFIX,
    SiteData,
    cached_per_site,
    is_policy_name,
)
from app.web.translation import gettext, gettext_noop, localize_number, ngettext

MAX_NAMED_SQUARES = 3


def describe_turn(state: MatchState) -> str:
    match = state.match
    titles = state.site.display_titles
    if state.is_over:
        return _describe_result(state)
    who = match.player_to_move
    if not match.is_human(who):
        agent = titles[match.get_player_name(who)]
        return gettext("%(agent)s’s turn as %(mark)s", agent=agent, mark=MARKS[who])
    if match.visitor_side is None:
        return gettext("%(mark)s to move", mark=MARKS[who])
    return gettext("Your turn as %(mark)s", mark=MARKS[who])


def describe_status(state: MatchState, goes_on_automatically: bool = False) -> str:
    """Return the text for screen readers: the last move of X and of O, and whose turn it is.

    A person's blunder is announced, unless the values are hidden. After a game between agents only
    the result is announced, and while the game goes on by itself, nothing.
    """
    if goes_on_automatically and not state.is_over:
        return ""
    shown_cells = state.played_cells[: len(state.match.shown_record)]
    plies = list(enumerate(shown_cells))[-2:]
    moves = [
        MARKS[get_mover(ply)]
        + gettext(": ")
        + f"{_locate_square(cell)}.{_describe_blunder(state, ply, cell)}"
        for ply, cell in plies
    ]
    if state.match.is_watched and state.is_over:
        moves = []
    return " ".join([*moves, f"{describe_turn(state)}."])


def _locate_square(cell: int) -> str:
    row, column = divmod(cell, 3)
    return gettext("row %(row)s, column %(column)s", row=row + 1, column=column + 1)


# The labels for MENACE, from the lowest colour to the highest.
BEAD_LABELS = (
    gettext_noop("no beads"),
    gettext_noop("average number of beads"),
    gettext_noop("all beads"),
)
# A key is the result that was certain with optimal play before a blunder: a draw (0) or a win (1).
LOST_RESULT_TEXTS = {
    0: gettext_noop("it gave away the draw"),
    1: gettext_noop("it gave away the win"),
}


class Legend(NamedTuple):
    """The explanation beside a board: whose values it shows, and what each colour means."""

    caption: str
    # exact facts about the agent whose values the board shows
    facts: str
    # false for exact values, and for beads
    can_be_wrong: bool
    # what a square without a value means; "" if all values are known
    unknown_text: str = ""
    # whether the agent plays at random, with probabilities in proportion to its values
    is_stochastic: bool = False
    # the steps of the colour scale, from the lowest value to the highest
    heats: range = range(0)
    # the labels of the lowest, the middle and the highest colour
    scale_labels: tuple[tuple[str, ...], ...] = ()


def build_legend(state: MatchState, move_values: MoveValues) -> Legend:
    site = state.site
    value_source = move_values.value_source
    player = int(GAME.to_move[move_values.position])
    mark = MARKS[player]
    if is_policy_name(value_source):
        words = gettext_noop(
            "★ marks the move of %(agent)s for %(mark)s. Its values are not known"
        )
        caption = gettext(words, agent=site.display_titles[value_source], mark=mark)
        facts = describe_agent(
            site, value_source, None, state.match.list_seats(value_source)
        )
        return Legend(caption, facts, can_be_wrong=True)
    is_learned = site.agents.contains_name(value_source)
    if move_values.is_optimal_play:
        caption = gettext(
            "Result of each move for %(mark)s with optimal play", mark=mark
        )
        facts = gettext("These results are exact: the whole game was solved.")
    elif is_learned:
        caption = _name_learned_values(state, move_values, mark)
        facts = describe_agent(
            site,
            value_source,
            state.match.snapshot,
            state.match.list_seats(value_source),
        )
    else:
        task = site.get_task(value_source.removesuffix(TASK_SUFFIX)) or TrainingTask()
        caption = _name_task_values(site, value_source, task, mark)
        facts = gettext(
            "These values are exact for games %(task)s.",
            task=describe_task(site, task),
        )
    return Legend(
        caption=caption,
        unknown_text=move_values.unknown_text,
        can_be_wrong=is_learned and not move_values.are_beads,
        is_stochastic=move_values.are_beads
        and site.agents[value_source].card.play_rule == "proportional",
        heats=LEGEND_HEATS,
        scale_labels=_build_scale(site, move_values, "x" if player == X else "o"),
        facts=facts,
    )


def _name_learned_values(state: MatchState, move_values: MoveValues, mark: str) -> str:
    card = state.site.agents[move_values.value_source].card
    words = gettext_noop("%(agent)s’s value of each move for %(mark)s")
    if {",", "("} & {*card.title}:
        words = gettext_noop("Value of each move for %(mark)s, learned by %(agent)s")
    if move_values.are_beads:
        words = gettext_noop("%(agent)s’s beads for each move of %(mark)s")
    caption = gettext(words, agent=card.title, mark=mark)
    step = state.match.snapshot
    if step is None:
        return caption
    updates = format_updates(card.figures.snapshot_updates[step])
    after = gettext("after %(updates)s", updates=updates)
    return f"{caption}, {after}"


def _name_task_values(
    site: SiteData, value_source: str, task: TrainingTask, mark: str
) -> str:
    words = gettext_noop(
        "Exact value of each move for %(mark)s against the training opponent of %(agent)s"
    )
    if task.epsilon:
        words = gettext_noop(
            "Exact value of each move for %(mark)s against the training opponent of %(agent)s, "
            "if the agent also explores"
        )
    agent = site.display_titles[value_source.removesuffix(TASK_SUFFIX)]
    return gettext(words, agent=agent, mark=mark)


def _build_scale(
    site: SiteData, move_values: MoveValues, seat: str
) -> tuple[tuple[str, ...], ...]:
    """Return the labels of the colour scale: a result and its reward, such as ("loss", "−1").

    For MENACE the labels are numbers of beads.
    """
    reward_scale = site.get_rewards(move_values.value_source)
    if reward_scale is None:
        return tuple((gettext(words),) for words in BEAD_LABELS)
    return _label_scale(
        reward_scale,
        seat,
        2 if move_values.in_source_units else 0,
        move_values.in_source_units,
    )


def describe_task(site: SiteData, task: TrainingTask) -> str:
    """Name the opponent of a training task and its discount factor, within a sentence."""
    whom = (
        gettext("itself")
        if task.opponent is None
        else site.display_titles[task.opponent]
    )
    gamma = localize_number(f"{task.gamma:g}")
    if task.epsilon:
        epsilon = localize_number(f"{task.epsilon:g}")
        whom = gettext(
            "%(opponent)s, exploring with ε = %(epsilon)s",
            opponent=whom,
            epsilon=epsilon,
        )
    words = gettext_noop("against %(opponent)s, with a discount factor of %(gamma)s")
    if task.gamma != 1:
        words = gettext_noop(
            "against %(opponent)s, with a discount factor of %(gamma)s for each move"
        )
        if task.discounted_plies == 2:
            words = gettext_noop(
                "against %(opponent)s, with a discount factor of %(gamma)s for "
                "each of the agent’s own moves"
            )
    return gettext(words, opponent=whom, gamma=gamma)


def name_squares(cells: Sequence[int]) -> str:
    """Join the names of squares by "or"; more than MAX_NAMED_SQUARES squares are only counted."""
    if len(cells) > MAX_NAMED_SQUARES:
        return gettext("any of %(number)s squares", number=len(cells))
    return join_words([name_square(cell) for cell in cells], "or")


def get_front_page_agent(site: SiteData) -> str:
    return (
        FRONT_PAGE_AGENT
        if FRONT_PAGE_AGENT in site.agents
        else site.opponent_for_newcomers
    )


def describe_agent(
    site: SiteData,
    agent_name: str,
    snapshot: int | None = None,
    players: Sequence[int] = (X, O),
) -> str:
    """Say in a sentence how an agent plays, after its training or at a snapshot of it.

    The sentence says whether it can be beaten as each of `players`, +1 for X and -1 for O.
    """
    title = site.display_titles[agent_name]
    figures = get_figures(site, agent_name)
    number = figures.blunders[-1 if snapshot is None else snapshot]
    drawn = (
        site.agents.contains_name(agent_name)
        and site.agents[agent_name].card.play_rule == "proportional"
    )
    values = {
        "agent": title,
        "number": format_count(number),
        "all": format_count(GAME.decisions),
    }
    if snapshot is not None:
        if drawn:
            words = gettext_noop(
                "At this snapshot of its training %(agent)s can blunder in %(number)s of "
                "%(all)s positions."
            )
        else:
            words = gettext_noop(
                "At this snapshot of its training %(agent)s blunders in %(number)s of %(all)s positions."
            )
        return gettext(words, **values)
    seats = [MARKS[player] for player in players]
    beaten = [
        MARKS[player]
        for player in players
        if find_losing_game(site, agent_name, player) is not None
    ]
    if not beaten:
        proof = gettext("cannot be beaten as %(marks)s", marks=join_words(seats, "or"))
    elif beaten == seats:
        proof = gettext("can be beaten as %(marks)s", marks=join_words(beaten))
    else:
        proof = gettext("can be beaten only as %(mark)s", mark=beaten[0])
    words = gettext_noop(
        "%(agent)s blunders in %(number)s of %(all)s positions and %(proof)s."
    )
    if drawn:
        words = gettext_noop(
            "%(agent)s can blunder in %(number)s of %(all)s positions and %(proof)s."
        )
    return gettext(words, **values, proof=proof)


def _label_scale(
    reward_scale: RewardScale, seat: str, decimals: int, in_source_units: bool
) -> tuple[tuple[str, str], ...]:
    loss, draw, win = getattr(reward_scale, seat)
    names = [gettext_noop("loss"), gettext_noop("draw"), gettext_noop("win")]
    # A draw with the reward of a loss has the colour of a loss, so the middle colour has no label.
    if draw == loss:
        names[:2] = [gettext_noop("loss or draw"), ""]
    elif draw == win:
        names[1:] = ["", gettext_noop("draw or win")]
    names = [name and gettext(name) for name in names]
    values = [
        format_signed(value, decimals)
        for value in (
            reward_scale if in_source_units else OPTIMAL_PLAY_REWARDS
        ).get_rewards(seat)
    ]
    return tuple(zip(names, values, strict=True))


def _describe_blunder(state: MatchState, ply: int, cell: int) -> str:
    match = state.match
    position = state.positions[ply]
    if (
        match.hides_values
        or not match.is_human(get_mover(ply))
        or is_move_prepared(match.record, ply + 1)
        or state.site.is_move_correct[position, cell]
    ):
        return ""
    value_for_x = int(state.site.solution.values[position])
    value = get_mover(ply) * value_for_x
    return " " + gettext("A blunder: %(what)s.", what=gettext(LOST_RESULT_TEXTS[value]))


def _describe_result(state: MatchState) -> str:
    match = state.match
    outcome = GAME.get_result(state.position)
    if outcome == 0:
        return gettext("Draw")
    if match.visitor_side is not None:
        won = match.visitor_side == outcome
        return gettext("You win") if won else gettext("You lost")
    if match.is_human(outcome):
        return gettext("%(mark)s wins", mark=MARKS[outcome])
    agent = state.site.display_titles[match.get_player_name(outcome)]
    return gettext("%(agent)s wins as %(mark)s", agent=agent, mark=MARKS[outcome])


# The front page begins with the values of this agent, in a position with X to move in which its
# values range from a loss to a win.
FRONT_PAGE_AGENT = "q-learning-4"
FRONT_PAGE_RECORD = "0276"
# The front page offers these agents, in this order, and says how they learned.
FRONT_PAGE_AGENTS = {
    FRONT_PAGE_AGENT: gettext_noop(
        "It played %(count)s games that began in each position in turn, first against random "
        "moves, then against itself. After each of its moves it changed one number, Q(s, a), "
        "towards the best value that could follow."
    ),
    "q-iteration": gettext_noop(
        "It played no game: in %(count)s sweeps it went through every position and every move. The "
        "value of a move became the best value after one answer of the opponent."
    ),
    "self-play": gettext_noop(
        "It played %(count)s games against itself. Both sides share one table: X looks for high "
        "values, O for low ones, and after every move one value changes."
    ),
    "menace": gettext_noop(
        "It draws each move from a matchbox of coloured beads. After each of %(count)s games "
        "against random moves, beads of the moves played were added, or taken away if it lost."
    ),
    "dqn-vs-random": gettext_noop(
        "A neural network learned from %(count)s games against random moves. Each step of its "
        "training moves its outputs towards the reward plus the best value that can follow."
    ),
}
STRENGTHS = (
    gettext_noop("beginner"),
    gettext_noop("intermediate"),
    gettext_noop("strong"),
    gettext_noop("unbeatable"),
)
# The largest share of games that an agent of this strength loses against uniformly random moves.
MAX_LOSS_SHARES = {"strong": 0.01, "intermediate": 0.1, "beginner": 1.0}


def is_move_prepared(record: str, ply: int) -> bool:
    """Return whether move `ply`, counted from 1, is in the position that the front page shows first."""
    return ply <= len(FRONT_PAGE_RECORD) and record.startswith(FRONT_PAGE_RECORD)


class LessonStep(NamedTuple):
    """A step of the lesson; its text is in the template lesson/lesson.html."""

    slug: str
    title: str


LESSON_STEPS = [
    LessonStep("untrained", gettext_noop("Before the first game")),
    LessonStep("learning", gettext_noop("Games change values")),
    LessonStep("blunder", gettext_noop("A wrong value")),
    LessonStep("why", gettext_noop("Computing a value")),
    LessonStep("unbeatable", gettext_noop("An unbeatable program")),
]


class PlayerProfile(NamedTuple):
    """A player in a list of players: a short text, and the colours of its empty board."""

    # one of STRENGTHS; "" for a person
    strength_name: str
    # how the player learned or, if it does not learn, how it plays
    training_text: str
    # "" for a player that does not learn
    result_text: str
    # [cells] the colour of each square of the empty board, as a step of the scale; None if unknown
    empty_board_heats: tuple[int | None, ...] | None

    @property
    def description(self) -> str:
        return f"{self.training_text} {self.result_text}".rstrip()


@cached_per_site(64, per_language=True)
def build_player_profile(site: SiteData, player_name: str) -> PlayerProfile:
    if player_name == HUMAN:
        return PlayerProfile(
            "", gettext("A person who plays on this device."), "", None
        )
    result_text = describe_strength(site, player_name)
    if is_policy_name(player_name):
        training_text = gettext("Its moves are known, its values are not.")
    elif site.agents.contains_name(player_name):
        training_text = describe_training(site, player_name)
        rewards = site.get_rewards(player_name)
        if rewards and rewards.x[1] == rewards.x[2]:
            words = gettext("For this agent a draw counts as much as a win.")
            result_text = f"{result_text} {words}"
    else:
        training_text = gettext(BASELINES[player_name].description)
        result_text = ""
    return PlayerProfile(
        strength_name=grade_strength(site, player_name),
        training_text=training_text,
        result_text=result_text,
        empty_board_heats=_list_empty_board_heats(site, player_name)
        if site.agents.contains_name(player_name)
        else None,
    )


def grade_strength(site: SiteData, policy_name: str) -> str:
    """Return how strong a policy is: one of STRENGTHS.

    A policy that can lose is graded by its share of lost games against random moves, as X or as O,
    whichever is larger.
    """
    judgement = judge_policy(site, policy_name)
    if all(judgement.is_unbeatable.values()):
        return "unbeatable"
    share, _ = find_worst_seat(site, policy_name)
    return next(name for name, most in MAX_LOSS_SHARES.items() if share <= most)


def find_worst_seat(site: SiteData, policy_name: str) -> tuple[float, str]:
    """Return the larger share of lost games against random moves, and its seat."""
    chances = judge_policy(site, policy_name).outcome_chances
    return max((float(chances["random", seat][2]), seat) for seat in SEATS)


@cached_per_site(4, per_language=True)
def recommend_agents(site: SiteData) -> dict[str, str]:
    """Return the names in the sentences of the macro `recommend`."""
    unbeatable, strongest, easiest = select_agents(site)
    titles = site.display_titles
    return {
        "unbeatable": join_words([titles[name] for name in unbeatable], "or"),
        "strongest": titles[strongest],
        "easiest": titles[easiest],
        "easiest_loses": describe_strength(site, easiest),
    }


def select_agents(site: SiteData) -> tuple[list[str], str, str]:
    """Return the agents that never lose, the strongest in the arena, and the easiest to begin with."""
    names = [*site.shipped_agents]
    return (
        [name for name in names if grade_strength(site, name) == "unbeatable"],
        next(name for name in reversed(rank_players(site)) if name in names),
        max(list_front_agents(site), key=lambda name: find_worst_seat(site, name)),
    )


def list_front_agents(site: SiteData) -> list[str]:
    """Return the FRONT_PAGE_AGENTS of this site, or its first agent if it has none of them."""
    return [name for name in FRONT_PAGE_AGENTS if name in site.agents] or [
        *site.agents
    ][:1]


def describe_training(site: SiteData, agent_name: str) -> str:
    how = ALGORITHM_PAGES[site.agents[agent_name].card.algorithm].origin_text
    opponents = [
        gettext("random moves")
        if opponent == "random"
        else get_opponent_name(site, opponent)
        for opponent, _ in site.get_recipe(agent_name).phases
    ]
    opponents_text = gettext(" and then ").join(opponents)
    games = format_count(site.agents[agent_name].card.games)
    sentence = gettext(how).format(games=games, opponents=opponents_text)
    starts = {
        "every": gettext("They began in each position in turn."),
        "random": gettext("Each began in a random position."),
    }
    start = starts.get(getattr(site.get_recipe(agent_name), "start", ""), "")
    return f"{sentence} {start}".rstrip()


def describe_strength(site: SiteData, policy_name: str) -> str:
    kind = grade_strength(site, policy_name)
    judgement = judge_policy(site, policy_name)
    safe = judgement.is_unbeatable
    if kind == "unbeatable":
        won_share = float(judgement.outcome_chances["random", "x"][0])
        return gettext(
            "As X it wins %(share)s%% of its games against random moves.",
            share=format_percent(won_share, 0),
        )
    if kind in ("beginner", "intermediate"):
        chance, seat = find_worst_seat(site, policy_name)
        # A whole number could contradict the limits in MAX_LOSS_SHARES.
        share = format_percent(chance, 1)
        return gettext(
            "As %(mark)s it loses %(share)s%% of its games against random moves.",
            mark=seat.upper(),
            share=share,
        )
    sentences = [
        gettext("It can be beaten, but only as %(mark)s.", mark=seat.upper())
        for seat, is_proved in safe.items()
        if not is_proved and any(safe.values())
    ]
    blunders = ngettext(
        "It blunders in %(count)s position.",
        "It blunders in %(count)s positions.",
        judgement.blunder_count,
    )
    return " ".join([*sentences, blunders])


def _list_empty_board_heats(site: SiteData, player_name: str) -> tuple[int | None, ...]:
    view = evaluate_moves(site, 0, player_name)
    return tuple(
        heat if known else None
        for heat, known in zip(view.heats, view.is_known, strict=True)
    )
