"""Arguments of commands, interpreted. An unusable one ends the command.

``params`` are a tool call's parameters; ``bundle_arguments`` and ``script_paths`` find projects,
bundles and scripts; ``server_options`` are port and token; ``client_choice`` is a client's entry.
"""
