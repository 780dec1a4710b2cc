--- `:checkhealth signal_grep`: what really runs, as the server itself says.
local M = {}

local client = require('signal_grep.client')
local words = require('signal_grep.words')

--- Milliseconds for the server to start and answer.
local PATIENCE = 10000

---@param name string
---@param program {path: string?, version: string?, found: string?}
local function check_program(name, program)
  if program.version then
    local version = program.version:gsub('^ripgrep ', '')
    local found = words.meaning('found', program.found)
    local values = { name = name, version = version, path = program.path, found = found }
    vim.health.ok(words.text('health_program', values))
  end
end

local function check_options()
  local ok, problem = pcall(require('signal_grep.pickers').name)
  if not ok then
    vim.health.error(problem, words.text('health_options'))
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

--- Who does what `:grep` does, and why it is not who was chosen.
---@param mode table of `sg.mode`
local function report_mode(mode)
  local tell = mode.configured == mode.effective and vim.health.info or vim.health.warn
  tell(require('signal_grep.preferences').describe(mode))
end

---@param health table
local function report(health)
  vim.health.ok(words.text('health_server', { version = health.server, python = health.python }))
  check_program('ripgrep', health.rg)
  check_program('ctags', health.ctags)
  for _, folder in ipairs(health.folders) do
    vim.health.info(words.text('health_folder', { path = folder.path, name = folder.name }))
  end
  if health.positionEncoding ~= 'utf-8' then
    local problem = words.text('health_encoding', { encoding = health.positionEncoding })
    vim.health.error(problem, words.text('health_encoding_hint'))
  end
  if health.mode then -- else what is wrong with the file is among the problems
    report_mode(health.mode)
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
    -- Its hint leads to this report.
    vim.health.error((words.parts_of(failure)), {
      words.meaning('health_install', 'server'),
      words.meaning('health_install', 'configure'),
    })
  elseif health then
    report(health)
  end
end

return M
