"""Measure how often an agent's edit lands: at the first try, at the second, or not.

``python -m benchmarks.landing``. Real changes of real Unity packages become requests as agents
write them, spoiled as agents spoil them, and are sent by a mechanical client that reads only what a
model would be shown. Other ways of editing get the same. May import every other package; none
imports this one.
"""
