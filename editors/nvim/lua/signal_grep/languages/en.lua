--- What people read, in English. `{name}` is put in; every language has the same names.

---@type table<string, string|table<string, string>>
return {
  said = 'Signal Grep: {text}',
  with_hint = '{message}. {hint}',
  between_names = ', ',
  between_reasons = ', ',
  more_names = '…',

  -- Counts. What is counted comes with its number: `file_one`, `file_many`.
  match_one = '{count} match',
  match_many = '{count} matches',
  file_one = '{count} file',
  file_many = '{count} files',
  totals = '{matches} in {files}',
  totals_shown = '{shown} of {matches} in {files}',
  more_matches = '{count} more',

  -- Searches.
  searching_for = 'searching for {pattern} (<C-c> cancels)',
  searching = 'searching …',
  partial = 'partial: {reasons}',
  reasons = {
    ['retention-limit'] = 'too much matched to keep it all',
    ['unreadable-path'] = 'some paths could not be read',
    ['oversized-line'] = 'some lines are too long to be shown',
    ['binary-file'] = 'some files are binary from some point on',
  },
  nothing = 'nothing matches {pattern} in {files}',
  kept_out = 'ignored, hidden or binary files do: {paths}',
  list_is_complete = 'the list has everything that was kept',
  list_of_others = 'neither the location list nor the quickfix list is from here',
  window_is_gone = 'the window of the location list is gone',
  server_has_ended = 'the server that searched has ended; search again',

  -- Stored text.
  stored_one = '{count} match in stored text',
  stored_many = '{count} matches in stored text',
  stored_more = 'there are more',
  nothing_stored = 'nothing stored matches {pattern}',
  not_in_time = 'the server has not answered in time',

  -- What is typed.
  no_flag = '{word} is no flag; a pattern that begins with a dash goes after --',
  flag_needs_value = '{word}: what?',
  pattern_is_missing = 'a pattern is required',
  word_is_pattern = 'the word under the cursor is the pattern; only flags can be given',
  no_word = 'there is no word under the cursor',
  question = 'Signal Grep: ',

  -- Source.
  lines_omitted = ' {above} lines more above, {below} below ',
  nothing_to_inspect = 'there is nothing to inspect here: neither a file nor a match',
  structures = {
    ['no-enclosing-symbol'] = 'no symbol around it',
    ['provider-unavailable'] = 'nothing here can tell symbols: neither ctags nor a grammar',
    ['unsupported-range'] = 'where symbols of this language end is not known',
    ['parse-error'] = 'the symbols of this file could not be read',
    ['oversized'] = 'the file is too large to look for symbols',
    ['source-unavailable'] = 'the source cannot be read',
    ['source-changed'] = 'the source is not what was searched any more; search again',
  },

  -- The server.
  needs_neovim = 'Neovim 0.11 or newer is needed',
  cancelled = 'cancelled',
  server_stopped = 'the server has stopped',
  server_stopped_hint = ':checkhealth signal_grep says why',
  server_missing_hint = ':checkhealth signal_grep says what to do',
  cannot_be_run = '{program} cannot be run',
  folder_is_gone = 'the current directory is gone',
  server_does_not_start = 'the server does not start',

  -- Options.
  no_such_option = 'vim.g.signal_grep: there is no option "{name}"',
  option_takes = 'vim.g.signal_grep.{name}: takes a {wanted}, not a {given}',
  no_such_picker = 'vim.g.signal_grep.picker: there is no "{name}", but: {known}',
  picker_is_missing = 'vim.g.signal_grep.picker: {name} is not installed',

  -- Modes, metrics, languages.
  modes = {
    additive = 'additive: :grep and :lgrep are as Neovim has them',
    override = 'override: :grep and :lgrep go through Signal Grep',
  },
  mode_held_back = 'override is chosen, and not in force here: {reason}',
  unsaved_not_searched = 'this :grep read files as they are on the disk: unsaved text was not searched',
  plugins_failed = '{source}: {problem}',
  metrics_saved = 'SG: {tokens} tokens saved in {searches}',
  metrics_on_next_load = 'metrics begin with the next session',
  search_one = '{count} search',
  search_many = '{count} searches',
  language = 'people are spoken to in English',

  -- Health.
  health_install = {
    server = 'Install the server: pip install . in a clone of Signal Grep (or pipx, or uv tool install)',
    configure = "or say where it is: vim.lsp.config('signal_grep', { cmd = { '/path/to/sg-server' } })",
  },
  health_options = 'See :help signal-grep-options',
  health_program = '{name} {version}: {path} ({found})',
  found = {
    option = 'found by option',
    environment = 'found by environment',
    package = 'found by package',
    path = 'found by path',
  },
  health_server = 'sg-server {version}, Python {python}',
  health_folder = 'searches {path} ({name})',
  health_encoding = 'the session counts in {encoding}',
  health_encoding_hint = "Leave general.positionEncodings out of vim.lsp.config('signal_grep')",
}
