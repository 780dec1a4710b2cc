--- The window that shows source as the server proves it, with the symbol around it.
local M = {}

local client = require('signal_grep.client')
local lists = require('signal_grep.lists')
local words = require('signal_grep.words')

local NAMESPACE = vim.api.nvim_create_namespace('signal_grep.inspect')

---@param inspection table
---@return string
local function heading(inspection)
  local symbol = inspection.symbol
  if not symbol then
    return words.meaning('structures', inspection.structure)
  end
  local name = symbol.container and ('%s.%s'):format(symbol.container, symbol.name) or symbol.name
  return ('%s %s (%s)'):format(symbol.kind, name, symbol.provider)
end

---@param inspection table
---@return string? nil when nothing is left out
local function omitted(inspection)
  local before, after = inspection.linesOmittedBefore or 0, inspection.linesOmittedAfter or 0
  if before + after > 0 then
    return words.text('lines_omitted', { above = before, below = after })
  end
end

--- Mark the target: its line, and the occurrence where the line is shown from its beginning.
---@param buffer integer
---@param inspection table
---@param first integer line of the file that is shown first, from 1
local function mark(buffer, inspection, first)
  local row = inspection.line - first
  vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, row, 0, { line_hl_group = 'SignalGrepLine' })
  local range = inspection.location and inspection.location.range
  if range and not vim.list_contains(inspection.clippedLines or {}, inspection.line) then
    local offset = row - range.start.line
    vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, row, range.start.character, {
      end_row = range['end'].line + offset,
      end_col = range['end'].character,
      hl_group = 'SignalGrepMatch',
      strict = false,
    })
  end
end

---@param inspection table
---@param block table
local function show(inspection, block)
  local first, lines = block.startLine, block.lines
  -- The preview drops empty lines before the first that is not, and numbers would be off by them.
  while #lines > 1 and lines[1] == '' do
    first, lines = first + 1, vim.list_slice(lines, 2)
  end
  local filetype = vim.filetype.match({ filename = inspection.path, contents = lines }) or ''
  local title = (' %s · %s:%d '):format(heading(inspection), inspection.path, inspection.line)
  local buffer, window = vim.lsp.util.open_floating_preview(lines, filetype, {
    border = 'rounded',
    focus_id = 'signal_grep',
    title = title,
    wrap = false,
    max_height = math.max(3, math.floor(vim.o.lines * 0.6)),
  })
  -- Room for the numbers, and for a title that is longer than the lines.
  local numbers = #tostring(first + #lines) + 1
  local width = math.max(vim.api.nvim_win_get_width(window) + numbers, vim.fn.strdisplaywidth(title))
  vim.api.nvim_win_set_config(
    window,
    { width = math.min(width, vim.o.columns - 4), footer = omitted(inspection) }
  )
  vim.wo[window].statuscolumn = ('%%#SignalGrepLineNr#%%%d{v:lnum+%d} '):format(numbers - 1, first - 1)
  mark(buffer, inspection, first)
  local row = math.min(math.max(inspection.line - first + 1, 1), vim.api.nvim_buf_line_count(buffer))
  vim.api.nvim_win_set_cursor(window, { row, 0 })
end

--- What the cursor points at: a match in a list, else its place in the file.
---@return table? argument of `sg.inspect`
---@return vim.lsp.Client? client
---@return string? problem
local function target()
  local source, index = lists.match_at_cursor()
  if source then
    local asked_client = vim.lsp.get_client_by_id(source.client_id)
    local problem = not asked_client and words.text('server_has_ended') or nil
    return { snapshot = source.snapshot, matchIndex = index }, asked_client, problem
  elseif vim.bo.buftype ~= '' or vim.api.nvim_buf_get_name(0) == '' then
    return nil, nil, words.text('nothing_to_inspect')
  end
  local line, column = unpack(vim.api.nvim_win_get_cursor(0))
  return { uri = vim.uri_from_bufnr(0), position = { line = line - 1, character = column } }
end

--- Inspect what the cursor points at. Once more, with the cursor where it was, goes into the window.
function M.at_cursor()
  local argument, asked_client, problem = target()
  if not argument or problem then
    return words.say(assert(problem), vim.log.levels.ERROR)
  end
  local window = vim.api.nvim_get_current_win()
  client.execute('sg.inspect', argument, function(failure, result)
    if failure then
      return words.fail(failure)
    elseif vim.api.nvim_get_current_win() ~= window then
      return
    end
    local inspection = result.inspections[1]
    local block = inspection.block and result.blocks[inspection.block + 1]
    if block then
      show(inspection, block)
    else
      words.say(inspection.message or heading(inspection), vim.log.levels.WARN)
    end
  end, { client = asked_client })
end

return M
