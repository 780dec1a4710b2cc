--- What is typed after the commands: flags as ripgrep has them, then a pattern that is taken as it is.
local M = {}

---@class signal_grep.Flag
---@field names string[]
---@field field string of `sg.search`, or of the request
---@field value? any what the flag stands for; without one it takes the next word
---@field takes? 'text'|'glob'|'path'|'encoding'

---@type signal_grep.Flag[]
local FLAGS = {
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
  { names = { '--no-ignore' }, field = 'ignored', value = true },
  { names = { '--no-unsaved' }, field = 'includeUnsaved', value = false },
  { names = { '--glob', '-g' }, field = 'glob', takes = 'glob' },
  { names = { '--type', '-t' }, field = 'fileType', takes = 'text' },
  { names = { '--encoding', '-E' }, field = 'encoding', takes = 'encoding' },
  { names = { '--in' }, field = 'path', takes = 'path' },
  { names = { '--loclist' }, field = 'loclist', value = true },
}

local ENCODINGS =
  { 'big5', 'euc-jp', 'euc-kr', 'gbk', 'latin1', 'shift_jis', 'utf-16be', 'utf-16le', 'windows-1252' }

---@class signal_grep.Request
---@field params table of `sg.search`
---@field loclist boolean

---@type table<string, signal_grep.Flag>
local by_name = {}
for _, flag in ipairs(FLAGS) do
  for _, name in ipairs(flag.names) do
    by_name[name] = flag
  end
end

--- The word at `from`, in which `\ ` is a blank, and where the text goes on after it.
---@return string? word
---@return integer after
local function next_word(text, from)
  local start = text:find('%S', from)
  if not start then
    return nil, #text + 1
  end
  local stop = start
  while stop <= #text and not text:sub(stop, stop):find('%s') do
    stop = stop + (text:find('^\\%s', stop) and 2 or 1)
  end
  return (text:sub(start, stop - 1):gsub('\\(%s)', '%1')), stop
end

local function put(request, flag, value)
  local params = request.params
  if flag.field == 'loclist' then
    request.loclist = true
  elseif flag.takes == nil then
    params[flag.field] = flag.value
  elseif flag.takes == 'encoding' then
    params.encoding = value
  else
    local field = flag.field
    if flag.takes == 'path' then
      value = vim.fs.normalize(vim.fs.abspath(vim.fn.expandcmd(value)))
    elseif flag.takes == 'glob' and vim.startswith(value, '!') then
      field = 'exclude'
    end
    params[field] = vim.list_extend(params[field] or {}, { value })
  end
end

--- The flags in one word, as `-iw`, `-tpy` and `--glob=*.py` are, each with the value it holds.
---@return {flag: signal_grep.Flag, value: string?}[]? flags nil when one is not known
---@return string? unknown
local function flags_in(word)
  local long, value = word:match('^(%-%-[%w-]+)=(.*)$')
  long = long or vim.startswith(word, '--') and word
  if long then
    local flag = by_name[long]
    if not flag or (value and not flag.takes) then
      return nil, word
    end
    return { { flag = flag, value = value } }
  end
  local found = {}
  for at = 2, #word do
    local flag = by_name['-' .. word:sub(at, at)]
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

--- Read flags and a pattern. The pattern begins at the first word that is no flag, or after `-- `, and white
--- space and quotes in it count.
---@param text string
---@return signal_grep.Request? request without `params.pattern` where there is none
---@return string? problem
---@return signal_grep.Flag? open the flag that still lacks its value
function M.parse(text)
  local request = { params = {}, loclist = false }
  local at = 1
  while true do
    local word, after = next_word(text, at)
    if word == '--' then
      at = after + 1
      break
    elseif not word or not vim.startswith(word, '-') or word == '-' then
      at = text:find('%S', at) or after
      break
    end
    local flags, unknown = flags_in(word)
    if not flags then
      return nil, ('%s is no flag; a pattern that begins with a dash goes after --'):format(unknown)
    end
    for _, found in ipairs(flags) do
      if found.flag.takes and not found.value then
        found.value, after = next_word(text, after)
        if not found.value then
          return nil, ('%s: what?'):format(word), found.flag
        end
      end
      put(request, found.flag, found.value)
    end
    at = after
  end
  local pattern = text:sub(at)
  request.params.pattern = pattern ~= '' and pattern or nil
  return request
end

local COMPLETIONS = {
  path = function(lead)
    return vim.fn.getcompletion(lead, 'file')
  end,
  encoding = function(lead)
    return vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, ENCODINGS)
  end,
}

--- Completion of user commands: flags, and values that can be known.
---@param lead string
---@param line string
---@param position integer bytes before the cursor
---@return string[]
function M.complete(lead, line, position)
  local typed = line:sub(1, position - #lead):match('%u%w*!?%s+(.*)$') or ''
  local request, _, open = M.parse(typed)
  if open then
    local completion = COMPLETIONS[open.takes]
    return completion and completion(lead) or {}
  elseif not request or request.params.pattern or vim.list_contains(vim.split(typed, '%s+'), '--') then
    return {}
  end
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.tbl_keys(by_name))
  table.sort(names)
  return vim.startswith(lead, '-') and names or {}
end

return M
