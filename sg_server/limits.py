"""Every bound and default of the server, once, with its unit."""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

# Pages. Rows are matches (or files in a summary).
PAGE_ROWS_DEFAULT: Final = 20
PAGE_ROWS_MAX: Final = 100
ITEMS_ROWS_MAX: Final = 1_000
"""Rows of one page when the answer carries no text (`view: "items"`)."""
ITEMS_BYTES_MAX: Final = 4 * MIB
SUMMARY_ROWS: Final = 30
RESPONSE_BYTES: Final = 16 * KIB
"""UTF-8 bytes of one model-facing text."""
LINE_CHARACTERS: Final = 500
"""Code points shown of one source line."""
CONTEXT_LINES_MAX: Final = 20
SHOWN_OCCURRENCES: Final = 20
"""Ranges shown for one matching line; a snapshot keeps them all."""
NAMED_PATHS: Final = 20
"""Paths listed under `unreadablePaths`, `binaryFiles` and `keptOut`."""

# Requests.
PATTERN_BYTES: Final = 64 * KIB
"""UTF-8 bytes; one argument of a program holds 128 KiB on Linux."""
SCOPE_ENTRIES: Final = 1_000
"""Paths, globs or types in one field."""
FILE_SIZE_MAX: Final = 2**63 - 1
"""Bytes; the largest file that a file system can have."""

# Failures.
FAILURE_CHARACTERS: Final = 2_000
"""Code points of the message that a client is told."""

# Settings.
THREADS_MAX: Final = 256
"""Of one run of ripgrep."""
CONFIGURATION_SECONDS: Final = 2.0
"""How long commands wait for a client that is asked for its settings and does not answer."""

# The user-global file.
USER_FILE_BYTES: Final = 64 * KIB
USER_FILE_LOCK_SECONDS: Final = 5.0
"""How long a writer waits for another one, who takes milliseconds."""

# Context budget: estimated tokens are characters / 4.
CHARACTERS_PER_TOKEN: Final = 4
TOKENS_FULL: Final = 2_000
TOKENS_TIGHT: Final = 1_000
TOKENS_CRITICAL: Final = 500
FULL_ABOVE_PERCENT: Final = 40
TIGHT_FROM_PERCENT: Final = 12

# Metrics: the answer of the usual grep tool, which Signal Grep's is compared with.
PLAIN_GREP_ROWS: Final = 100
PLAIN_GREP_BYTES: Final = 50 * KIB

# Telling of a search while it runs.
STREAM_SECONDS: Final = 0.05
"""Between two batches of provisional matches, after the first."""

# Snapshots.
RETAINED_ROWS: Final = 50_000
RETAINED_BYTES: Final = 64 * MIB
"""Bytes of text and ranges that one snapshot keeps."""
SNAPSHOTS: Final = 32
SNAPSHOTS_BYTES: Final = 256 * MIB
SNAPSHOT_IDLE_SECONDS: Final = 30 * 60

# Proof that source has not changed.
REVISION_FILES: Final = 50_000
SETTLED_AFTER_NS: Final = 2_000_000_000
"""A time stamp younger than this when the scan began proves nothing."""
RESCAN_NAMES_BYTES: Final = 512 * KIB
RESCAN_NAMES_BYTES_WINDOWS: Final = 24 * KIB

# Source reads and inspection.
SOURCE_BYTES: Final = 5 * MIB
TREE_SITTER_BYTES: Final = MIB
"""Parsing more takes longer than a person waits."""
TREE_SITTER_SECONDS: Final = 1.0
"""For one text."""
INSPECT_TARGETS: Final = 5
EXPLAIN_EMPTY_SECONDS: Final = 0.5

# Symbols.
SYMBOL_FILES: Final = 300
"""Files that one query of `workspace/symbol` has read for definitions."""
SYMBOL_BYTES: Final = 22 * MIB
"""Of those files together, which takes two runs of ctags a third of a second."""
SYMBOLS: Final = 1_000
"""Symbols in one answer of `workspace/symbol`."""
SYMBOL_BATCH_FILES: Final = 50
"""Files that one run of ctags reads."""
SYMBOL_PROCESSES: Final = 2
"""Runs of ctags at once."""
SYMBOL_QUERY_CHARACTERS: Final = 200
DOCUMENT_SYMBOLS: Final = 10_000
"""Symbols in one answer of `textDocument/documentSymbol`."""
OUTLINE_BYTES: Final = MIB
"""UTF-8 bytes of a Markdown text whose headings are looked for: some 0.2 s."""

# Stored text: what an entry is.
GIVEN_ID_CHARACTERS: Final = 64
"""Of an id as it is given: 32 digits, with hyphens and white space."""
THREAD_ID_CHARACTERS: Final = 256
TAGS: Final = 100
TAG_CHARACTERS: Final = 128
TEXT_BYTES: Final = 16 * MIB
"""UTF-8 bytes of one entry's text."""
METADATA_BYTES: Final = 64 * KIB
"""Of its JSON."""
METADATA_DEPTH: Final = 32
"""Objects and arrays inside each other."""
SUMMARY_TEXT_CHARACTERS: Final = 10_000
"""Code points of a summary that is stored."""
READERS: Final = 100
READER_CHARACTERS: Final = 63
"""Of a name, as PostgreSQL has it."""
METADATA_FILTERS: Final = 50
METADATA_KEY_CHARACTERS: Final = 256
LIST_ENTRIES_DEFAULT: Final = 20
LIST_ENTRIES_MAX: Final = 100
DELETED_IDS: Final = 1_000
"""Ids that one request names."""

# Stored text: how the store is asked.
STORE_WAIT_SECONDS: Final = 5.0
"""For a file that another program has locked, or for a database that does not answer."""
STORE_ANSWER_SECONDS: Final = 30.0
"""For one question to a database that was reached."""
STORE_BATCH_BYTES: Final = MIB
"""UTF-8 bytes of text that a scan has in hand, one text more than this alone."""
STORE_BATCH_ENTRIES: Final = 2_000
"""Entries that a scan looks at before it lets others have a turn."""
STORE_CONNECTIONS: Final = 4
"""To one database."""
INDEXED_LITERALS: Final = 64
"""Literals of a pattern that the index is asked for."""
INDEXED_TRIGRAMS: Final = 32
"""Of one such literal."""

# Stored text: how it is searched and read.
GREP_PATTERN_CHARACTERS: Final = 32 * KIB
"""Code points."""
GREP_MATCHES_DEFAULT: Final = 100
GREP_MATCHES_MAX: Final = 1_000
GREP_ENTRIES: Final = 1_000
"""Entries that one answer looks at, where no index narrows them."""
GREP_BYTES: Final = 64 * MIB
"""UTF-8 bytes of text in memory at once."""
GREP_ROWS_BYTES: Final = MIB
"""JSON bytes of the rows of one answer."""
REGEX_LITERAL_CHARACTERS: Final = 100
"""Code points of a literal that `regex` gets in one piece: it prepares longer ones without a time limit."""
REGEX_PARTS: Final = 100_000
"""Parts of a compiled regex, its counted repeats multiplied out: some 26 MB."""
REGEX_RARE_CHARACTERS: Final = 1_000
"""Code points of a regex whose literals cannot be cut into pieces: at most 0.2 s."""
GREP_ENTRY_SECONDS: Final = 5.0
"""For a regex in one entry, all its lines together; of one match the processor's seconds count."""
GREP_SECONDS: Final = 30.0
"""For a regex in all entries of one request."""
OUTLINE_DEPTH: Final = 6
OUTLINE_CHARACTERS: Final = 4 * MIB
"""Code points of a text whose headings are looked for: a second, or ten where every line is one."""
OUTLINE_NODES: Final = 10_000
"""Nodes in one answer."""
READ_BYTES: Final = 64 * KIB
"""UTF-8 bytes of text that one read answers."""

# Stored text: summaries of sections.
SUMMARY_CHARACTERS_MIN: Final = 500
"""Code points of the shortest section that gets one."""
SUMMARY_CHARACTERS_MAX: Final = 100_000
"""Code points of a text that are sent to be summarised."""
SUMMARIES_AT_ONCE: Final = 4
SUMMARY_SECTIONS: Final = 200
"""Sections of one text that get one, the first ones."""
SUMMARY_SECONDS: Final = 240.0
SUMMARIES_SECONDS: Final = 600.0
"""For all that is written of one text."""
SUMMARY_ANSWER_CHARACTERS: Final = 4_000
"""Of a provider that does not keep to the tokens; more is no summary."""
SUMMARY_TOKENS_MAX: Final = 1_000
SUMMARY_TOKENS: Final = 120
"""Of an answer; a longer one is cut off by the provider and left out."""

# Messages.
MESSAGE_BYTES: Final = 64 * MIB
"""The body of one message from a client."""

UNREAD_BYTES: Final = 64 * MIB
"""Answers that wait for a client to read them; with more waiting no further message of its is taken."""
UNREAD_SECONDS: Final = 0.05
"""Between two looks at whether it has."""

# Processes.
RECORD_BYTES: Final = 8 * MIB
"""One record of a program's output, its terminator not counted."""
STDERR_BYTES: Final = 16 * KIB
TERMINATE_SECONDS: Final = 0.25
"""From asking a process to end until it is killed."""
CLOSE_SECONDS: Final = 2.0
"""From killing a process until giving up on it as `cleanup-failed`."""
SEARCHES: Final = 2
"""Searches that run at once; more wait in order."""
