"""The judging app: pages and their JSON, over the store and the library of human measures."""
