"""Measure how much of a catalogue of texts is translated."""

from babel.messages.catalog import Catalog, Message


def is_translated(message: Message) -> bool:
    """Return whether a text is translated in all its plural forms.

    A translation that is marked "fuzzy" does not count, because a translator has to check it.
    """
    forms = message.string if isinstance(message.string, tuple) else (message.string,)
    return not message.fuzzy and all(forms)


def compute_translated_share(catalogue: Catalog) -> float:
    texts = [message for message in catalogue if message.id]
    return sum(map(is_translated, texts)) / len(texts) if texts else 0.0
