"""Why a value is what it is."""
