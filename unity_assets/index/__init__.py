"""The project's files, with their GUIDs and words.

May import nothing but ``results``. A file is read whole once, and again when its size or times
change. The results are kept by the hash of the content.

- ``project_files``: the files that may have names, and the packages outside.
- ``contents``: the kind of a file's bytes, and the words in them.
- ``kept``: the stored results.
- ``project_index``: all of it, put together: files by word, and by GUID.
"""
