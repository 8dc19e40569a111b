"""The admin's pages: campaigns, judges, how it goes, results, files."""
