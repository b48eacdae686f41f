"""Calls whose arguments have another shape than the contract's, read without losing anything.

Imports the contract and the engine's schema checks; only ``host`` may import it, since every other
road is as strict as the contract. Start at :mod:`~mcp_server.repair.call`.
"""
