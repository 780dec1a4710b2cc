;;; signal-grep.el --- Search projects with Signal Grep  -*- lexical-binding: t -*-
;; For Emacs 29 or newer, or Emacs 28 with eglot 1.9.

(require 'eglot)
(require 'xref)

(defvar my-signal-grep-servers (make-hash-table :test #'equal) "Servers, by the roots of their projects.")

(defun my-signal-grep-call (command &rest argument)
  "Answer of the project's server to COMMAND with ARGUMENT, a plist."
  (let* ((project (project-current t))
         (server (gethash (project-root project) my-signal-grep-servers)))
    (unless (and server (jsonrpc-running-p server))
      (setq server (let ((eglot-sync-connect t))
                     (with-temp-buffer ; where eglot finds no other server to end first
                       (eglot '(text-mode) project 'eglot-lsp-server
                              '("sg-server" :initializationOptions
                                (:loneCrEndsLine :json-false :invalidUtf8 "latin1"))
                              "plaintext"))))
      (puthash (project-root project) server my-signal-grep-servers))
    (when (eglot-managed-p)
      (eglot--signal-textDocument/didChange)) ; it would wait until Emacs is idle
    (jsonrpc-request server :workspace/executeCommand
                     (list :command command :arguments (vector argument)) :timeout 600)))

(cl-defstruct (my-signal-grep-place (:include xref-file-location))
  "Where a match is; its column counts the server's units.")

(cl-defmethod xref-location-marker ((place my-signal-grep-place))
  (with-current-buffer (find-file-noselect (my-signal-grep-place-file place))
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (forward-line (1- (my-signal-grep-place-line place)))
        (funcall (if (fboundp 'eglot-move-to-utf-32-linepos) ; eglot that has it asks for UTF-32 first
                     #'eglot-move-to-utf-32-linepos
                   #'eglot-move-to-lsp-abiding-column)
                 (my-signal-grep-place-column place))
        (point-marker)))))

(defun my-signal-grep-xref (match root)
  "The xref of MATCH, whose path is below ROOT."
  (let ((start (plist-get (plist-get (plist-get match :location) :range) :start)))
    (xref-make (plist-get match :text)
               (make-my-signal-grep-place :file (expand-file-name (plist-get match :path) root)
                                          :line (1+ (plist-get start :line))
                                          :column (plist-get start :character)))))

(defun my-signal-grep (pattern &optional all)
  "List where the project matches PATTERN, a regex of ripgrep.
The first 1,000 matches, or ALL with a prefix argument."
  (interactive (list (read-string "Signal Grep: " (thing-at-point 'symbol)) current-prefix-arg))
  (let* ((root (project-root (project-current t)))
         (answer (my-signal-grep-call "sg.search" :pattern pattern :mode "matches" :view "items" :limit 1000))
         (matches (plist-get answer :matches))
         (totals (plist-get answer :totals)))
    (while (and all (plist-get answer :cursor))
      (setq answer (my-signal-grep-call "sg.page" :cursor (plist-get answer :cursor) :view "items" :limit 1000)
            matches (vconcat matches (plist-get answer :matches))))
    (if (seq-empty-p matches) ; the text says what the rules kept out
        (message "%s" (plist-get (my-signal-grep-call "sg.search" :pattern pattern :view "text") :text))
      (xref-push-marker-stack)
      (funcall xref-show-xrefs-function
               (lambda () (mapcar (lambda (match) (my-signal-grep-xref match root)) matches))
               `((window . ,(selected-window))))
      (message "%d of %d matches in %d files %s" (length matches) (plist-get totals :matches)
               (plist-get totals :files) (string-join (plist-get answer :partialReasons) ", ")))))

(defun my-signal-grep-inspect ()
  "Show the source around point, with the symbol that encloses it."
  (interactive)
  (let ((answer (my-signal-grep-call "sg.inspect" :path buffer-file-name :line (line-number-at-pos nil t))))
    (with-help-window "*Signal Grep*" (princ (plist-get answer :text)))))
