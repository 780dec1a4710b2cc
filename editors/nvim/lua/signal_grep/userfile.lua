--- The file that holds what a person chose for all editors. The server writes it and decides what holds here;
--- the plugin only looks whether a server is to be started at once, and which language to begin in.
local M = {}

local NAME = 'signal-grep/signal-grep.json'

---@return string
local function path()
  local env = vim.env
  if (env.SG_CONFIG or '') ~= '' then
    return env.SG_CONFIG
  elseif vim.fn.has('win32') == 1 then
    return vim.fs.joinpath(env.LOCALAPPDATA or '', NAME)
  elseif (env.XDG_CONFIG_HOME or '') ~= '' then
    return vim.fs.joinpath(env.XDG_CONFIG_HOME, NAME)
  end
  local is_mac = vim.fn.has('mac') == 1
  return vim.fs.joinpath(vim.uv.os_homedir(), is_mac and 'Library/Application Support' or '.config', NAME)
end

--- What was chosen, as far as it can be read: the server tells what is wrong with the file.
---@return {overrideBuiltinGrep: boolean?, locale: string?}
function M.read()
  local file = io.open(path(), 'r')
  if not file then
    return {}
  end
  local text = file:read('*a')
  file:close()
  local is_json, chosen = pcall(vim.json.decode, text or '')
  return is_json and type(chosen) == 'table' and chosen or {}
end

return M
