--- Searches and pages that end in a list.
local M = {}

local asking = require('signal_grep.asking')
local config = require('signal_grep.config')
local lists = require('signal_grep.lists')
local words = require('signal_grep.words')

--- Search, and put what is found into a new list.
---@param request signal_grep.Request
---@param options {jump: boolean?}
---@return fun() cancel
function M.into_list(request, options)
  local settings = config.get()
  local window, cursor = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0)
  local place = request.loclist and { window = window } or {}
  local pattern = request.params.pattern
  words.whisper(words.text('searching_for', { pattern = words.pattern(pattern) }))
  return asking.search(request.params, settings.limit, nil, function(failure, result, used)
    if failure then
      return words.fail(failure)
    elseif result.mode == 'empty' then
      return words.say(words.nothing(pattern, result), vim.log.levels.WARN)
    elseif place.window and not vim.api.nvim_win_is_valid(place.window) then
      return words.say(words.text('window_is_gone'), vim.log.levels.WARN)
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
    words.tell(result, #result.matches)
  end)
end

--- Append the next page to the current list, or all that are left.
---@param options {all: boolean?}
---@return fun()? cancel
function M.page(options)
  local place, id, source = lists.current()
  if not source then
    words.say(words.text('list_of_others'), vim.log.levels.WARN)
    return nil
  elseif not source.cursor then
    words.say(words.text('list_is_complete'))
    return nil
  end
  local asked_client = vim.lsp.get_client_by_id(source.client_id)
  if not asked_client then
    words.say(words.text('server_has_ended'), vim.log.levels.ERROR)
    return nil
  end
  local cancel
  local added = 0
  local function ask()
    local params = { cursor = source.cursor, view = 'items', limit = config.get().limit }
    cancel = asking.run('sg.page', params, asked_client, function(failure, result, used)
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
      words.say(words.text('more_matches', { count = words.grouped(added) }))
    end)
  end
  ask()
  return function()
    cancel()
  end
end

return M
