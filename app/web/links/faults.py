"""Links to common faults."""

from app.web.routes import Route

FAULTS = Route("/faults")
FAULT = Route("/faults/<fault>")
FAULT_PUZZLES = Route("/faults/puzzle")
FAULT_PUZZLE = Route("/faults/puzzle/<int:number>", "answer")
