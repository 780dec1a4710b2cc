--- `:grep` and its like, as they are typed, done by the server instead of 'grepprg'.
local M = {}

local asking = require('signal_grep.asking')
local client = require('signal_grep.client')
local command_line = require('signal_grep.command_line')
local flags = require('signal_grep.flags')
local lists = require('signal_grep.lists')
local words = require('signal_grep.words')

local INSTEAD = 'SignalGrepInstead '
---@type string? what was typed and is about to run
local typed

--- Rows of one answer, as many as the server gives. All of them are read: `:cdo` must miss none.
local ROWS = 1000

---@class signal_grep.Builtin which list the command fills, and whether it begins a new one
---@field adds boolean?
---@field in_window boolean?

---@type table<string, signal_grep.Builtin>
local COMMANDS = {
  grep = {},
  grepadd = { adds = true },
  lgrep = { in_window = true },
  lgrepadd = { adds = true, in_window = true },
}

--- What a line runs, if that is one of the commands.
---@param line string
---@return table? parsed of `nvim_parse_cmd()`
function M.parse(line)
  if not line:find('gr', 1, true) then -- every command line is looked at
    return nil
  end
  local is_command, parsed = pcall(vim.api.nvim_parse_cmd, line, {})
  if is_command and COMMANDS[parsed.cmd] and parsed.args[1] then
    return parsed
  end
end

--- What stands after the command, up to a bar, with all the white space that `nvim_parse_cmd()` takes out.
---@param line string
---@param parsed table
---@return string
local function typed_after(line, parsed)
  local at = 1
  while true do
    local _, stop, name = line:find('^[%s:]*%d*(%a*)!?', at)
    if #name > 1 and vim.startswith(parsed.cmd, name) then
      at = stop + 1
      break
    end
    at = assert(line:find('%s', math.max(at, stop)))
    at = assert(line:find('%S', at))
  end
  local parts = {}
  while at <= #line and line:sub(at, at) ~= '|' do
    local is_bar = line:find('^\\|', at) ~= nil
    parts[#parts + 1] = is_bar and '|' or line:sub(at, at)
    at = at + (is_bar and 2 or 1)
  end
  return table.concat(parts)
end

--- Look for any of several patterns, as ripgrep does: as one, a regex.
---@param patterns string[]
---@param params table
local function any_of(patterns, params)
  if #patterns < 2 then
    params.pattern = patterns[1]
    return
  end
  local parts = vim.tbl_map(function(pattern)
    -- What means something in a regex, to ripgrep and to PCRE2.
    return params.literal and pattern:gsub('[\\.+*?()|%[%]{}^$#&~-]', '\\%0') or '(?:' .. pattern .. ')'
  end, patterns)
  params.pattern, params.literal = table.concat(parts, '|'), nil
end

--- Run a line as Neovim does, its error told without the way through our code.
---@param line string
local function natively(line)
  local ran, problem = pcall(vim.cmd, line)
  if not ran then
    words.say((tostring(problem):gsub('^.-(E%d+:)', '%1'):gsub('\n.*', '')), vim.log.levels.ERROR)
  end
end

--- Read words as ripgrep does: flags among them, a pattern, then files and folders.
---@param split signal_grep.Word[]
---@return table? params
---@return string? problem
local function read(split)
  local request = { params = {}, loclist = false, patterns = {} }
  local rest, are_flags = {}, true
  local at = 0
  local function next_word()
    at = at + 1
    return split[at] and split[at].text
  end
  for word in next_word do
    if are_flags and word == '--' then
      are_flags = false
    elseif are_flags and flags.is_one(word) then
      local problem = flags.read(request, word, flags.OF_GREP, next_word)
      if problem then
        return nil, problem
      end
    else
      rest[#rest + 1] = split[at]
    end
  end
  local params = request.params
  if #request.patterns == 0 and rest[1] then
    request.patterns[1] = table.remove(rest, 1).text
  end
  any_of(request.patterns, params)
  if (params.pattern or '') == '' then
    return nil, words.text('pattern_is_missing')
  end
  local named = vim.iter(rest):map(command_line.files):flatten():map(vim.fs.abspath):map(vim.fs.normalize)
  params.path = named:totable()
  return params
end

--- Where the command searches: the working folder, as 'grepprg' does, or what is named.
---@param params table
---@param used vim.lsp.Client
---@return boolean is_inside false when that is not all in the project
local function place(params, used)
  local here = vim.uv.cwd() or ''
  if not params.path[1] then
    params.path = here ~= used.root_dir and { here } or nil
  end
  return vim.iter(params.path or { here }):all(function(path)
    return client.is_inside(used, path)
  end)
end

--- All that a search finds.
---@param params table
---@param used vim.lsp.Client
---@return signal_grep.Failure? failure
---@return table? result with all matches
local function search(params, used)
  local failure, result = asking.wait(function(on_done)
    return asking.search(params, ROWS, used, on_done)
  end)
  local last = result
  while not failure and last.cursor do
    failure, last = asking.wait(function(on_done)
      local page = { cursor = last.cursor, view = 'items', limit = ROWS }
      return asking.run('sg.page', page, used, on_done)
    end)
    vim.list_extend(result.matches, last and last.matches or {})
  end
  if result then
    result.cursor = nil
  end
  return failure, result
end

--- Run the autocommands that go with the command.
---@param event 'QuickFixCmdPre'|'QuickFixCmdPost'
---@param parsed table
local function announce(event, parsed)
  if not parsed.mods.noautocmd then
    local data = { is_served = true }
    vim.api.nvim_exec_autocmds(event, { pattern = parsed.cmd, modeline = false, data = data })
  end
end

---@param parsed table
---@param params table
---@param used vim.lsp.Client
---@return boolean is_done
local function into_list(parsed, params, used)
  local kind, is_silent = COMMANDS[parsed.cmd], parsed.mods.silent
  local list = kind.in_window and { window = vim.api.nvim_get_current_win() } or {}
  announce('QuickFixCmdPre', parsed)
  if not is_silent then
    words.whisper(words.text('searching_for', { pattern = words.pattern(params.pattern) }))
    vim.cmd.redraw()
  end
  local failure, result = search(params, used)
  if failure then
    if not parsed.mods.emsg_silent then
      words.fail(failure)
    end
    return false
  end
  local is_empty = result.mode == 'empty'
  if is_empty and not kind.adds then
    lists.fill_with_nothing(list, words.text('said', { text = words.nothing(params.pattern, result) }))
  elseif not is_empty then
    lists[kind.adds and 'add' or 'fill'](list, params.pattern, used, result)
  end
  announce('QuickFixCmdPost', parsed)
  if not parsed.bang and not is_empty then
    lists.jump_to_current(list, vim.tbl_extend('force', parsed.mods, { silent = true }))
  end
  if is_empty and not is_silent then
    words.say(words.nothing(params.pattern, result), vim.log.levels.WARN)
  elseif not is_silent then
    words.tell(result, #result.matches)
  end
  return true
end

--- The line that runs here instead of the one that was typed.
---@param line string
---@return string
function M.instead_of(line)
  typed = line
  return INSTEAD .. line
end

--- Keep in the history what was typed, not what it was made into.
---@param line string
function M.remember(line)
  if typed == line and vim.fn.histget(':', -1) == INSTEAD .. line then
    vim.fn.histdel(':', -1)
    vim.fn.histadd(':', line)
  end
  typed = nil
end

--- Run a line with one of the commands. What takes a shell or leads out of the project is left to 'grepprg',
--- as is everything while the override is not in force.
---@param line string
function M.run(line)
  local parsed = M.parse(line)
  if not parsed or not require('signal_grep.override').is_on() then
    return natively(line)
  end
  local split = command_line.split(typed_after(line, parsed))
  if not split then
    return natively(line)
  end
  local params, problem = read(split)
  if not params then
    return words.say(assert(problem), vim.log.levels.ERROR)
  end
  local used, trouble = client.start_at_working_folder()
  if not used then
    return words.say(assert(trouble), vim.log.levels.ERROR)
  elseif not place(params, used) then
    return natively(line)
  end
  if into_list(parsed, params, used) and parsed.nextcmd ~= '' then
    M.run(parsed.nextcmd)
  end
end

return M
