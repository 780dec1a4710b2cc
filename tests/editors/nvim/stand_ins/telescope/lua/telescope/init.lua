-- luacheck: globals Picker
-- Stands in for telescope.nvim: the part of its contract that the adapter uses, as its sources have it. A
-- finder is called with the prompt, and may add entries until the prompt changes. A row is chosen on
-- completion only, and stays chosen when there is none to take its place.
Picker = { name = 'telescope' }

local options, entries, replaced, prompt
local actions = { select_default = {} }

function actions.select_default.replace(_, action)
  replaced = action
end

function actions.close(buffer)
  assert(buffer == prompt)
  options.finder:close()
  vim.api.nvim_buf_delete(prompt, { force = true })
end

package.loaded['telescope.actions'] = actions
package.loaded['telescope.actions.state'] = {
  get_selected_entry = function()
    return Picker.chosen
  end,
}
package.loaded['telescope.config'] = {
  values = {
    grep_previewer = function()
      return {}
    end,
  },
}
package.loaded['telescope.pickers'] = {
  new = function(_, given)
    options = given
    return {
      find = function()
        vim.cmd.new()
        prompt = vim.api.nvim_get_current_buf()
        assert(options.attach_mappings(prompt))
        Picker.type(options.default_text)
      end,
    }
  end,
}

function Picker.type(text)
  local found = {}
  entries = found
  options.finder(text, function(entry)
    assert(vim.uv.fs_stat(entry.filename) and entry.lnum and entry.ordinal)
    table.insert(found, entry)
    return found ~= entries
  end, function()
    Picker.chosen = found == entries and found[1] or Picker.chosen
  end)
end

function Picker.lines()
  return vim.tbl_map(function(entry)
    return entry.display
  end, entries)
end

function Picker.accept(row)
  assert(row == 1, 'the row that telescope chooses')
  replaced(prompt)
end

function Picker.close()
  actions.close(prompt)
end

return {}
