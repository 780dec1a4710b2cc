--- Which picker `:SignalGrepLive` opens.
local M = {}

local MODULES = {
  telescope = 'signal_grep.live_telescope',
  ['fzf-lua'] = 'signal_grep.live_fzf',
  snacks = 'signal_grep.live_snacks',
  float = 'signal_grep.live',
  select = 'signal_grep.select',
}
--- Those that are plugins of others, by the module each one has, in the order in which they are looked for.
local PLUGINS = { 'telescope', 'fzf-lua', 'snacks' }

---@param plugin string
local function is_installed(plugin)
  -- Not looked for in 'runtimepath': plugin managers put plugins there when they are first required.
  return (pcall(require, plugin))
end

--- The picker in force. Raises an error when the one that is asked for is not installed.
---@return string name
function M.name()
  local wanted = require('signal_grep.config').get().picker
  if wanted == 'auto' then
    return vim.iter(PLUGINS):find(is_installed) or 'float'
  elseif vim.list_contains(PLUGINS, wanted) and not is_installed(wanted) then
    error(require('signal_grep.words').text('picker_is_missing', { name = wanted }), 0)
  end
  return wanted
end

---@param name string
---@param typed string what the prompt begins with
function M.open(name, typed)
  require(MODULES[name]).open(typed)
end

return M
