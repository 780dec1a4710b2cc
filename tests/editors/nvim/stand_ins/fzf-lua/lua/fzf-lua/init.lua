-- luacheck: globals Picker
-- Stands in for fzf-lua: the part of its contract that the adapter uses, as its sources have it. The contents
-- of a query are written line by line, until nil; what fzf selects are whole lines, of which it shows some
-- fields.
Picker = { name = 'fzf-lua' }

local contents, options, lines

function Picker.type(text)
  local found = {}
  lines = found
  contents({ text })(function(line)
    if line then
      assert(not found.is_closed, 'written after the end')
      table.insert(found, line)
    else
      found.is_closed = true
    end
  end)
end

function Picker.lines()
  assert(options.fzf_opts['--delimiter'] == '\t' and options.fzf_opts['--with-nth'] == '2..')
  return vim.tbl_map(function(line)
    return line:match('^[^\t]*\t(.*)$')
  end, vim.list_slice(lines))
end

function Picker.close()
  vim.cmd.close()
  options.winopts.on_close()
end

function Picker.accept(row)
  local line = lines[row]
  Picker.close()
  options.actions.default({ line })
end

return {
  fzf_live = function(given, with)
    contents, options = given, with
    vim.cmd.new()
    Picker.type(options.query)
  end,
}
