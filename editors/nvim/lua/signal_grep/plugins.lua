--- Which plugins Neovim has: some of them take `:grep` for themselves, and the server knows which.
local M = {}

local words = require('signal_grep.words')

--- Where each manager keeps the plugins that it loads later, by name: those are not in 'runtimepath' yet.
---@type table<string, fun(): table?>
local MANAGERS = {
  ['lazy.nvim'] = function()
    local config = package.loaded['lazy.core.config']
    return config and config.plugins
  end,
  ['packer.nvim'] = function()
    return rawget(_G, 'packer_plugins')
  end,
  ['vim-plug'] = function()
    return vim.g.plugs
  end,
}

---@param found table<string, true>
---@param name any
local function add(found, name)
  -- Anything else may not be UTF-8, and is none that the server knows.
  if type(name) == 'string' and not name:find('[\128-\255]') then
    found[name] = true
  end
end

--- Their names, as the folders are called.
---@return string[] names
---@return string? failure what could not be looked at, and why
function M.installed()
  local found, failure = {}, nil
  for _, path in ipairs(vim.api.nvim_list_runtime_paths()) do
    add(found, vim.fs.basename(vim.fs.normalize(path)))
  end
  for manager, plugins_of in vim.spairs(MANAGERS) do
    local is_read, problem = pcall(function()
      for name in pairs(plugins_of() or {}) do
        add(found, name)
      end
    end)
    if not is_read then
      failure = words.text('plugins_failed', { source = manager, problem = problem })
    end
  end
  local names = vim.tbl_keys(found)
  table.sort(names)
  return names, failure
end

--- Tell the server, in what Neovim is about to send it.
---@param params table of `initialize`
function M.report(params)
  local names, failure = M.installed()
  local told = { plugins = names, pluginsFailure = failure }
  params.initializationOptions = vim.tbl_extend('keep', params.initializationOptions or {}, told)
end

return M
