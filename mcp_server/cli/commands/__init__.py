"""The commands of ``unity-cli``, one module for each command or group.

``scripts``: the commands for a project's scripts. Tools: ``tool_commands``, ``batch_command``.
Bundles: ``lint_command``, ``apply_command``, ``bundle_commands``. Agents and the Editor:
``client_commands``, ``serve_command``, ``server_commands``, ``open_command``, ``mcp_command``,
``plugin_command``, ``hook_command``. This installation: ``doctor_command``, ``roslyn_command``,
``contracts_commands``.
"""
