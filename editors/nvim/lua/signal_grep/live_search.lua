--- The search that follows what is typed, for whatever picker shows its rows.
local M = {}

local arguments = require('signal_grep.arguments')
local client = require('signal_grep.client')
local words = require('signal_grep.words')

local ROWS = 200
--- Milliseconds without a key until a search begins: most keys of a word are never searched for.
local PAUSE = 30

---@class signal_grep.LiveEvents
---@field begin fun() the pause is over, and the server is asked
---@field rows fun(more: table[], totals: table, used: vim.lsp.Client?) matches as they come, in any order
---@field answer fun(result: table, used: vim.lsp.Client) all of it, in the place of the rows before
---@field problem fun(text: string, group: string?) there will be no answer

---@param buffer integer
---@param request signal_grep.Request
---@param on signal_grep.LiveEvents
---@return fun() cancel
local function search(buffer, request, on)
  local token = ('signal-grep-rows-%d'):format(vim.uv.hrtime())
  local asked = { mode = 'matches', view = 'items', limit = ROWS, keep = false, partialResultToken = token }
  local watch = vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(event)
      local params = event.data.params
      if params.token == token then
        local used = vim.lsp.get_client_by_id(event.data.client_id)
        on.rows(params.value.matches, params.value.totals, used)
      end
    end,
  })
  on.begin()
  return vim.api.nvim_buf_call(buffer, function()
    return client.execute(
      'sg.search',
      vim.tbl_extend('force', asked, request.params),
      function(failure, result, used)
        vim.api.nvim_del_autocmd(watch)
        if not failure then
          on.answer(result, used)
        elseif not client.is_cancelled(failure) then
          on.problem(words.failure(failure), 'ErrorMsg')
        end
      end
    )
  end)
end

--- Search for what is typed, once no more is. Nothing is told any more after `stop`.
---@param buffer integer where the search was asked for: its project is searched, and it is what `%` means
---@param typed string flags and a pattern
---@param on signal_grep.LiveEvents
---@return fun() stop
function M.start(buffer, typed, on)
  local request, problem
  vim.api.nvim_buf_call(buffer, function()
    request, problem = arguments.parse(typed)
  end)
  if not request or not request.params.pattern then
    on.problem(problem or '')
    return function() end
  end
  local cancel = function() end
  local timer = vim.defer_fn(function()
    cancel = search(buffer, request, on)
  end, PAUSE)
  return function()
    if not timer:is_closing() then
      timer:stop()
      timer:close()
    end
    cancel()
  end
end

---@param text string
---@param group string?
local function echo(text, group)
  local line = vim.fn.strcharpart(text:gsub('%s+', ' '), 0, vim.v.echospace)
  vim.api.nvim_echo({ { line, group } }, false, {})
end

--- The same for pickers that can only add rows: each match is given once, the rest of the answer last.
--- Counts and problems are told below the picker.
---@param buffer integer
---@param typed string
---@param show fun(matches: table[], used: vim.lsp.Client?, is_done: boolean)
---@return fun() stop
function M.stream(buffer, typed, show)
  local seen = {}
  local function unseen(match)
    local start = match.location.range.start
    local key = ('%s:%d:%d'):format(match.location.uri, start.line, start.character)
    local is_new = not seen[key]
    seen[key] = true
    return is_new
  end
  return M.start(buffer, typed, {
    begin = function() end,
    rows = function(more, totals, used)
      show(vim.tbl_filter(unseen, more), used, false)
      echo(words.totals(totals) .. ' …')
    end,
    answer = function(result, used)
      show(vim.tbl_filter(unseen, result.matches or {}), used, true)
      echo(words.summary(result))
    end,
    problem = function(text, group)
      show({}, nil, true)
      echo(text, group)
    end,
  })
end

--- What a row is called.
---@param match table
function M.label(match)
  return ('%s:%d:%s'):format(match.path, match.line, match.text)
end

--- Go to the match: its file, line and byte.
---@param match table
---@param used vim.lsp.Client the server that sent it
function M.go_to(match, used)
  vim.lsp.util.show_document(match.location, used.offset_encoding, { focus = true })
end

return M
