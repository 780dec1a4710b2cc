--- The live picker in fzf-lua.
local M = {}

local live_search = require('signal_grep.live_search')

---@param typed string what the prompt begins with
function M.open(typed)
  local origin = vim.api.nvim_get_current_buf()
  -- Of every search so far: fzf shows the lines of the one before until the next has some.
  local rows = {}
  local finish = function() end

  local function contents(arguments)
    return function(write)
      finish()
      local stop = live_search.stream(origin, arguments[1] or '', function(matches, used, is_done)
        for _, match in ipairs(matches) do
          rows[#rows + 1] = { match = match, used = used }
          write(('%d\t%s'):format(#rows, live_search.label(match)))
        end
        if is_done then
          write(nil)
        end
      end)
      finish = function()
        stop()
        write(nil)
      end
    end
  end

  local function accept(selected)
    local row = selected and selected[1] and rows[tonumber(selected[1]:match('^%d+'))]
    if row then
      live_search.go_to(row.match, row.used)
    end
  end

  require('fzf-lua').fzf_live(contents, {
    prompt = '> ',
    query = typed,
    -- Else the search for a text that has been deleted would go on.
    exec_empty_query = true,
    actions = { default = accept },
    fzf_opts = { ['--delimiter'] = '\t', ['--with-nth'] = '2..', ['--no-multi'] = true },
    winopts = {
      title = ' Signal Grep ',
      on_close = function()
        finish()
      end,
    },
  })
end

return M
