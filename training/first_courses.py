"""Write what the page /teach shows before the first game: `python -m training.first_courses`.

A course is the state of a learner that a person teaches by playing.
"""

import msgspec

from app.recipes import parse_recipe
from app.recipes.taught import Course
from app.web.pages.teach.learners import FIRST_COURSES_FILE, LEARNERS
from training.taught import PupilCache


def build_first_courses() -> dict[str, Course]:
    """Return {recipe name: state of the learner before its first game with a person}."""
    pupils = PupilCache()
    return {name: pupils.build_course(parse_recipe(name), "") for name in LEARNERS}


if __name__ == "__main__":
    text = msgspec.json.encode(build_first_courses())
    FIRST_COURSES_FILE.write_bytes(msgspec.json.format(text, indent=0) + b"\n")
