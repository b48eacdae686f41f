"""Call tools: in this process, through a running server, as a dry run, or in a batch.

Imports the contract and the engine. ``local_tools``: script tools in this process, in a
``project``, with a ``language_server`` and ``project_check``. ``tool_caller``: chooses between this
process and a server; ``answer_limits``: how long the server's answer may take. ``batch``: many
calls in order. ``dry_run``: what a call would do. ``interrupted_call``: Ctrl-C during a call.
``json_input``: JSON that a person typed. ``private_file``: small private files. ``server`` lists
its own modules.
"""
