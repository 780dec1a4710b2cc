--- `:checkhealth signal_grep`: what really runs, as the server itself says.
local M = {}

local client = require('signal_grep.client')
local words = require('signal_grep.words')

local INSTALL = {
  'Install the server: pip install . in a clone of Signal Grep (or pipx, or uv tool install)',
  "or say where it is: vim.lsp.config('signal_grep', { cmd = { '/path/to/sg-server' } })",
}
--- Milliseconds for the server to start and answer.
local PATIENCE = 10000

---@param name string
---@param program {path: string?, version: string?, found: string?}
local function check_program(name, program)
  if program.version then
    local version = program.version:gsub('^ripgrep ', '')
    vim.health.ok(('%s %s: %s (found by %s)'):format(name, version, program.path, program.found))
  end
end

local function check_options()
  local ok, problem = pcall(require('signal_grep.pickers').name)
  if not ok then
    vim.health.error(problem, 'See :help signal-grep-options')
  end
end

---@return signal_grep.Failure?
---@return table?
local function ask()
  local failure, health
  local cancel = client.execute('sg.health', {}, function(...)
    failure, health = ...
  end)
  vim.wait(PATIENCE, function()
    return failure ~= nil or health ~= nil
  end, 10)
  cancel()
  return failure, health
end

---@param health table
local function report(health)
  vim.health.ok(('sg-server %s, Python %s'):format(health.server, health.python))
  check_program('ripgrep', health.rg)
  check_program('ctags', health.ctags)
  for _, folder in ipairs(health.folders) do
    vim.health.info(('searches %s (%s)'):format(folder.path, folder.name))
  end
  if health.positionEncoding ~= 'utf-8' then
    vim.health.error(('the session counts in %s'):format(health.positionEncoding), {
      "Offer the server utf-8: leave general.positionEncodings out of vim.lsp.config('signal_grep')",
    })
  end
  for _, problem in ipairs(health.problems) do
    local tell = problem.code == 'rg-missing' and vim.health.error or vim.health.warn
    tell(problem.message, problem.hint)
  end
end

function M.check()
  vim.health.start('signal_grep')
  check_options()
  local failure, health = ask()
  if failure then
    vim.health.error(words.failure(failure):gsub(':checkhealth.*', ''), INSTALL)
  elseif health then
    report(health)
  end
end

return M
