--- Requests that people wait for: with progress, and until `<C-c>`.
local M = {}

local client = require('signal_grep.client')
local metrics = require('signal_grep.metrics')

--- Milliseconds; there is no bound, for `<C-c>` ends it.
local FOREVER = 2 ^ 31 - 1

--- Let `<C-c>` call `cancel` until the function that is returned is called. The key does what else it does.
---@param cancel fun()
---@return fun() stop
local function interruptible(cancel)
  local namespace = vim.on_key(function(_, typed)
    if typed == vim.keycode('<C-c>') then
      -- Keys cannot be listened to and requests not be sent at the same time.
      vim.schedule(cancel)
    end
  end)
  return function()
    vim.on_key(nil, namespace)
  end
end

--- Run a command of the server.
---@param command string
---@param argument table
---@param asked_client vim.lsp.Client?
---@param on_done signal_grep.Done
---@return fun() cancel
function M.run(command, argument, asked_client, on_done)
  local stop
  local cancel = client.execute(command, argument, function(...)
    if stop then
      stop()
    end
    stop = true
    on_done(...)
  end, { client = asked_client, token = ('signal-grep-%d'):format(vim.uv.hrtime()) })
  if not stop then
    stop = interruptible(cancel)
  end
  return cancel
end

--- Search for matches, `limit` of them at once. While metrics are on, what is asked for is the text, which
--- they count, and the matches are the first page of what was found: that is no second search.
---@param params table of `sg.search`
---@param limit integer
---@param asked_client vim.lsp.Client?
---@param on_done signal_grep.Done
---@return fun() cancel
function M.search(params, limit, asked_client, on_done)
  local used = asked_client or client.start()
  local is_counted = used ~= nil and metrics.is_on(used)
  local asked = { mode = 'matches', view = 'items', limit = limit, explainEmpty = true }
  if is_counted then
    asked = { view = 'text' }
  end
  local cancel
  cancel = M.run('sg.search', vim.tbl_extend('force', asked, params), used, function(failure, result, ...)
    if is_counted then
      metrics.refresh(assert(used))
    end
    if failure or not is_counted or result.mode == 'empty' then
      return on_done(failure, result, ...)
    end
    local page = { snapshot = result.snapshot, view = 'items', limit = limit }
    cancel = M.run('sg.page', page, used, on_done)
  end)
  return function()
    cancel()
  end
end

--- Wait for a request, as Neovim's own commands do: events go on, keys stay until afterwards.
---@param begin fun(on_done: signal_grep.Done): fun() begins it; what is returned cancels it
---@return signal_grep.Failure? failure
---@return any result
---@return vim.lsp.Client? used
function M.wait(begin)
  local answer
  local cancel = begin(function(...)
    answer = { n = select('#', ...), ... }
  end)
  vim.wait(FOREVER, function()
    return answer ~= nil
  end, 10)
  if not answer then
    cancel()
  end
  return unpack(answer, 1, answer.n)
end

return M
