"""Links to common faults."""

from app.web.routes import Route

FAULTS_ROUTE = Route("/faults")
FAULT_ROUTE = Route("/faults/<fault>")
FAULT_PUZZLES_ROUTE = Route("/faults/puzzle")
FAULT_PUZZLE_ROUTE = Route("/faults/puzzle/<int:number>", "answer")
