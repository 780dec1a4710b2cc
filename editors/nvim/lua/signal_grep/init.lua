--- What the commands do, for mappings and scripts. Each part is loaded when it is first used.
local M = {}

--- Keep options; the same as assigning to `vim.g.signal_grep`. Never needed.
---@param options table
function M.setup(options)
  vim.g.signal_grep = options
end

---@param name string
---@return string
local function text(name)
  return require('signal_grep.words').text(name)
end

---@param problem string
local function refuse(problem)
  require('signal_grep.words').say(problem, vim.log.levels.ERROR)
end

--- Search for what was typed: flags and a pattern.
---@param typed string
---@param options? {jump: boolean?} go to the first match
---@return fun()? cancel
function M.grep(typed, options)
  local request, problem = require('signal_grep.arguments').parse(typed)
  if not request or not request.params.pattern then
    return refuse(problem or text('pattern_is_missing'))
  end
  return require('signal_grep.search').into_list(request, options or {})
end

--- Search for the word under the cursor as a whole word. `flags` are those of `:SignalGrep`.
---@param flags? string
---@param options? {jump: boolean?}
---@return fun()? cancel
function M.word(flags, options)
  local request, problem = require('signal_grep.arguments').parse(flags or '')
  if not request or request.params.pattern then
    return refuse(problem or text('word_is_pattern'))
  end
  local word = vim.fn.expand('<cword>')
  if word == '' then
    return refuse(text('no_word'))
  end
  local params = { pattern = word, literal = true, wholeWord = true, ignoreCase = false }
  request.params = vim.tbl_extend('force', params, request.params)
  return require('signal_grep.search').into_list(request, options or {})
end

--- Search for the selected text as it is.
---@param options? {jump: boolean?}
---@return fun()? cancel
function M.selection(options)
  local mode = vim.fn.mode()
  local lines = vim.fn.getregion(vim.fn.getpos('v'), vim.fn.getpos('.'), { type = mode })
  vim.api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  local params = { pattern = table.concat(lines, '\n'), literal = true, ignoreCase = false }
  params.multiline = #lines > 1 or nil
  return require('signal_grep.search').into_list({ params = params, loclist = false }, options or {})
end

--- Append the next page to the list of the window, or to the quickfix list.
---@param options? {all: boolean?} all the pages that are left
---@return fun()? cancel
function M.page(options)
  return require('signal_grep.search').page(options or {})
end

--- Show the source and the symbol around the cursor, or around the match under it in a list.
function M.inspect()
  require('signal_grep.inspect').at_cursor()
end

--- Choose who does what `:grep` does, for all editors, or ask who does it now.
---@param action? 'additive'|'override'|'status'
function M.mode(action)
  require('signal_grep.preferences').mode(action or 'status')
end

--- Compare answers with those of the usual grep tool, or stop that.
---@param action? 'on'|'off'|'report'|'on-next-load'
function M.count(action)
  require('signal_grep.preferences').metrics(action or 'report')
end

--- Choose the language in which people are spoken to, for all editors.
---@param action? 'en'|'zh-CN'|'status'
function M.language(action)
  require('signal_grep.preferences').language(action or 'status')
end

--- What metrics say, for a statusline: it is kept, and costs next to nothing. Empty while they are off.
---@return string
function M.metrics()
  return require('signal_grep.metrics').line()
end

--- Search stored text for what was typed, taken as it is.
---@param pattern string
---@param options? {jump: boolean?}
---@return fun()? cancel
function M.stored(pattern, options)
  return require('signal_grep.stored').grep(pattern, options or {})
end

--- Search while typing. `typed` is what the prompt begins with: flags and a pattern.
---@param typed? string
function M.live(typed)
  local pickers = require('signal_grep.pickers')
  local ok, name = pcall(pickers.name)
  if not ok then
    return refuse(name)
  end
  pickers.open(name, typed or '')
end

return M
