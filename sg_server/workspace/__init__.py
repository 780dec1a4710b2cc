"""The files of the opened folders: names, containment, revisions, bounded reads."""
