"""Assembly definitions: ``assembly_definitions`` reads them, ``all_definitions`` resolves
references by GUID and says when Unity refuses them, ``version_conditions`` evaluates versions.
"""
