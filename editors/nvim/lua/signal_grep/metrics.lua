--- What the server of the last search counted: for the statusline, without asking.
local M = {}

---@type table<integer, true> the clients whose searches are counted
local counting = {}
---@type {client_id: integer, searches: integer, deltaTokens: integer}?
local last

---@param client vim.lsp.Client
function M.is_on(client)
  return counting[client.id] == true
end

--- Keep what a server said.
---@param client vim.lsp.Client
---@param result table of `sg.metrics`
function M.keep(client, result)
  counting[client.id] = result.active or nil
  if result.active then
    last = { client_id = client.id, searches = result.searches, deltaTokens = result.deltaTokens }
  elseif last and last.client_id == client.id then
    last = nil
  end
  vim.cmd.redrawstatus({ bang = true })
end

---@param client_id integer of a server that has ended
function M.forget(client_id)
  counting[client_id] = nil
  if last and last.client_id == client_id then
    last = nil
  end
end

--- Ask how much it is after a search.
---@param client vim.lsp.Client
function M.refresh(client)
  require('signal_grep.client').execute('sg.metrics', { action = 'report' }, function(failure, result)
    if not failure then
      M.keep(client, result)
    end
  end, { client = client })
end

--- A few words for a statusline; empty while metrics are off. The saving is negative where it was none.
---@return string
function M.line()
  if not last then
    return ''
  end
  local words = require('signal_grep.words')
  local tokens, searches = words.grouped(last.deltaTokens), words.count('search', last.searches)
  return words.text('metrics_saved', { tokens = tokens, searches = searches })
end

return M
