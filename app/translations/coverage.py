"""Measure how much of a catalogue of texts is translated."""

from babel.messages.catalog import Catalog, Message


def is_translated(message: Message) -> bool:
    """Return whether a text is translated in all its plural forms.

    A "fuzzy" translation, which somebody still has to check, does not count.
    """
    forms = message.string if isinstance(message.string, tuple) else (message.string,)
    return not message.fuzzy and all(forms)


def compute_translated_share(catalogue: Catalog) -> float:
    """Return the share of translated texts of a catalogue, 0 to 1; 0 for an empty catalogue."""
    texts = [message for message in catalogue if message.id]
    return sum(map(is_translated, texts)) / len(texts) if texts else 0.0
