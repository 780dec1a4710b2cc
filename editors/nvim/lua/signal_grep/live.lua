--- The picker that searches while a pattern is typed: a prompt, and the rows above it.
local M = {}

local arguments = require('signal_grep.arguments')
local live_search = require('signal_grep.live_search')
local words = require('signal_grep.words')

local NAMESPACE = vim.api.nvim_create_namespace('signal_grep.live')
local PROMPT = '> '

---@class signal_grep.Live
---@field origin integer the window that matches are opened in
---@field prompt {buffer: integer, window: integer}
---@field list {buffer: integer, window: integer}
---@field rows table[] matches as the server sent them
---@field used vim.lsp.Client? the server that sent them
---@field typed string?
---@field stop fun() ends the search that runs
---@field is_closed boolean
local Live = {}
Live.__index = Live

--- A window over the editor, in its middle.
local function open_window(buffer, row, height, title, is_entered)
  local width = math.max(20, math.min(120, vim.o.columns - 6))
  return vim.api.nvim_open_win(buffer, is_entered, {
    relative = 'editor',
    row = row,
    col = math.floor((vim.o.columns - width) / 2) - 1,
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    title = title,
  })
end

local function new_buffer()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  return buffer
end

---@return signal_grep.Live
local function new()
  local origin = vim.api.nvim_get_current_win()
  local height = math.max(3, math.floor(vim.o.lines * 0.6))
  local top = math.max(0, math.floor((vim.o.lines - height - 5) / 2))
  local list, prompt = { buffer = new_buffer() }, { buffer = new_buffer() }
  vim.bo[prompt.buffer].buftype = 'prompt'
  vim.fn.prompt_setprompt(prompt.buffer, PROMPT)
  list.window = open_window(list.buffer, top, height, ' Signal Grep ', false)
  prompt.window = open_window(prompt.buffer, top + height + 2, 1, '', true)
  vim.wo[list.window].wrap = false
  return setmetatable({
    origin = origin,
    prompt = prompt,
    list = list,
    rows = {},
    stop = function() end,
    is_closed = false,
  }, Live)
end

--- Close the picker, then call `after` where it was opened. Not before insert mode is over: ending it moves
--- the cursor, and that must not be the one of the match.
---@param after fun()?
function Live:close(after)
  if self.is_closed then
    return
  end
  self.is_closed = true
  self.stop()
  local function leave()
    pcall(vim.api.nvim_win_close, self.prompt.window, true)
    pcall(vim.api.nvim_win_close, self.list.window, true)
    if vim.api.nvim_win_is_valid(self.origin) then
      vim.api.nvim_set_current_win(self.origin)
    end
    if after then
      after()
    end
  end
  if vim.api.nvim_get_mode().mode:find('^i') then
    vim.api.nvim_create_autocmd('InsertLeave', { once = true, callback = vim.schedule_wrap(leave) })
    vim.cmd.stopinsert()
  else
    leave()
  end
end

---@param text string
---@param group string?
function Live:say(text, group)
  local footer = text ~= '' and { { (' %s '):format(text), group or 'FloatTitle' } } or ''
  vim.api.nvim_win_set_config(self.list.window, { footer = footer })
end

--- Show `rows` in the place of those before; the cursor stays on its row.
---@param rows table[]
function Live:show(rows)
  self.rows = rows
  local buffer = self.list.buffer
  local heads = vim.tbl_map(function(match)
    return ('%s:%d:'):format(match.path, match.line)
  end, rows)
  local lines = {}
  for at, match in ipairs(rows) do
    lines[at] = heads[at] .. match.text
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  for at, match in ipairs(rows) do
    local head = #heads[at]
    vim.api.nvim_buf_set_extmark(
      buffer,
      NAMESPACE,
      at - 1,
      0,
      { end_col = head, hl_group = 'SignalGrepPath' }
    )
    for _, range in ipairs(match.clipped and {} or match.ranges) do
      local is_one_line = range['end'].line == range.start.line
      vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, at - 1, head + range.start.character, {
        end_col = is_one_line and head + range['end'].character or #lines[at],
        hl_group = 'SignalGrepMatch',
      })
    end
  end
  vim.wo[self.list.window].cursorline = #rows > 0
end

---@return integer row from 1
function Live:row()
  return vim.api.nvim_win_get_cursor(self.list.window)[1]
end

--- Move the chosen row; over an end it goes on at the other.
---@param by integer
function Live:move(by)
  if #self.rows > 0 then
    vim.api.nvim_win_set_cursor(self.list.window, { (self:row() - 1 + by) % #self.rows + 1, 0 })
  end
end

--- Go to the chosen match.
function Live:accept()
  local match, used = self.rows[self:row()], self.used
  if match and used then
    self:close(function()
      live_search.go_to(match, used)
    end)
  end
end

--- Search once more, for all there is, into the quickfix list.
function Live:send_to_list()
  local request = arguments.parse(self.typed or '')
  if request and request.params.pattern then
    self:close(function()
      require('signal_grep.search').into_list(request, {})
    end)
  end
end

--- Follow what is typed: end the search for what was, and begin one for what is.
function Live:typed_on()
  local typed = vim.api.nvim_buf_get_lines(self.prompt.buffer, 0, 1, false)[1]:sub(#PROMPT + 1)
  if typed == self.typed then
    return
  end
  self.typed = typed
  self.stop()
  local rows = {}
  self.stop = live_search.start(vim.api.nvim_win_get_buf(self.origin), typed, {
    begin = function()
      vim.api.nvim_win_set_cursor(self.list.window, { 1, 0 })
      self:say(words.text('searching'))
    end,
    rows = function(more, totals, used)
      self.used = used
      vim.list_extend(rows, more)
      self:show(rows)
      self:say(words.totals(totals) .. ' …')
    end,
    answer = function(result, used)
      self.used = used
      self:show(result.matches or {})
      self:say(words.summary(result))
    end,
    problem = function(text, group)
      self:show({})
      self:say(text, group)
    end,
  })
end

--- Open the picker.
---@param typed string what the prompt begins with
function M.open(typed)
  local live = new()
  local function key(keys, action)
    vim.keymap.set({ 'i', 'n' }, keys, action, { buffer = live.prompt.buffer, nowait = true })
  end
  local function bound(name, ...)
    local given = { ... }
    return function()
      live[name](live, unpack(given))
    end
  end
  key('<CR>', bound('accept'))
  key('<C-q>', bound('send_to_list'))
  key('<Down>', bound('move', 1))
  key('<C-n>', bound('move', 1))
  key('<Up>', bound('move', -1))
  key('<C-p>', bound('move', -1))
  key('<C-c>', bound('close'))
  vim.keymap.set('n', '<Esc>', bound('close'), { buffer = live.prompt.buffer })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    buffer = live.prompt.buffer,
    callback = bound('typed_on'),
  })
  vim.api.nvim_create_autocmd('WinLeave', {
    buffer = live.prompt.buffer,
    callback = function()
      vim.schedule(bound('close'))
    end,
  })
  vim.cmd.startinsert({ bang = true })
  vim.api.nvim_feedkeys(typed, 'n', false)
end

return M
