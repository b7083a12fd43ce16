"""What may stand on pages of others: boards, curves and minds in frames, and figures as files."""

from app.web.embed import files, oembed, taking
from app.web.embed.frames import bp

__all__ = ["bp", "files", "oembed", "taking"]
