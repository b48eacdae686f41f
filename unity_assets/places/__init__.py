"""Rules for names in assets: each module handles some rows of the table in docs/design/assets.md.

May import everything here but ``assets``. A rule gets one occurrence of the word. If the word is
the symbol's name, the rule returns a ``Place`` with the edits that rename it.

- ``place``: a place, what keeps it working, and a rule's input.
- ``in_yaml``: every place in a YAML file, by all rules.
- ``keys``: serialized fields, default references, importers' settings.
- ``overrides``: property paths of prefab instances, presets and animations.
- ``calls``: methods of UnityEvents and of animation events.
- ``type_names``: types in UnityEvents, managed references and overrides.
- ``markup``: UXML, and ``link.xml``.
- ``other_texts``: shaders, input actions, native code, style sheets.
- ``input_messages``: the messages that a ``PlayerInput`` sends.
"""
