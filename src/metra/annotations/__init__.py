"""What people or programs wrote about a text, beside it: one file a kind of annotation."""
