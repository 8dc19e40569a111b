"""What people and other programs have noted about texts: one file a kind of note."""
