"""Read tool calls whose arguments have another shape than the schema, and lose nothing.

Imports the contract and the engine's schema checks. Only ``host`` may import it: the command line
is as strict as the contract. ``call`` reads a call, or refuses it with requests to send instead;
``sent_call`` passes on a call that needs no repair. ``reading`` reads a request by the table in
``words``. ``offers`` makes the requests to send instead.
"""
