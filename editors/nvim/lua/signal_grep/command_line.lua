--- The words of a command line, as Neovim and then a shell make them out of what is typed after `:grep`.
local M = {}

--- What only a shell can do: run commands, redirect.
local FOR_A_SHELL = '^[`|;&<>()\n]'
--- What Neovim puts a name in the place of, also within quotes. The argument list is several, and not put in.
local NAMES = { '^%%', '^#<?%d*', '^<cword>', '^<cWORD>', '^<cfile>' }
local NAME_PARTS = '^:[p8~.htreS]'
local WILDCARDS = '[*?[]'
--- A backslash is part of a path there.
local HAS_ESCAPES = vim.fn.has('win32') == 0

---@class signal_grep.Word
---@field text string
---@field is_pattern boolean it has wildcards that are not quoted: for a shell names of files

--- The name that stands at `at`, such as `%:h`, with what it means.
---@param text string
---@param at integer
---@return string? name nil when none stands there
---@return string? meaning empty when there is nothing of that name
local function name_at(text, at)
  for _, form in ipairs(NAMES) do
    local name = text:match(form, at)
    if name then
      local parts = ''
      while text:find(NAME_PARTS, at + #name + #parts) do
        parts = parts .. text:sub(at + #name + #parts, at + #name + #parts + 1)
      end
      return name .. parts, text:find('^##', at) and '' or vim.fn.expand(name .. parts)
    end
  end
end

--- The variable of the environment at `at`, as `$HOME` and `${HOME}` are.
---@return string? written
---@return string value
local function variable_at(text, at)
  local written, name = text:match('^(%$([%a_][%w_]*))', at)
  if not written then
    written, name = text:match('^(%${([%a_][%w_]*)})', at)
  end
  return written, name and vim.env[name] or ''
end

---@class signal_grep.Splitter
---@field text string
---@field at integer of the next byte
---@field word signal_grep.Word? the one that has begun
---@field quote string? that is open
---@field words signal_grep.Word[]
local Splitter = {}
Splitter.__index = Splitter

---@param text string
function Splitter:add(text)
  self.word = self.word or { text = '', is_pattern = false }
  self.word.text = self.word.text .. text
end

function Splitter:finish_word()
  self.words[#self.words + 1] = self.word
  self.word = nil
end

--- Take what stands next where no quote hides it from a shell.
---@param char string
---@return boolean is_taken
function Splitter:take_bare(char)
  if char:find('%s') then
    self:finish_word()
  elseif char == '\\' and HAS_ESCAPES then
    self.at = self.at + 1
    self:add(self.text:sub(self.at, self.at))
  elseif char == '~' and not self.word then
    self:add(vim.uv.os_homedir())
  elseif self.text:find(FOR_A_SHELL, self.at) or self.text:find('^%$%(', self.at) then
    return false
  else
    self:add(char)
    self.word.is_pattern = self.word.is_pattern or char:find(WILDCARDS) ~= nil
  end
  return true
end

--- Take what stands next, and go on after it.
---@return boolean is_taken false when that takes more than this
function Splitter:take()
  local text, at, quote = self.text, self.at, self.quote
  local char = text:sub(at, at)
  local name, meaning = name_at(text, at)
  local variable, value = variable_at(text, at)
  if name then
    self:add(meaning or '')
    self.at = at + #name
    return meaning ~= ''
  elseif text:find('^\\[%%#]', at) then
    self:add(text:sub(at + 1, at + 1))
    self.at = at + 1
  elseif variable and quote ~= "'" then
    self:add(value)
    self.at = at + #variable - 1
  elseif char == quote then
    self.quote = nil
  elseif not quote and (char == "'" or char == '"') then
    self.quote = char
    self:add('')
  elseif quote == '"' and text:find('^\\["\\$`]', at) then
    self:add(text:sub(at + 1, at + 1))
    self.at = at + 1
  elseif quote == '"' and (char == '`' or text:find('^%$%(', at)) then
    return false
  elseif quote then
    self:add(char)
  elseif not self:take_bare(char) then
    return false
  end
  self.at = self.at + 1
  return true
end

--- Split a text into words: with quotes, backslashes, variables and `~` as in a POSIX shell, and with
--- Neovim's own `%`, `#` and `<cword>`.
---@param text string
---@return signal_grep.Word[]? words nil when that takes a shell, or a name that means nothing
function M.split(text)
  ---@type signal_grep.Splitter
  local splitter = setmetatable({ text = text, at = 1, words = {} }, Splitter)
  while splitter.at <= #text do
    if not splitter:take() then
      return nil
    end
  end
  splitter:finish_word()
  return not splitter.quote and splitter.words or nil
end

--- The files that a word names: those that match its wildcards, if there are any.
---@param word signal_grep.Word
---@return string[]
function M.files(word)
  local files = word.is_pattern and vim.fn.glob(word.text, true, true) or {}
  return files[1] and files or { word.text }
end

return M
