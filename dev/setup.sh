#!/usr/bin/env bash
# Brings what `make demo`, `make up` and `make test` need: the npm packages (Node 22 among them) and four Debian
# packages. Does nothing, quickly, when all of it is there. Runs before Node 22 exists, hence a shell script.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '%s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# npm leaves out optional packages that want a newer Node than the one it runs under, and native parts of our tools are
# such packages. So npm itself runs under Node 22, brought by npm as well.
bring_node_22() {
  # Not the one in node_modules, which is about to be replaced.
  PATH=${PATH//"$PWD/node_modules/.bin:"/}
  command -v node >/dev/null && [[ $(node -p 'process.versions.node.split(".")[0] >= 22') == true ]] && return
  local version machine folder npm_program
  version=$(sed -n 's/^ *"node": "\([0-9.]*\)",*$/\1/p' package.json)
  case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) fail "there is no Node 22 for $(uname -m) here; please install Node 22 yourself" ;;
  esac
  folder=$PWD/.cache/node-$version
  if [[ ! -x $folder/node_modules/node-linux-$machine/bin/node ]]; then
    npm install --prefix "$folder" --no-save --no-package-lock --ignore-scripts --loglevel=error "node-linux-$machine@$version" ||
      fail "Node 22 could not be fetched, see above; npm needs to reach its registry"
  fi
  export PATH=$folder/node_modules/node-linux-$machine/bin:$PATH
  # Debian's npm finds its own parts where only Debian's Node looks by itself.
  npm_program=$(readlink -f "$(command -v npm)")
  [[ $npm_program != /usr/share/nodejs/* ]] || export NODE_PATH=/usr/share/nodejs
}

# What node_modules is made from: the locked packages, and our mends of them.
wanted() { cat package-lock.json patches/*; }

# Packages that are built here need Node's headers, which node-gyp would download: npm's Node brings them, Debian's
# libnode-dev as well.
node_headers() {
  local folder
  for folder in "$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")" "$PWD"/.cache/node-*/node_modules/node-linux-* /usr; do
    [[ ! -f $folder/include/node/node_api.h ]] || { printf '%s' "$folder"; return; }
  done
}

# Debian's node-gyp links what it builds with Debian's own Node, which crashes in any other. Debian's npm always uses that one,
# so the binding is built once more by node-gyp as npm publishes it.
rebuild_opus() {
  local folder=$PWD/.cache/node-gyp-12.4.0
  local program=$folder/node_modules/node-gyp/bin/node-gyp.js
  [[ -f $program ]] ||
    npm install --prefix "$folder" --no-save --no-package-lock --ignore-scripts --loglevel=error "node-gyp@12.4.0" || return 1
  say "Building the Opus binding ..."
  (cd node_modules/@discordjs/opus &&
    npm_config_node_gyp=$program ../../.bin/node ../node-pre-gyp/bin/node-pre-gyp install --build-from-source) >/dev/null 2>&1
}

opus_works() {
  # In a shell of its own, which keeps the word of a crash to itself.
  (node_modules/.bin/node -e "new (require('@discordjs/opus').OpusEncoder)(16000, 1).encode(Buffer.alloc(640))" || exit 1) >/dev/null 2>&1
}

# A binding that crashes would take an engine with it; without one the engine runs, and has no browser calls.
check_opus() {
  [[ -d node_modules/@discordjs/opus ]] || return 0
  if opus_works || { rebuild_opus && opus_works; }; then return; fi
  rm -rf node_modules/@discordjs/opus/prebuild
  say "Opus could not be built on this machine: no browser calls, everything else works."
}

install_packages() {
  local stamp=node_modules/.installed-lock total have job
  wanted | cmp -s - "$stamp" && [[ -x node_modules/.bin/node ]] && return
  command -v npm >/dev/null || fail "npm is missing; on Debian: apt-get install nodejs npm"
  total=$(grep -c '^    "node_modules/' package-lock.json)
  say "Installing the npm packages, Node 22 among them (about a minute the first time) ..."
  bring_node_22
  local headers
  headers=$(node_headers)
  [[ -z $headers ]] || export npm_config_nodedir=$headers
  # The packages' own progress bar needs a terminal; counting folders works everywhere.
  # The worker for browser calls is brought when it is wanted; any value makes its package leave it out.
  MEDIASOUP_WORKER_BIN=later npm ci --loglevel=error --no-progress &
  job=$!
  # The number itself: the trap may run when this function's names are gone.
  trap "kill $job 2>/dev/null || true" EXIT
  while sleep 3 && kill -0 "$job" 2>/dev/null; do
    have=$(find node_modules -mindepth 2 -maxdepth 3 -name package.json 2>/dev/null | wc -l)
    echo "  $have packages unpacked (of about $total listed; those for other machines are left out)"
  done
  wait "$job" || fail "npm ci failed, see above; it needs to reach the npm registry"
  trap - EXIT
  check_opus
  unset NODE_PATH
  node_modules/.bin/node --version >/dev/null || fail "Node 22 did not arrive in node_modules; run again with: rm -rf node_modules"
  wanted >"$stamp"
}

have_program() { PATH=$PATH:/usr/sbin:/usr/local/sbin command -v "$1" >/dev/null; }

install_programs() {
  local missing=()
  have_program nats-server || missing+=(nats-server)
  have_program pocketsphinx_continuous || missing+=(pocketsphinx)
  [[ -d ${POCKETSPHINX_MODELS:-/usr/share/pocketsphinx/model}/en-us ]] || missing+=(pocketsphinx-en-us)
  have_program espeak-ng || missing+=(espeak-ng)
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local sentence="please install ${missing[*]}, on Debian with: apt-get install ${missing[*]}"
  command -v apt-get >/dev/null || fail "$sentence"
  local as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    sudo -n true 2>/dev/null || fail "$sentence (as root)"
    as_root=(sudo -n)
  fi
  say "Installing ${missing[*]} with apt-get ..."
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o APT::Sandbox::User=root)
  "${apt[@]}" update || fail "apt-get update failed; $sentence"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" || fail "apt-get failed; $sentence"
}

install_packages
install_programs
