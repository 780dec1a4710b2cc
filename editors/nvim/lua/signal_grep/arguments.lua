--- What is typed after the commands: flags, then a pattern that is taken as it is.
local M = {}

local flags = require('signal_grep.flags')

local ENCODINGS =
  { 'big5', 'euc-jp', 'euc-kr', 'gbk', 'latin1', 'shift_jis', 'utf-16be', 'utf-16le', 'windows-1252' }

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

--- Read flags and a pattern. The pattern begins at the first word that is no flag, or after `-- `, and white
--- space and quotes in it count.
---@param text string
---@return signal_grep.Request? request without `params.pattern` where there is none
---@return string? problem
---@return signal_grep.Flag? open the flag that still lacks its value
function M.parse(text)
  local request = { params = {}, loclist = false }
  local at = 1
  local function value()
    local word
    word, at = next_word(text, at)
    return word
  end
  while true do
    local word, after = next_word(text, at)
    if word == '--' then
      at = after + 1
      break
    elseif not word or not flags.is_one(word) then
      at = text:find('%S', at) or after
      break
    end
    at = after
    local problem, open = flags.read(request, word, flags.OWN, value)
    if problem then
      return nil, problem, open
    end
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
  end, vim.tbl_keys(flags.OWN))
  table.sort(names)
  return vim.startswith(lead, '-') and names or {}
end

return M
