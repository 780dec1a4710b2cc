--- Quickfix and location lists of matches. A list carries in its context what it takes to go on with it, so
--- that older lists can be continued too.
local M = {}

local words = require('signal_grep.words')

---@class signal_grep.Place a kind of list
---@field window integer? the window of a location list; nil for the quickfix list

---@class signal_grep.Source what a list was made from
---@field client_id integer
---@field pattern string
---@field snapshot string
---@field cursor string? of the next page, if there is one

---@param place signal_grep.Place
---@param action 'a'|' '
---@param what table
local function write(place, action, what)
  if place.window then
    vim.fn.setloclist(place.window, {}, action, what)
  else
    vim.fn.setqflist({}, action, what)
  end
end

---@param place signal_grep.Place
---@param what table
---@return table
local function read(place, what)
  return place.window and vim.fn.getloclist(place.window, what) or vim.fn.getqflist(what)
end

--- The buffer that holds `uri`: buffers without a name have equal URIs, and only one can be meant.
---@param client vim.lsp.Client
---@param uri string
---@return integer
local function buffer_of(client, uri)
  for buffer in pairs(client.attached_buffers) do
    if vim.uri_from_bufnr(buffer) == uri then
      return buffer
    end
  end
  return vim.uri_to_bufnr(uri)
end

--- The rows of a result as items of a list. Columns are bytes from 1; an end is exclusive.
---@param client vim.lsp.Client
---@param matches table[]
---@return vim.quickfix.entry[]
local function items(client, matches)
  local buffers = {}
  return vim.tbl_map(function(match)
    local uri, range = match.location.uri, match.location.range
    buffers[uri] = buffers[uri] or buffer_of(client, uri)
    return {
      bufnr = buffers[uri],
      lnum = range.start.line + 1,
      col = range.start.character + 1,
      end_lnum = range['end'].line + 1,
      end_col = range['end'].character + 1,
      text = match.text,
      user_data = { signal_grep = match.index },
    }
  end, matches)
end

---@param pattern string
---@param client vim.lsp.Client
---@param result table of `sg.search` or `sg.page`
---@return {signal_grep: signal_grep.Source}
local function context(pattern, client, result)
  local snapshot, cursor = result.snapshot, result.cursor
  return { signal_grep = { client_id = client.id, pattern = pattern, snapshot = snapshot, cursor = cursor } }
end

--- Begin a list with what a search found.
---@param place signal_grep.Place
---@param pattern string
---@param client vim.lsp.Client
---@param result table
function M.fill(place, pattern, client, result)
  write(place, ' ', {
    title = words.title(pattern, result, #result.matches),
    items = items(client, result.matches),
    context = context(pattern, client, result),
  })
end

--- Put what a search found at the end of the current list, whoever made that. Each item says what it is from.
---@param place signal_grep.Place
---@param pattern string
---@param client vim.lsp.Client
---@param result table
function M.add(place, pattern, client, result)
  if read(place, { nr = '$' }).nr == 0 then
    return M.fill(place, pattern, client, result)
  end
  local added = items(client, result.matches)
  for _, item in ipairs(added) do
    item.user_data.source = { client_id = client.id, pattern = pattern, snapshot = result.snapshot }
  end
  write(place, 'a', { items = added })
end

--- Begin a list with nothing in it.
---@param place signal_grep.Place
---@param title string
function M.fill_with_nothing(place, title)
  write(place, ' ', { title = title, items = {} })
end

--- Put a further page at the end of the list it belongs to. The current item stays.
---@param place signal_grep.Place
---@param id integer of the list
---@param source signal_grep.Source what the list said when the page was asked for
---@param client vim.lsp.Client
---@param result table
---@return signal_grep.Source? after nil when the list is gone or already has this page
function M.append(place, id, source, client, result)
  local list = read(place, { id = id, size = 0, context = 0 })
  local now = type(list.context) == 'table' and list.context.signal_grep
  if not now or now.snapshot ~= source.snapshot or now.cursor ~= source.cursor then
    return nil
  end
  local after = context(source.pattern, client, result)
  write(place, 'a', {
    id = id,
    title = words.title(source.pattern, result, list.size + #result.matches),
    items = items(client, result.matches),
    context = after,
  })
  return after.signal_grep
end

--- The list that a command is about: the window's location list if it is ours, else the quickfix list.
---@return signal_grep.Place? place nil when neither is ours
---@return integer? id
---@return signal_grep.Source? source
function M.current()
  for _, place in ipairs({ { window = vim.api.nvim_get_current_win() }, {} }) do
    local list = read(place, { id = 0, context = 0 })
    if type(list.context) == 'table' and list.context.signal_grep then
      return place, list.id, list.context.signal_grep
    end
  end
end

--- The match under the cursor in a window that shows one of our lists.
---@return signal_grep.Source? source
---@return integer? index of the match in its snapshot
function M.match_at_cursor()
  if vim.bo.buftype ~= 'quickfix' then
    return nil
  end
  local is_location = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].loclist == 1
  local place = is_location and { window = vim.api.nvim_get_current_win() } or {}
  local list = read(place, { items = 0, context = 0 })
  local item = list.items[vim.fn.line('.')]
  local data = item and type(item.user_data) == 'table' and item.user_data or {}
  local source = data.source or type(list.context) == 'table' and list.context.signal_grep
  local index = data.signal_grep
  if source and index then
    return source, index
  end
end

--- Show the list below, without leaving the current window.
---@param place signal_grep.Place
function M.open(place)
  if read(place, { winid = 0 }).winid == 0 then
    local window = vim.api.nvim_get_current_win()
    if place.window then
      vim.api.nvim_win_call(place.window, function()
        vim.cmd('lopen | wincmd p')
      end)
    else
      vim.cmd('botright copen')
    end
    vim.api.nvim_set_current_win(window)
  end
end

--- Go to the first match.
---@param place signal_grep.Place
function M.jump(place)
  vim.cmd(place.window and 'lfirst' or 'cfirst')
end

--- Go to the current match, which is the first of a new list.
---@param place signal_grep.Place
---@param modifiers table of `nvim_cmd()`
function M.jump_to_current(place, modifiers)
  vim.cmd({ cmd = place.window and 'll' or 'cc', mods = modifiers })
end

return M
