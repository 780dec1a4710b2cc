--- What a person chose for all editors: the server keeps it and decides what holds here, the plugin follows.
local M = {}

local client = require('signal_grep.client')
local metrics = require('signal_grep.metrics')
local override = require('signal_grep.override')
local words = require('signal_grep.words')

---@param result table of `sg.mode`
---@return string
function M.describe(result)
  if result.configured ~= result.effective then
    return words.text('mode_held_back', { reason = result.reason })
  end
  return words.meaning('modes', result.effective)
end

--- Ask, let it hold, and tell it.
---@param command string
---@param action string
---@param keep fun(result: table, used: vim.lsp.Client) lets the answer hold
---@param describe fun(result: table): string
local function ask(command, action, keep, describe)
  client.execute(command, { action = action }, function(failure, result, used)
    if failure then
      return words.fail(failure)
    end
    keep(result, used)
    words.say(describe(result))
  end)
end

local function keep_mode(result)
  override.follow(result.effective)
end

local function keep_metrics(result, used)
  metrics.keep(used, result)
end

local function keep_locale(result)
  words.speak(result.locale)
end

---@param action 'additive'|'override'|'status'
function M.mode(action)
  ask('sg.mode', action, keep_mode, M.describe)
end

---@param action 'on'|'off'|'report'|'on-next-load'
function M.metrics(action)
  ask('sg.metrics', action, keep_metrics, function(result)
    return action == 'on-next-load' and words.text('metrics_on_next_load') or result.text
  end)
end

---@param action 'en'|'zh-CN'|'status'
function M.language(action)
  ask('sg.locale', action, keep_locale, function()
    return words.text('language')
  end)
end

--- Follow what holds for a server that has just started. It tells by itself what is wrong.
---@param used vim.lsp.Client
function M.follow(used)
  local function follow(command, action, keep)
    client.execute(command, { action = action }, function(failure, result)
      if not failure then
        keep(result, used)
      end
    end, { client = used })
  end
  follow('sg.locale', 'status', keep_locale)
  follow('sg.mode', 'status', keep_mode)
  follow('sg.metrics', 'report', keep_metrics)
end

--- Give back what only a server could do, after one has ended.
---@param client_id integer
function M.forget(client_id)
  metrics.forget(client_id)
  local is_last = vim.iter(vim.lsp.get_clients({ name = client.NAME })):all(function(other)
    return other.id == client_id
  end)
  if is_last then
    override.follow('additive')
  end
end

--- Start a server, since the override has been chosen: nothing else would tell that it is in force.
function M.begin()
  local used, problem = client.start_at_working_folder()
  if not used then
    words.say(assert(problem), vim.log.levels.WARN)
  end
end

return M
