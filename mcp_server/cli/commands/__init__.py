"""The commands of ``unity-cli``, in modules of related ones.

Scripts: ``script_commands``, ``history_commands``. Tools: ``tool_commands``, ``batch_command``.
For CI: ``check_command`` (also ``lint``). Bundles: ``apply_command``, ``bundle_commands``. Agents
and the Editor: ``client_commands``, ``serve_command`` (also ``mcp``), ``server_commands`` (also
``open`` and ``hook``), ``plugin_command``. ``installation_commands``: doctor, roslyn, contracts.
"""
