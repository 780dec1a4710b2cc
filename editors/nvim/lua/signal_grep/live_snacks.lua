--- The live picker in snacks.nvim.
local M = {}

local live_search = require('signal_grep.live_search')

---@param match table
---@param used vim.lsp.Client
local function to_item(match, used)
  local from, to = match.location.range.start, match.location.range['end']
  local item = { text = live_search.label(match), line = match.text, match = match, used = used }
  item.file = vim.uri_to_fname(match.location.uri)
  item.pos, item.end_pos = { from.line + 1, from.character }, { to.line + 1, to.character }
  return item
end

--- Search from a task of snacks, which must not call Neovim: that is left to the main loop.
local function find(origin, context, emit)
  local task, waiting, is_over = context.async, {}, false
  local stop = function() end
  local function start()
    stop = live_search.stream(origin, context.filter.search, function(matches, used, is_done)
      for _, match in ipairs(matches) do
        table.insert(waiting, to_item(match, used))
      end
      is_over = is_done
      task:resume()
    end)
  end
  -- stylua: ignore
  task:on('abort', vim.schedule_wrap(function() stop() end))
  vim.schedule(start)
  while waiting[1] or not is_over do
    if waiting[1] then
      emit(table.remove(waiting, 1))
    else
      task:suspend()
    end
  end
end

---@param typed string what the prompt begins with
function M.open(typed)
  local origin = vim.api.nvim_get_current_buf()
  local options = { source = 'signal_grep', title = 'Signal Grep', format = 'file', preview = 'file' }
  options.live, options.supports_live, options.search = true, true, typed
  -- stylua: ignore
  options.finder = function(_, context) return function(emit) find(origin, context, emit) end end
  options.confirm = function(picker, chosen)
    picker:norm(function()
      picker:close()
      if chosen then
        live_search.go_to(chosen.match, chosen.used)
      end
    end)
  end
  require('snacks').picker.pick(options)
end

return M
