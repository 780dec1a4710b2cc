--- What a person can choose. It is all kept in `vim.g.signal_grep`; nothing needs to be set.
local M = {}

local words = require('signal_grep.words')

---@class signal_grep.Config
local defaults = {
  ---@type integer rows that a search or a page brings, 1 to 1,000
  limit = 1000,
  ---@type boolean open the list when there are matches
  open = true,
  ---@type string what `:SignalGrepLive` opens: one of `PICKERS`
  picker = 'auto',
}

--- `auto` is the first of the plugins that is installed, else the own window, which is `float`; `select` is
--- `vim.ui.input` and `vim.ui.select`.
local PICKERS = { 'auto', 'telescope', 'fzf-lua', 'snacks', 'float', 'select' }

--- The options in force. Raises an error that names the option that is not one.
---@return signal_grep.Config
function M.get()
  local config = vim.tbl_extend('force', defaults, vim.g.signal_grep or {})
  for name, value in pairs(config) do
    local wanted = type(defaults[name])
    if wanted == 'nil' then
      error(words.text('no_such_option', { name = name }), 0)
    elseif type(value) ~= wanted then
      error(words.text('option_takes', { name = name, wanted = wanted, given = type(value) }), 0)
    end
  end
  if not vim.list_contains(PICKERS, config.picker) then
    local known = table.concat(PICKERS, words.text('between_names'))
    error(words.text('no_such_picker', { name = config.picker, known = known }), 0)
  end
  return config
end

return M
