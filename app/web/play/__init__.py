"""The play page: a match, its settings, and what everybody thinks of it."""

from app.web.play import cards, minds, page

bp = page.bp

__all__ = ["bp", "cards", "minds", "page"]
