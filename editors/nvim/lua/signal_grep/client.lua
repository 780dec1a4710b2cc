--- The server of a project: found or started when it is needed, asked, and never waited for.
local M = {}

local words = require('signal_grep.words')

M.NAME = 'signal_grep'

---@class signal_grep.Failure
---@field code integer
---@field message string
---@field data? {code: string, hint: string?, localized: {message: string, hint: string?}?}

---@alias signal_grep.Done fun(failure: signal_grep.Failure?, result: any, client: vim.lsp.Client?)

local REQUEST_CANCELLED = -32800

---@param message string
---@param hint string
---@return signal_grep.Failure
local function failure_here(message, hint)
  return { code = -1, message = message, data = { hint = hint } }
end

local function stopped()
  return failure_here(words.text('server_stopped'), words.text('server_stopped_hint'))
end

---@param failure signal_grep.Failure
function M.is_cancelled(failure)
  return failure.code == REQUEST_CANCELLED
end

---@param client vim.lsp.Client
---@param name string of a file or folder
function M.is_inside(client, name)
  name = vim.uv.fs_realpath(name) or name
  return vim.iter(client.workspace_folders or {}):any(function(folder)
    local path = vim.uri_to_fname(folder.uri)
    return vim.fs.relpath(vim.uv.fs_realpath(path) or path, name) ~= nil
  end)
end

--- Where a search from the current buffer looks: its project, or that of the working folder if that is there.
---@return string?
local function root(config)
  local chosen = config.root_dir
  if type(chosen) == 'function' then
    local choose = chosen
    chosen = nil
    choose(vim.api.nvim_get_current_buf(), function(folder)
      chosen = folder
    end)
  end
  local name = vim.api.nvim_buf_get_name(0)
  local is_file = vim.bo.buftype == '' and name ~= ''
  local start = is_file and name or vim.uv.cwd()
  return chosen or start and vim.fs.root(start, config.root_markers or {}) or vim.uv.cwd()
end

---@param config vim.lsp.Config
---@param folder string?
---@return vim.lsp.Client?
---@return string? problem
local function start_in(config, folder)
  if type(config.cmd) == 'table' and vim.fn.executable(config.cmd[1]) == 0 then
    return nil, words.text('cannot_be_run', { program = config.cmd[1] })
  elseif not folder then
    return nil, words.text('folder_is_gone')
  end
  config = vim.tbl_extend('force', config, { root_dir = folder })
  local id = vim.lsp.start(config, { attach = false, silent = true })
  if not id then
    return nil, words.text('server_does_not_start')
  end
  return vim.lsp.get_client_by_id(id)
end

--- The current buffer's server; else that of its project, which is started if there is none yet.
---@return vim.lsp.Client?
---@return string? problem
function M.start()
  local attached = vim.lsp.get_clients({ name = M.NAME, bufnr = 0 })[1]
  if attached then
    return attached
  end
  local config = vim.lsp.config[M.NAME]
  return start_in(config, root(config))
end

--- A server that has the working folder in its project, which is started if there is none yet.
---@return vim.lsp.Client?
---@return string? problem
function M.start_at_working_folder()
  local config, folder = vim.lsp.config[M.NAME], vim.uv.cwd()
  if not folder then
    return nil, words.text('folder_is_gone')
  end
  local clients =
    vim.list_extend(vim.lsp.get_clients({ name = M.NAME, bufnr = 0 }), vim.lsp.get_clients({ name = M.NAME }))
  local running = vim.iter(clients):find(function(client)
    return M.is_inside(client, folder)
  end)
  if running then
    return running
  end
  local chosen = root(config)
  local is_chosen = chosen and vim.fs.relpath(chosen, folder) ~= nil
  return start_in(config, is_chosen and chosen or vim.fs.root(folder, config.root_markers or {}) or folder)
end

--- Let the server see unsaved text that it has not been told of: of buffers without a file type, and of those
--- that were there before it.
---@param client vim.lsp.Client
local function attach_modified(client)
  for _, buffer in ipairs(vim.fn.getbufinfo({ bufloaded = 1, bufmodified = 1 })) do
    local is_new = not client.attached_buffers[buffer.bufnr]
    if
      is_new
      and buffer.name ~= ''
      and vim.bo[buffer.bufnr].buftype == ''
      and M.is_inside(client, buffer.name)
    then
      vim.lsp.buf_attach_client(buffer.bufnr, client.id)
    end
  end
end

--- Run one of the server's commands. `on_done` is called exactly once: Neovim by itself forgets those whose
--- request was cancelled or whose server has ended.
---@param command string
---@param argument table
---@param on_done signal_grep.Done
---@param options? {client: vim.lsp.Client?, token: string?}
---@return fun() cancel
function M.execute(command, argument, on_done, options)
  options = options or {}
  local watch, request_id
  local is_open = true

  local function finish(failure, result, client)
    if is_open then
      is_open = false
      if watch then
        vim.api.nvim_del_autocmd(watch)
      end
      on_done(failure, result, client)
    end
  end

  local client, problem = options.client, nil
  if not client then
    client, problem = M.start()
  end
  if not client then
    finish(failure_here(assert(problem), words.text('server_missing_hint')))
    return function() end
  end

  local function send()
    attach_modified(client)
    -- Without a buffer number Neovim first sends the changes that it holds back, of every buffer.
    local is_sent, id = client:request('workspace/executeCommand', {
      command = command,
      arguments = { next(argument) and argument or vim.empty_dict() },
      workDoneToken = options.token,
    }, function(failure, result)
      finish(failure, result, client)
    end)
    request_id = id
    if not is_sent then
      finish(stopped())
    end
  end

  watch = vim.api.nvim_create_autocmd('User', {
    pattern = { 'SignalGrepReady', 'SignalGrepExit' },
    callback = function(event)
      if event.data.client_id == client.id then
        if event.match == 'SignalGrepExit' then
          finish(stopped())
        elseif not request_id then
          send()
        end
      end
    end,
  })
  if client.initialized then
    send()
  end

  return function()
    if is_open then
      if request_id then
        client:cancel_request(request_id)
      end
      finish({ code = REQUEST_CANCELLED, message = words.text('cancelled') })
    end
  end
end

return M
