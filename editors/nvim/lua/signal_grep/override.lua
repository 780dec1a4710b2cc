--- The override: the editor's own grep goes through the server, and is given back.
---
--- What is typed is done by the server itself, which knows unsaved text. Commands that scripts run cannot be
--- caught: they take 'grepprg', and so does whatever reads that option. It is the server's command line then.
local M = {}

local NAME = 'signal_grep'
local FORMAT = '%f:%l:%c:%m'

---@class signal_grep.Taken
---@field group integer of autocommands
---@field options table<string, {before: string, given: string}>

---@type signal_grep.Taken?
local taken

function M.is_on()
  return taken ~= nil
end

--- A word of 'grepprg', which a shell reads after Neovim has.
---@param word string
local function quoted(word)
  local is_plain = word:find('^[%w_@+=:,./-]+$') ~= nil
  return vim.fn.escape(is_plain and word or vim.fn.shellescape(word), '%#|')
end

--- The ripgrep that the configuration names, in the options or else on the command line.
---@param config vim.lsp.Config
---@return string?
local function ripgrep(config)
  local named = vim.tbl_get(config, 'init_options', 'rgPath')
  for at, word in ipairs(config.cmd) do
    named = named or word:match('^%-%-rg=(.+)') or word == '--rg' and config.cmd[at + 1]
  end
  return named
end

--- The command line of the server that is configured; nil where that is no program.
---@return string?
local function program()
  local config = vim.lsp.config[NAME]
  if type(config.cmd) ~= 'table' then
    return nil
  end
  local found = {}
  for _, word in ipairs(config.cmd) do
    if word == 'serve' or vim.startswith(word, '--') then
      break
    end
    found[#found + 1] = word
  end
  vim.list_extend(found, { 'search', '--vimgrep' })
  local rg = ripgrep(config)
  vim.list_extend(found, rg and { '--rg', rg } or {})
  return table.concat(vim.tbl_map(quoted, found), ' ')
end

---@param name string
---@param value? string
---@return string
local function global(name, value)
  if value then
    vim.api.nvim_set_option_value(name, value, { scope = 'global' })
  end
  return vim.api.nvim_get_option_value(name, { scope = 'global' })
end

--- Put our command in front of a typed line that runs the editor's grep.
local function instead()
  local line, builtin = vim.fn.getcmdline(), require('signal_grep.builtin')
  if not vim.v.event.abort and builtin.parse(line) then
    vim.fn.setcmdline(builtin.instead_of(line))
  end
end

--- Say what a `:grep` could not see that the server itself has not done.
local function tell_of_unsaved(event)
  if event.data or vim.o.grepprg ~= vim.tbl_get(taken or {}, 'options', 'grepprg', 'given') then
    return
  end
  local is_unsaved = vim.iter(vim.fn.getbufinfo({ bufloaded = 1, bufmodified = 1 })):any(function(buffer)
    return buffer.name ~= '' and vim.bo[buffer.bufnr].buftype == ''
  end)
  if is_unsaved then
    local words = require('signal_grep.words')
    words.say(words.text('unsaved_not_searched'), vim.log.levels.WARN)
  end
end

local function take()
  taken = { group = vim.api.nvim_create_augroup('signal_grep.override', {}), options = {} }
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    group = taken.group,
    pattern = ':',
    desc = 'Let Signal Grep do what :grep does',
    callback = instead,
  })
  vim.api.nvim_create_autocmd('QuickFixCmdPost', {
    group = taken.group,
    pattern = { 'grep', 'grepadd', 'lgrep', 'lgrepadd' },
    desc = 'Say what was not searched',
    callback = tell_of_unsaved,
  })
  local grepprg = program()
  if grepprg then
    for name, given in pairs({ grepprg = grepprg, grepformat = FORMAT }) do
      taken.options[name] = { before = global(name), given = given }
      global(name, given)
    end
  end
end

--- Give back what was taken; an option that somebody has set since then is theirs.
local function give_back()
  local was = assert(taken)
  taken = nil
  vim.api.nvim_del_augroup_by_id(was.group)
  for name, option in pairs(was.options) do
    if global(name) == option.given then
      global(name, option.before)
    end
  end
end

--- Let the mode be in force.
---@param mode 'additive'|'override'
function M.follow(mode)
  if (mode == 'override') == M.is_on() then
    return
  end
  if mode == 'override' then
    take()
  else
    give_back()
  end
end

return M
