--- What a person can choose. It is all kept in `vim.g.signal_grep`; nothing needs to be set.
local M = {}

---@class signal_grep.Config
local defaults = {
  ---@type integer rows that a search or a page brings, 1 to 1,000
  limit = 1000,
  ---@type boolean open the list when there are matches
  open = true,
  ---@type 'float'|'select' the window of `:SignalGrepLive`, or `vim.ui.input` and `vim.ui.select`
  picker = 'float',
}

--- The options in force. Raises an error that names the option that is not one.
---@return signal_grep.Config
function M.get()
  local config = vim.tbl_extend('force', defaults, vim.g.signal_grep or {})
  for name, value in pairs(config) do
    local wanted = type(defaults[name])
    if wanted == 'nil' then
      error(('vim.g.signal_grep: there is no option %q'):format(name), 0)
    elseif type(value) ~= wanted then
      error(('vim.g.signal_grep.%s: takes a %s, not a %s'):format(name, wanted, type(value)), 0)
    end
  end
  return config
end

return M
