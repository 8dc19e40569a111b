"""A whole study as one HTML file that needs nothing else. Nothing is computed here."""
