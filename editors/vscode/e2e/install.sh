#!/usr/bin/env bash
# Installs a real VS Code (code-server, as built for Node.js 20) and playwright-core, which drives it in Chromium.
#   e2e/install.sh [TARGET]      TARGET defaults to ~/.cache/signal-grep/vscode-e2e
# Needs apt, npm and Node.js 20 with its headers. A second run takes no time; FORCE=1 installs again.
set -euo pipefail

CODE_SERVER=4.100.3 # carries VS Code 1.100.3
PLAYWRIGHT=1.65.1
TARGET=${1:-${SG_VSCODE_E2E:-$HOME/.cache/signal-grep/vscode-e2e}}
STAMP="$TARGET/installed-$CODE_SERVER-$PLAYWRIGHT"
ENTRY="$TARGET/node_modules/code-server/out/node/entry.js"
CODE="$TARGET/node_modules/code-server/lib/vscode"
LOG="$TARGET/install.log"

say() { echo "[vscode-e2e] $*" >&2; }
die() { say "$*"; exit 1; }

quiet() {
  "$@" >> "$LOG" 2>&1 || { tail -40 "$LOG" >&2; die "failed: $*; see $LOG"; }
}

apt_missing() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${Status}' "$package" 2> /dev/null)" = 'install ok installed' ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "apt: ${missing[*]}"
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq >&2
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

apt_missing chromium fonts-dejavu-core g++ make python3 ripgrep

[ -e "$STAMP" ] && [ -z "${FORCE:-}" ] && exit 0

case "$(node --version 2> /dev/null || true)" in
  v20.*) ;;
  *) die "Node.js 20 is needed; found: $(node --version 2>&1 || true)" ;;
esac
PREFIX=$(node -p 'path.dirname(path.dirname(process.execPath))')
[ -e "$PREFIX/include/node/node_api.h" ] || die "Node.js has no headers under $PREFIX/include/node"
GYP=$(npm root --global)/npm/node_modules/node-gyp/bin/node-gyp.js
[ -e "$GYP" ] || die "npm has no node-gyp at $GYP"

mkdir -p "$TARGET"
cd "$TARGET"
rm -f installed-* package-lock.json
: > "$LOG"

say "npm: code-server $CODE_SERVER and playwright-core $PLAYWRIGHT into $TARGET"
NPM=(npm install --ignore-scripts --no-audit --no-fund --loglevel=error)
echo '{"name": "vscode-e2e", "private": true}' > package.json
quiet "${NPM[@]}" --save-exact "code-server@$CODE_SERVER" "playwright-core@$PLAYWRIGHT"
(cd "$CODE" && quiet "${NPM[@]}" --omit=dev)

# The install scripts download from elsewhere, so they are not run. What they leave and is needed: argon2, without
# which code-server does not start; spdlog, which writes the log files; ripgrep, which quick open finds files with.
gyp() {
  local module=$1
  shift
  say "native: $(basename "$module")"
  (cd "$module" && quiet node "$GYP" rebuild --nodedir="$PREFIX" "$@")
}
ARGON2="$TARGET/node_modules/argon2"
gyp "$ARGON2" --module_name=argon2 --module_path=lib/binding/napi-v3 --napi_build_version=3
mkdir -p "$ARGON2/lib/binding/napi-v3"
cp "$ARGON2/build/Release/argon2.node" "$ARGON2/lib/binding/napi-v3/"
gyp "$CODE/node_modules/@vscode/spdlog"
mkdir -p "$CODE/node_modules/@vscode/ripgrep/bin"
ln -sfn "$(command -v rg)" "$CODE/node_modules/@vscode/ripgrep/bin/rg"
ln -sfn node_modules "$CODE/node_modules.asar"

quiet node "$ENTRY" --config "$TARGET/config.yaml" --version
quiet node -e 'require("playwright-core")'
touch "$STAMP"
