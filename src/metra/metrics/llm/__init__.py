"""Language models as judges of translations, asked over the network.

judge: the metric `llm`: questions, scores, weights of marked errors, estimated cost, time-outs.
prompts: our two prompts (texts/score.txt, errors.txt, system.txt), and prompts from files.
answers: answers of judges, read strictly; severities.
endpoint: requests to an OpenAI-compatible endpoint, repeated after waits where that helps, and
    the tokens and money they spend, within a budget.
cache: the answers so far, in a file that survives a kill; METRA_CACHE.
"""
