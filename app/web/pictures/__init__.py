"""Drawings of the site: functions that turn numbers into shapes, and a writer of SVG."""
