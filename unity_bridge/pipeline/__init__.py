"""The Editor link over Unity's own Pipeline package (``com.unity.pipeline``).

``pipeline_link`` is the link. ``conversations`` has the questions for each tool, without I/O.
``replies``, ``sightings``, ``vocabulary``: read answers, states and command names of every version.
``editor_connection`` finds and polls the Editor; ``run_jobs`` and ``editor_job`` follow test runs
and compiles. ``project_files``, ``claim``, ``http_client``: files, processes, HTTP. ``probe``: one
look, for ``doctor``.
"""
