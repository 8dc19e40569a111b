"""How people are asked: one module a kind of question, and the table of protocols."""
