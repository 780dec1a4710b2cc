--- Stored text: where it has a pattern, as a list, and its entries as read-only buffers.
local M = {}

local client = require('signal_grep.client')
local config = require('signal_grep.config')
local lists = require('signal_grep.lists')
local words = require('signal_grep.words')

--- How long a buffer may take to be filled. Until then nothing else can be done in it.
local READ_MS = 10000

local ENTRY = 'sg-context://entry/%s.md'

--- The lines of a text as Neovim has those of a file, and what it says of their ends.
---@param text string
---@return string[] lines
---@return {fileformat: string, endofline: boolean}
local function lines_of(text)
  local lines = vim.split(text, '\n', { plain = true })
  local ends = { fileformat = 'unix', endofline = #lines > 1 and lines[#lines] == '' }
  if ends.endofline then
    table.remove(lines)
  end
  local all_crlf = #lines > 1 or ends.endofline
  for at, line in ipairs(lines) do
    local has_end = at < #lines or ends.endofline
    all_crlf = all_crlf and (not has_end or vim.endswith(line, '\r'))
  end
  if all_crlf then
    ends.fileformat = 'dos'
    for at, line in ipairs(lines) do
      local has_end = at < #lines or ends.endofline
      lines[at] = has_end and line:sub(1, -2) or line
    end
  end
  return lines, ends
end

--- Ask for the text of an entry, and wait for it: who opens a buffer goes on to a place in it.
---@param uri string
---@return string? text
---@return vim.lsp.Client|string client_or_problem
local function text_of(uri)
  local failure, result, asked_client
  local id = uri:match('([^/]*)$'):gsub('%.md$', '')
  local cancel = client.execute('sg.context.get', { id = id }, function(...)
    failure, result, asked_client = ...
  end)
  local answered = vim.wait(READ_MS, function()
    return failure or result
  end, 5)
  if not answered then
    cancel()
    return nil, words.text('not_in_time')
  elseif failure then
    return nil, words.failure(failure)
  end
  return result.text, asked_client
end

--- Give an empty buffer its lines. Lists hold places in the text: they must not move as if it were typed.
---@param buffer integer
---@param lines string[]
local function fill(buffer, lines)
  vim.api.nvim_buf_set_var(buffer, 'signal_grep_lines', lines)
  vim.api.nvim_buf_call(buffer, function()
    local setline = 'setline(1, b:signal_grep_lines)'
    vim.cmd.call({ args = { setline }, mods = { silent = true, lockmarks = true } })
  end)
  vim.api.nvim_buf_del_var(buffer, 'signal_grep_lines')
end

--- Fill a buffer that is named after an entry.
---@param buffer integer
---@param uri string
function M.read(buffer, uri)
  -- Before the server is looked for: this is no file with a project around it.
  vim.bo[buffer].buftype = 'nowrite'
  vim.bo[buffer].swapfile = false
  local text, client_or_problem = text_of(uri)
  if not text then
    return words.say(client_or_problem --[[@as string]], vim.log.levels.ERROR)
  end
  local options = vim.bo[buffer]
  local lines, ends = lines_of(text)
  options.modifiable = true
  options.undolevels = -1
  fill(buffer, lines)
  options.fileformat, options.endofline = ends.fileformat, ends.endofline
  options.modified, options.modifiable, options.readonly = false, false, true
  options.filetype = 'markdown'
  -- Neovim attaches files alone by itself; with this its outline works here too.
  vim.lsp.buf_attach_client(buffer, client_or_problem.id)
end

---@param row table of `sg.context.grep`
---@return vim.quickfix.entry
local function item(row)
  return {
    filename = ENTRY:format(row.id),
    lnum = row.range.start.line + 1,
    col = row.range.start.character + 1,
    end_lnum = row.range['end'].line + 1,
    end_col = row.range['end'].character + 1,
    text = row.line,
  }
end

--- Search stored text into the quickfix list. Case matters where the pattern has an upper-case letter.
---@param pattern string literal text
---@param options {jump: boolean?}
---@return fun() cancel
function M.grep(pattern, options)
  local settings = config.get()
  local window, cursor = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0)
  local argument = {
    pattern = pattern,
    outputMode = 'content',
    caseSensitive = pattern:lower() ~= pattern,
    maxMatches = settings.limit,
  }
  return client.execute('sg.context.grep', argument, function(failure, result)
    if failure then
      return words.fail(failure)
    elseif #result.results == 0 then
      return words.say(words.text('nothing_stored', { pattern = words.pattern(pattern) }))
    end
    local title = words.stored(pattern, #result.results, result.truncated)
    vim.fn.setqflist({}, ' ', { title = title, items = vim.tbl_map(item, result.results) })
    if settings.open then
      lists.open({})
    end
    -- Whoever has gone on in the meantime stays where they are.
    local is_here = vim.api.nvim_get_current_win() == window
      and vim.deep_equal(vim.api.nvim_win_get_cursor(window), cursor)
    if options.jump and is_here then
      lists.jump({})
    end
  end)
end

return M
