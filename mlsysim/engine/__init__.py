"""Scenarios: their definitions, their results, and what works on any of them."""
