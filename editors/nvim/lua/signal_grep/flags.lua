--- The flags of searches, named as ripgrep names them, and what each says to the server.
local M = {}

local words = require('signal_grep.words')

---@class signal_grep.Flag
---@field names string[]
---@field field? string of `sg.search`, or of the request; without one the flag changes nothing
---@field value? any what the flag stands for; without one it takes the next word
---@field takes? 'text'|'glob'|'path'|'encoding'|'pattern'

---@alias signal_grep.Flags table<string, signal_grep.Flag> by name

---@class signal_grep.Request
---@field params table of `sg.search`
---@field loclist boolean
---@field patterns string[]?

---@param flags signal_grep.Flag[]
---@return signal_grep.Flags
local function by_name(flags)
  local named = {}
  for _, flag in ipairs(flags) do
    for _, name in ipairs(flag.names) do
      named[name] = flag
    end
  end
  return named
end

---@type signal_grep.Flags
local SHARED = by_name({
  { names = { '--ignore-case', '-i' }, field = 'ignoreCase', value = true },
  { names = { '--case-sensitive', '-s' }, field = 'ignoreCase', value = false },
  { names = { '--smart-case', '-S' }, field = 'ignoreCase', value = nil },
  { names = { '--fixed-strings', '-F' }, field = 'literal', value = true },
  { names = { '--word-regexp', '-w' }, field = 'wholeWord', value = true },
  { names = { '--multiline', '-U' }, field = 'multiline', value = true },
  { names = { '--pcre2', '-P' }, field = 'engine', value = 'pcre2' },
  { names = { '--follow', '-L' }, field = 'follow', value = true },
  { names = { '--text', '-a' }, field = 'binary', value = true },
  { names = { '--hidden', '-.' }, field = 'hidden', value = true },
  { names = { '--no-hidden' }, field = 'hidden', value = false },
  { names = { '--no-ignore', '-u' }, field = 'ignored', value = true },
  { names = { '--no-unsaved' }, field = 'includeUnsaved', value = false },
  { names = { '--glob', '-g' }, field = 'glob', takes = 'glob' },
  { names = { '--type', '-t' }, field = 'fileType', takes = 'text' },
  { names = { '--encoding', '-E' }, field = 'encoding', takes = 'encoding' },
})

--- Those of the plugin's own commands, whose words are the pattern.
---@type signal_grep.Flags
M.OWN = vim.tbl_extend(
  'error',
  by_name({
    { names = { '--in' }, field = 'path', takes = 'path' },
    { names = { '--loclist' }, field = 'loclist', value = true },
  }),
  SHARED
)

--- Those of `:grep` and its like, with the ones that people are used to, and that say what is so anyway.
---@type signal_grep.Flags
M.OF_GREP = vim.tbl_extend(
  'error',
  by_name({
    { names = { '--regexp', '-e' }, field = 'pattern', takes = 'pattern' },
    { names = { '--recursive', '-r', '-R' } },
    {
      names = {
        '--line-number',
        '-n',
        '--column',
        '--with-filename',
        '-H',
        '--no-heading',
        '--vimgrep',
        '-I',
      },
    },
  }),
  SHARED
)

---@param request signal_grep.Request
---@param flag signal_grep.Flag
---@param value string?
local function put(request, flag, value)
  local params, field = request.params, flag.field
  if not field then
    return
  elseif field == 'loclist' then
    request.loclist = true
  elseif flag.takes == nil then
    params[field] = flag.value
  elseif flag.takes == 'encoding' then
    params[field] = value
  elseif flag.takes == 'pattern' then
    request.patterns[#request.patterns + 1] = value
  else
    if flag.takes == 'path' then
      value = vim.fs.normalize(vim.fs.abspath(vim.fn.expandcmd(value)))
    elseif flag.takes == 'glob' and vim.startswith(value, '!') then
      field = 'exclude'
    end
    params[field] = vim.list_extend(params[field] or {}, { value })
  end
end

--- The flags in one word, as `-iw`, `-tpy` and `--glob=*.py` are, each with the value it holds.
---@param word string
---@param known signal_grep.Flags
---@return {flag: signal_grep.Flag, value: string?}[]? flags nil when one is not known
---@return string? unknown
local function in_word(word, known)
  local long, value = word:match('^(%-%-[%w-]+)=(.*)$')
  long = long or vim.startswith(word, '--') and word
  if long then
    local flag = known[long]
    if not flag or (value and not flag.takes) then
      return nil, word
    end
    return { { flag = flag, value = value } }
  end
  local found = {}
  for at = 2, #word do
    local flag = known['-' .. word:sub(at, at)]
    if not flag then
      return nil, '-' .. word:sub(at, at)
    end
    local rest = word:sub(at + 1)
    found[#found + 1] = { flag = flag, value = flag.takes and rest ~= '' and rest or nil }
    if flag.takes then
      break
    end
  end
  return found
end

---@param word string
function M.is_one(word)
  return vim.startswith(word, '-') and word ~= '-'
end

--- Put what a word of flags says into a request.
---@param request signal_grep.Request
---@param word string
---@param known signal_grep.Flags
---@param next_word fun(): string? gives the word after it, for a flag that takes one
---@return string? problem
---@return signal_grep.Flag? open the flag that still lacks its value
function M.read(request, word, known, next_word)
  local found, unknown = in_word(word, known)
  if not found then
    return words.text('no_flag', { word = unknown })
  end
  for _, one in ipairs(found) do
    local value = one.value
    if one.flag.takes and not value then
      value = next_word()
      if not value then
        return words.text('flag_needs_value', { word = word }), one.flag
      end
    end
    put(request, one.flag, value)
  end
end

return M
