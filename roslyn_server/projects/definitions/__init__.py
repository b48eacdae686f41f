"""Assembly definitions: ``assembly_definitions`` reads them, ``definition_guids`` resolves
references by GUID, ``definition_conflicts`` says when Unity refuses them, ``version_conditions``
evaluates versions.
"""
