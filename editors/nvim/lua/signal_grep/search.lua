--- Searches and pages that end in a list.
local M = {}

local client = require('signal_grep.client')
local config = require('signal_grep.config')
local lists = require('signal_grep.lists')
local words = require('signal_grep.words')

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

--- Run a command that people wait for: with progress, and until `<C-c>`.
---@param command string
---@param argument table
---@param asked_client vim.lsp.Client?
---@param on_done signal_grep.Done
---@return fun() cancel
local function run(command, argument, asked_client, on_done)
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

--- Search, and put what is found into a new list.
---@param request signal_grep.Request
---@param options {jump: boolean?}
---@return fun() cancel
function M.into_list(request, options)
  local settings = config.get()
  local window, cursor = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0)
  local place = request.loclist and { window = window } or {}
  local pattern = request.params.pattern
  local asked = { mode = 'matches', view = 'items', limit = settings.limit, explainEmpty = true }
  local params = vim.tbl_extend('force', asked, request.params)
  local notice = ('Signal Grep: searching for %s (<C-c> cancels)'):format(words.pattern(pattern))
  vim.api.nvim_echo({ { notice } }, false, {})
  return run('sg.search', params, nil, function(failure, result, used)
    if failure then
      return words.fail(failure)
    elseif result.mode == 'empty' then
      return words.say(words.nothing(pattern, result), vim.log.levels.WARN)
    elseif place.window and not vim.api.nvim_win_is_valid(place.window) then
      return words.say('the window of the location list is gone', vim.log.levels.WARN)
    end
    lists.fill(place, pattern, used, result)
    if settings.open then
      lists.open(place)
    end
    -- Whoever has gone on in the meantime stays where they are.
    local is_here = vim.api.nvim_get_current_win() == window
      and vim.deep_equal(vim.api.nvim_win_get_cursor(window), cursor)
    if options.jump and is_here then
      lists.jump(place)
    end
    local partial = words.partial(result)
    local message = words.totals(result.totals, #result.matches) .. (partial and ' · ' .. partial or '')
    words.say(message, partial and vim.log.levels.WARN or nil)
  end)
end

--- Append the next page to the current list, or all that are left.
---@param options {all: boolean?}
---@return fun()? cancel
function M.page(options)
  local place, id, source = lists.current()
  if not source then
    words.say('neither the location list nor the quickfix list is from here', vim.log.levels.WARN)
    return nil
  elseif not source.cursor then
    words.say('the list has everything that was kept')
    return nil
  end
  local asked_client = vim.lsp.get_client_by_id(source.client_id)
  if not asked_client then
    words.say('the server that searched has ended; search again', vim.log.levels.ERROR)
    return nil
  end
  local cancel
  local added = 0
  local function ask()
    local params = { cursor = source.cursor, view = 'items', limit = config.get().limit }
    cancel = run('sg.page', params, asked_client, function(failure, result, used)
      if failure then
        return words.fail(failure)
      end
      source = lists.append(place, id, source, used, result)
      if not source then
        return
      end
      added = added + #result.matches
      if options.all and source.cursor then
        return ask()
      end
      words.say(('%s more'):format(words.grouped(added)))
    end)
  end
  ask()
  return function()
    cancel()
  end
end

return M
