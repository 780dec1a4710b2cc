--- The live picker in telescope.nvim.
local M = {}

local live_search = require('signal_grep.live_search')

---@param match table
---@param used vim.lsp.Client
local function to_entry(match, used)
  local label = live_search.label(match)
  local file = vim.uri_to_fname(match.location.uri)
  return { value = match, used = used, display = label, ordinal = label, filename = file, lnum = match.line }
end

---@param typed string what the prompt begins with
function M.open(typed)
  local origin = vim.api.nvim_get_current_buf()
  local entries = {} -- of the search that runs; telescope may still have chosen one of a former search
  local stop = function() end

  local function find(_, text, add, complete)
    stop()
    entries = {}
    stop = live_search.stream(origin, text, function(matches, used)
      for _, match in ipairs(matches) do
        local entry = to_entry(match, used)
        entries[entry] = true
        add(entry)
      end
      -- Telescope chooses a row when a search is complete; ours can be accepted before.
      complete()
    end)
  end

  local function accept(prompt)
    local chosen = require('telescope.actions.state').get_selected_entry()
    require('telescope.actions').close(prompt)
    if entries[chosen or 0] then
      live_search.go_to(chosen.value, chosen.used)
    end
  end

  local options = {
    prompt_title = 'Signal Grep',
    default_text = typed,
    -- stylua: ignore
    finder = setmetatable({ close = function() stop() end }, { __call = find }),
    previewer = require('telescope.config').values.grep_previewer({}),
    selection_strategy = 'follow',
    file_ignore_patterns = {}, -- what is counted is shown
    attach_mappings = function(prompt)
      -- stylua: ignore
      require('telescope.actions').select_default:replace(function() accept(prompt) end)
      return true
    end,
  }
  require('telescope.pickers').new({}, options):find()
end

return M
