"""Language models as judges of translations, asked over the network.

judge: the metric `llm`: questions, scores, marked errors and estimated cost.
prompts: two prompts of our own, and prompts from files.
answers: answers of judges, read strictly.
endpoint: requests to an OpenAI-compatible endpoint, repeated where that helps, and
    the tokens and money they spend, within a budget.
cache: the answers so far, in a file that survives a kill.
"""
