"""The road to the Editor by way of Unity's own Pipeline package: ``com.unity.pipeline``.

May import ``unity_bridge`` and no other package of this project. What is to be asked, and what the
answers mean, is pure, in ``conversations``. ``http_client`` and ``project_files`` alone touch
sockets and files; ``pipeline_link`` joins both.
"""
