-- luacheck: globals Picker
-- Stands in for snacks.nvim: the part of its contract that the adapter uses, as its sources have it. A finder
-- gives a function that runs as a task: a coroutine that is never resumed from where Neovim can be called.
Picker = { name = 'snacks' }

local options, items, task

local function new_task(run)
  local made = { is_suspended = false }
  local thread = coroutine.create(run)
  local function step(message)
    vim.uv.new_timer():start(0, 0, function()
      made.is_suspended = false
      local ok, problem = coroutine.resume(thread, message)
      if message and made.on_abort then
        made.on_abort()
      end
      Picker.problem = Picker.problem or (not ok and not message and problem) or nil
    end)
  end
  function made.on(_, event, action)
    assert(event == 'abort')
    made.on_abort = action
  end
  function made.suspend()
    made.is_suspended = true
    if coroutine.yield() == 'abort' then
      error('aborted')
    end
  end
  function made.resume()
    if made.is_suspended then
      made.is_suspended = false
      step()
    end
  end
  function made.abort()
    if made.is_suspended then
      step('abort')
    end
  end
  step()
  return made
end

function Picker.type(text)
  if task then
    task:abort()
  end
  local found = {}
  items = found
  local context = { filter = { search = text } }
  local find = options.finder(options, context)
  task = new_task(function()
    find(function(item)
      table.insert(found, item)
    end)
  end)
  context.async = task
end

function Picker.lines()
  assert(not Picker.problem, Picker.problem)
  return vim.tbl_map(function(item)
    assert(item.pos[1] > 0 and item.end_pos[2] > 0 and item.line)
    return vim.uv.fs_stat(item.file) and item.text
  end, items)
end

function Picker.close()
  task:abort()
  vim.cmd.close()
end

function Picker.accept(row)
  options.confirm({
    close = Picker.close,
    norm = function(_, action)
      action()
    end,
  }, items[row])
end

return {
  picker = {
    pick = function(given)
      options = given
      assert(options.live)
      vim.cmd.new()
      Picker.type(options.search)
    end,
  },
}
