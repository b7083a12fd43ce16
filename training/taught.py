"""Learners (pupils) that people train by playing: what each game teaches them, and their next moves.

A lesson is a game against a person, or practice: some games against a program. A course is the
state of a learner after its lessons. `app.textbook` replays the games of a recipe. The learner can
be copied after each lesson, and the latest copies are cached, so one more game takes only its own
time.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import numpy as np
from cachetools import LRUCache
from msgspec.structs import replace
from numpy.typing import NDArray

from app.recipes import Recipe, RecipeError, name_recipe, parse_recipe
from app.recipes.algorithms import Menace
from app.recipes.games import TrainingGame
from app.recipes.parameters import (
    MAX_TAUGHT_GAMES,
    PERSON_OPPONENT,
    TaughtMoveError,
    list_taught_games,
)
from app.recipes.taught import (
    MILESTONES,
    Course,
    Lesson,
    LosingMove,
    Refusal,
    TouchedBoard,
    ValueChange,
    add_game,
    list_taught_phases,
    remove_all_games,
)
from app.reference import (
    UNFINISHED_TEXT,
    BoardAndCell,
    CheckedPerson,
    ReferenceLearner,
    UnfinishedError,
    build_rules,
    get_move_key,
    list_recipe_turns,
    make_learner,
)
from app.textbook.loop import Turn, Update
from app.textbook.rng import Random
from app.tictactoe import report
from app.tictactoe.blunder_boards import find_blunder_chances
from app.tictactoe.game import GAME, SEATS, BoolArray, FloatArray, Game, IndexArray
from app.tictactoe.notation import DIGITS, format_position, replay_record
from app.tictactoe.policy import BASELINES, Policy, policy_from_values
from app.tictactoe.report import find_blunders, find_lost_games, round_figure
from app.tictactoe.values import solve_game
from training import fast_evaluation
from training.learners.pairs import WON, list_legal_pairs
from training.learners.phases import NextCheckpoint, Progress
from training.story import GameRecorder, replace_nan

FIRST_GAME_BOARDS = 2
# Each of these learners has about 0.1 MB.
MAX_CACHED_PUPILS = 128
# {seat of the learner: number of the person's moves in the shortest game}
MIN_PERSON_MOVES = {"X": 2, "O": 3}


@cache
def get_pupil_cache(is_compiled: bool) -> "PupilCache":
    """Return the cache of this process; the first call also loads the compiled functions."""
    evaluate_lesson(BASELINES["random"].build_policy(GAME), is_compiled)
    return PupilCache(is_compiled)


def answer_course(
    recipe_name: str, unfinished_moves: str | None, is_compiled: bool = True
) -> bytes:
    """Return a learner that a person teaches (its course) as JSON, or else a `Refusal`.

    If `is_compiled`, compiled kernels evaluate the learner, otherwise numpy does.
    """
    try:
        return msgspec.json.encode(
            get_pupil_cache(is_compiled).build_course(
                parse_recipe(recipe_name), unfinished_moves
            )
        )
    except TaughtMoveError as error:
        games = recipe_name.partition("taught=")[2].count(".") + 1
        is_cut = error.game == games and error.fault == UNFINISHED_TEXT
        return msgspec.json.encode(Refusal(str(error), error.game, is_cut))
    except RecipeError as error:
        return msgspec.json.encode(Refusal(str(error), None))


class LessonPlan(NamedTuple):
    """A lesson before it is played: a game with a person, or practice against a program."""

    opponent: str
    # the games of the lesson, a turn for each game
    turns: list[Turn]
    # the person's moves in the game; "" for practice
    person_cells: str


@dataclass
class PupilState:
    """A learner that people teach, between two games."""

    learner: ReferenceLearner
    recorder: GameRecorder
    rng: Random
    game_count: int = 0
    update_count: int = 0
    lessons: list[Lesson] = field(default_factory=list)

    def copy(self) -> "PupilState":
        """Return a copy that can play on; both copies share the finished lessons."""
        recorder = self.recorder
        fixed = [recorder.recipe, recorder.rules, *self.lessons]
        return deepcopy(self, {id(one): one for one in fixed})


# (opponent, number of games, cells that the person plays)
LessonKey = tuple[str, int, str]
# (recipe without lessons, lessons)
PupilKey = tuple[Recipe, tuple[LessonKey, ...]]


class PupilCache:
    """A cache of the learners that people taught most recently."""

    def __init__(self, is_compiled: bool = True) -> None:
        self.is_compiled = is_compiled
        self.cache: LRUCache[PupilKey, PupilState] = LRUCache(MAX_CACHED_PUPILS)

    def build_course(
        self, recipe: Recipe, unfinished_moves: str | None = None
    ) -> Course:
        """Return the course of a recipe: the state of its learner after the recipe's games.

        `unfinished_moves` are the cells of the person's moves in a new game, or None for no new
        game. If these moves end the game, it becomes a part of the returned recipe. Raises
        TaughtMoveError if a move cannot be played, and RecipeError if there are too many games.
        """
        pupil = self.get_pupil(recipe)
        number = len(list_taught_games(recipe)) + 1
        seat = find_seat(recipe, number)
        if unfinished_moves is None:
            last = next((one for one in reversed(pupil.lessons) if one.record), None)
            return self._build_course_of_pupil(
                recipe, pupil, last.record if last else "", False, seat
            )
        if number > MAX_TAUGHT_GAMES:
            raise RecipeError(f"people teach {MAX_TAUGHT_GAMES} games at most")
        longer = add_game(recipe, unfinished_moves or "0")
        pupil = pupil.copy()
        try:
            play_turns(pupil, [build_person_turn(number, unfinished_moves)])
        except UnfinishedError as unfinished:
            record = self.build_record(pupil, unfinished.board)
            return self._build_course_of_pupil(recipe, pupil, record, True, seat)
        return self.build_course(longer)

    def get_pupil(self, recipe: Recipe) -> PupilState:
        """Return the learner of a recipe, from the cache or by replaying its games.

        The cache keeps the returned learner: copy it before it plays on.
        """
        start = remove_all_games(recipe)
        steps = list_lesson_plans(recipe)
        keys = [(step.opponent, len(step.turns), step.person_cells) for step in steps]
        known = self._count_cached_lessons(start, keys)
        if known == len(steps) > 0:
            return self.cache[start, tuple(keys)]
        cached = self.cache[start, tuple(keys[:known])] if known else None
        pupil = cached.copy() if cached else create_pupil(start)
        for number, step in enumerate(steps[known:], known):
            # Practice takes a second. So before it, all later games are checked for their length.
            if step.opponent != PERSON_OPPONENT:
                check_game_lengths(start, steps[number:])
            self.add_lesson(pupil, step)
        self.cache[start, tuple(keys)] = pupil
        return pupil

    def _count_cached_lessons(
        self, untaught_recipe: Recipe, lesson_keys: list[LessonKey]
    ) -> int:
        for number in range(len(lesson_keys), 0, -1):
            if (untaught_recipe, tuple(lesson_keys[:number])) in self.cache:
                return number
        return 0

    def add_lesson(self, pupil: PupilState, plan: LessonPlan) -> None:
        recorder = pupil.recorder
        before = build_progress(pupil)
        play_turns(pupil, plan.turns)
        after = build_progress(pupil)
        policy = policy_from_values(after.q, recorder.recipe.plays)
        lesson = Lesson(
            opponent=plan.opponent,
            games=len(recorder.games),
            seat="",
            record="",
            result="",
            updates=[],
            opponent_update_count=0,
            **evaluate_lesson(
                policy, self.is_compiled, list_seat_letters(recorder.recipe)
            ),
        )
        if plan.opponent == PERSON_OPPONENT:
            recorded_game = recorder.build_game(len(recorder.games) - 1)
            seat = find_seat(recorder.recipe, plan.turns[0].player.number)
            updates = list_own_updates(recorded_game, seat)
            record = self.build_record(pupil)
            result = recorded_game.get_result_for(seat)
            old_policy = policy_from_values(before.q, recorder.recipe.plays)
            lesson = replace(
                lesson,
                seat=seat,
                record=record,
                result=result,
                updates=updates,
                opponent_update_count=len(recorded_game.updates) - len(updates),
                losing_move=find_losing_move(record, seat, old_policy)
                if result == "loss"
                else None,
            )
        lost = find_first_chances([*pupil.lessons, lesson])
        chances = [(first, float(policy[move])) for move, first in lost.items()]
        pupil.lessons.append(replace(lesson, losing_move_chances=chances))

    def build_record(self, pupil: PupilState, *last_board: str) -> str:
        """Return the moves of the recorded game as the digits of the cells.

        The last move leads to `last_board`, or without it to the last recorded board.
        """
        rules = pupil.recorder.rules
        boards = [rules.empty]
        for move in next(iter(pupil.recorder.games), []):
            boards += [
                move.board,
                rules.make_move(move.board, move.cell),
                move.next_own_board,
            ]
        steps = zip(boards, [*boards[1:], *last_board], strict=False)
        return "".join(
            DIGITS[cell]
            for before, after in steps
            for cell in range(GAME.cells)
            if before[cell] != after[cell]
        )

    def _build_course_of_pupil(
        self,
        recipe: Recipe,
        pupil: PupilState,
        record: str,
        has_unfinished_game: bool,
        seat: str,
    ) -> Course:
        progress = build_progress(pupil)
        decisions = [s for s in replay_record(GAME, record) if s < GAME.decisions]
        policy = policy_from_values(progress.q, recipe.plays)
        return Course(
            recipe=name_recipe(recipe),
            record=record,
            has_unfinished_game=has_unfinished_game,
            seat=seat,
            values=[replace_nan(progress.q[s]) for s in decisions],
            is_value_known=(progress.visits[decisions] > 0).tolist(),
            lessons=pupil.lessons,
            losing_games=find_lost_games(GAME, policy),
            blunder_chances={}
            if has_unfinished_game
            else find_blunder_chances(GAME, policy, [*list_seat_letters(recipe)]),
            touched_boards=list_touched_boards(
                pupil, progress, decisions["XO".index(seat) :: 2]
            ),
        )


def learn(
    game: Game, recipe: Recipe, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Yield the progress of a training, like `training.learners.learn`, but in plain Python.

    The recipe may have games against a person. Raises TaughtMoveError if one of the person's moves
    cannot be played.
    """
    start = remove_all_games(recipe) if recipe.has_opponent(PERSON_OPPONENT) else recipe
    pupil = create_pupil(start)
    steps = list(list_recipe_turns(game, recipe))
    yield build_progress(pupil)
    stop = next_checkpoint(0)
    for number, turn in enumerate(steps, 1):
        play_turns(pupil, [turn])
        if pupil.update_count >= stop or number == len(steps):
            yield build_progress(pupil)._replace(finished_share=number / len(steps))
            stop = next_checkpoint(pupil.update_count)


def create_pupil(untaught_recipe: Recipe) -> PupilState:
    return PupilState(
        make_learner(GAME, untaught_recipe),
        GameRecorder(untaught_recipe),
        Random(untaught_recipe.seed),
    )


def play_turns(pupil: PupilState, turns: list[Turn]) -> None:
    """Play and record games; raises TaughtMoveError if a person's move cannot be played."""
    recorder = pupil.recorder
    recorder.forget_games()
    for turn in turns:
        for event in pupil.learner.play(turn, pupil.rng):
            recorder.record_event(pupil.learner, event)
            if isinstance(event, Update):
                check_bead_choice(recorder.recipe, turn, event)
        if isinstance(turn.player, CheckedPerson):
            turn.player.check_no_cells_are_left()
    pupil.game_count += len(recorder.games)
    pupil.update_count += sum(map(len, recorder.updates_by_game.values()))


def check_bead_choice(recipe: Recipe, turn: Turn, update: Update) -> None:
    """Raise TaughtMoveError for a move without a bead in its box, if the boxes are of paper.

    Then a person draws the beads, and may draw one that should not be there.
    """
    is_paper_machine = (
        isinstance(recipe, Menace) and recipe.paper and turn.opponent == PERSON_OPPONENT
    )
    if is_paper_machine and not update.old:
        ply = len(update.board) - update.board.count(".")
        raise TaughtMoveError(
            turn.player.number, ply + 1, "has no bead left in the box of that board"
        )


def build_person_turn(game_number: int, cells: str = "") -> Turn:
    """Return the turn for a game against a person; `game_number` is counted from 1."""
    return Turn(
        PERSON_OPPONENT,
        CheckedPerson(game_number, cells),
        game_number - 1,
        1,
        game_number - 1,
    )


def list_seat_letters(recipe: Recipe) -> str:
    """Return the seats that the learner plays: "x", "o" or "xo"."""
    seat: str = getattr(recipe, "seat", "both")
    return "xo" if seat == "both" else seat


def find_seat(recipe: Recipe, game_number: int) -> str:
    """Return the learner's seat, "X" or "O", in the game with this number, counted from 1."""
    seat: str = build_person_turn(game_number).seat(
        getattr(recipe, "seat", "both"), game_number - 1
    )
    return seat


def list_own_updates(game: TrainingGame, seat: str) -> list[ValueChange]:
    updates = []
    for change in game.updates:
        board = game.moves[change.move_index].board
        ply = len(board) - board.count(".")
        if "XO"[ply % 2] == seat:
            updates.append(ValueChange(ply, change.old, change.new))
    return updates


def find_losing_move(record: str, seat: str, policy: Policy) -> LosingMove | None:
    """Find the move after which `seat`, "X" or "O", could no longer avoid its loss.

    The chance of the move is its probability in `policy`. The result is None if there was no such move.
    """
    positions = replay_record(GAME, record)
    # The value of each position with optimal play is 1 if this seat wins, 0 for a draw, -1 if it loses.
    value = solve_game(GAME).values * SEATS[seat.lower()]
    for ply in range(len(record) - 1, -1, -1):
        position = positions[ply]
        is_own = GAME.to_move[position] == SEATS[seat.lower()]
        if is_own and value[position] >= 0 > value[positions[ply + 1]]:
            return LosingMove(
                move_index=ply,
                chance=float(policy[position, DIGITS.index(record[ply])]),
            )
    return None


def find_first_chances(lessons: Sequence[Lesson]) -> dict[tuple[int, int], float]:
    """Return {(position, cell): probability of the move} for the losing moves of all lessons.

    It is the probability at the first loss by this move, before the learner learned from the loss.
    """
    chances: dict[tuple[int, int], float] = {}
    for lesson in lessons:
        if lesson.losing_move:
            ply, chance = lesson.losing_move
            position = replay_record(GAME, lesson.record)[ply]
            chances.setdefault((position, DIGITS.index(lesson.record[ply])), chance)
    return chances


def list_touched_boards(
    pupil: PupilState, progress: Progress, own_decisions: Sequence[int]
) -> list[TouchedBoard]:
    """Return the boards whose values changed in games with the person, in the order of the games.

    During the first game the boards are the last two of `own_decisions`, the learner's positions in
    that game.
    """
    initial, _ = build_first_table(pupil.recorder.recipe.with_seed(0))
    before = GAME.spread_pairs(initial)
    # {position: keys of its table entries}
    keys: dict[int, Hashable] = {}
    game_counts: Counter[Hashable] = Counter()
    for lesson in pupil.lessons:
        positions = replay_record(GAME, lesson.record)
        touched = [positions[update.move_index] for update in lesson.updates]
        # A forced move teaches nothing.
        keys |= {
            one: _get_board_key(pupil, one)
            for one in touched
            if GAME.legal[one].sum() > 1
        }
        game_counts.update({keys[one] for one in touched if one in keys})
    shown = [*keys] if pupil.lessons else own_decisions[-FIRST_GAME_BOARDS:]
    return [
        TouchedBoard(
            position=one,
            game_count=game_counts[keys[one]] if keys else 0,
            old_values=replace_nan(before[one]),
            new_values=replace_nan(progress.q[one]),
            is_updated=(progress.visits[one] > 0).tolist(),
        )
        for one in shown
    ]


def _get_board_key(pupil: PupilState, position: int) -> Hashable:
    board = format_position(GAME, position)
    cells = np.flatnonzero(GAME.legal[position]).tolist()
    return frozenset(get_move_key(pupil.learner, board, cell) for cell in cells)


def list_lesson_plans(recipe: Recipe) -> list[LessonPlan]:
    """Return the games with a person and the practice of a recipe, in the order of the training.

    Raises RecipeError if people cannot teach the recipe's algorithm.
    """
    games = iter(list_taught_games(recipe))
    done = list[LessonPlan]()
    rest = list_recipe_turns(GAME, recipe)
    for opponent, number in list_taught_phases(recipe):
        person = opponent == PERSON_OPPONENT
        for length in [1] * number if person else [number]:
            cells = next(games) if person else ""
            done.append(LessonPlan(opponent, list(islice(rest, length)), cells))
    return done


def check_game_lengths(recipe: Recipe, plans: list[LessonPlan]) -> None:
    for step in plans:
        person = step.turns[0].player
        if (
            step.opponent == PERSON_OPPONENT
            and len(step.person_cells)
            < MIN_PERSON_MOVES[find_seat(recipe, person.number)]
        ):
            raise TaughtMoveError(
                person.number, len(step.person_cells) + 1, UNFINISHED_TEXT
            )


def build_progress(pupil: PupilState) -> Progress:
    learner = pupil.learner
    update_counts = pupil.recorder.update_counts
    initial, entries = build_first_table(pupil.recorder.recipe.with_seed(0))
    values = initial.copy()
    visits = np.zeros(len(initial), np.uint32)
    # In a league the learner also updates moves of its opponent, which have no entry here.
    for key in update_counts.keys() & entries.keys():
        move, pairs = entries[key]
        values[pairs] = learner.value(*move)
        visits[pairs] = update_counts[key]
    return Progress(
        finished_share=0.0,
        games=pupil.game_count,
        updates=pupil.update_count,
        q=GAME.spread_pairs(values.astype(np.float32)),
        visits=GAME.spread_pairs(visits, 0),
        refills=getattr(learner, "refills", None),
    )


@lru_cache(maxsize=32)
def build_first_table(
    recipe: Recipe,
) -> tuple[FloatArray, Mapping[Hashable, tuple[BoardAndCell, IndexArray]]]:
    """Return all moves' values before the first game, [P], and the entries of the table by key.

    An entry is (one of its moves, the indices of all its moves); these moves share a value.
    """
    learner = make_learner(GAME, recipe)
    rules = build_rules(GAME)
    boards = rules.unfinished_boards()
    moves = [(board, cell) for board in boards for cell in rules.legal_moves(board)]
    pairs_by_key: dict[Hashable, list[int]] = {}
    for pair, move in enumerate(moves):
        pairs_by_key.setdefault(get_move_key(learner, *move), []).append(pair)
    entries = {
        key: (moves[same[0]], np.array(same)) for key, same in pairs_by_key.items()
    }
    values = np.array([float(learner.value(*move)) for move in moves])
    values.flags.writeable = False
    return values, entries


def evaluate_lesson(
    policy: Policy, is_compiled: bool, seats: str = "xo"
) -> dict[str, Any]:
    """Return the exact results of a policy, [D, cells], as fields of `Lesson`.

    Milestones, such as blocking every row, are judged only in the learner's `seats`: "x", "o" or
    "xo".
    """
    pairs = policy[GAME.legal]
    if is_compiled:
        followed = fast_evaluation.evaluate_policies_fast(GAME, pairs[None])
        proved = {
            seat: fast_evaluation.is_unbeatable(GAME, policy, side)
            for seat, side in SEATS.items()
        }
    else:
        followed = report.evaluate_policies(GAME, pairs[None])
        proved = {
            seat: record is None
            for seat, record in find_lost_games(GAME, policy).items()
        }
    reachable = np.zeros(GAME.decisions, np.bool_)
    for number, seat in enumerate(SEATS):
        if seat in seats:
            reachable |= followed.is_reachable[number, 0]
    wins, blocks = find_wins_and_blocks()
    losses_to_random = followed.outcome_chances_by_baseline[
        0, list(BASELINES).index("random"), 0, -1
    ]
    reached = {
        "rows": not can_miss_needed_move(pairs, reachable, wins),
        "blocks": not can_miss_needed_move(pairs, reachable, blocks),
        "random": "x" in seats and not losses_to_random,
        "x": "x" in seats and proved["x"],
        "o": "o" in seats and proved["o"],
        "both": seats == "xo" and all(proved.values()),
    }
    return {
        "loss_chances": {
            "x": round_figure(followed.best_response_chances[0, 0, -1]),
            "o": round_figure(followed.best_response_chances[1, 0, 0]),
        },
        "blunder_count": int(find_blunders(GAME, policy).sum()),
        "milestones": [one for one in MILESTONES if reached[one]],
    }


@cache
def find_wins_and_blocks() -> tuple[BoolArray, BoolArray]:
    """Return two masks of moves, [P]: moves that complete a row, and moves that block every row.

    After a blocking move the opponent cannot complete a row at once. Where the mover itself can
    complete a row, no move counts as blocking.
    """
    _, after = list_legal_pairs(GAME)
    wins = after == WON
    can_win = np.logical_or.reduceat(wins, GAME.first_pair[:-1])
    lets_win = (after >= 0) & can_win[after]
    return wins, ~lets_win & ~can_win[GAME.pair_decision]


def can_miss_needed_move(
    pair_chances: NDArray[np.floating],
    is_reachable: BoolArray,
    needed_moves: BoolArray,
) -> bool:
    """Return whether a policy may leave out a needed move in a position where there is one.

    `pair_chances`, [P], has the policy's chances, and `needed_moves`, [P], is a mask. Only
    positions that are `is_reachable`, [D], count.
    """
    able = np.logical_or.reduceat(needed_moves, GAME.first_pair[:-1]) & is_reachable
    return bool((able[GAME.pair_decision] & ~needed_moves & (pair_chances > 0)).any())
