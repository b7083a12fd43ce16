"""Serving the site: cache, compression, errors, headers, languages, logs, metrics, settings."""
