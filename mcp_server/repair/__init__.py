"""Calls whose arguments have another shape than the contract's, read without losing anything.

Imports the contract and the engine's schema checks; only ``host`` may import it, since every other
road is as strict as the contract. ``call`` reads a call, or refuses it with requests to send
instead; ``sent_call`` passes on a call that needs no repair. ``reading`` reads, by the table in
``words``; ``offers`` makes the requests to send instead.
"""
