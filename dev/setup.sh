#!/usr/bin/env bash
# Installs what `make demo`, `make up` and `make test` need: the npm packages, including Node 22, and four Debian packages.
# Returns at once when all are installed. It runs before Node 22 is installed, hence a shell script. With `--pgbouncer` it installs
# that as well, which only a test of it needs.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '%s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# npm skips optional packages that need a newer Node than its own, among them native parts of the tools used here. So npm
# itself runs under Node 22, which npm installs first.
use_node_22() {
  # Not the one in node_modules, which is about to be replaced.
  PATH=${PATH//"$PWD/node_modules/.bin:"/}
  command -v node >/dev/null && [[ $(node -p 'process.versions.node.split(".")[0] >= 22') == true ]] && return
  local version machine folder npm_program
  version=$(sed -n 's/^ *"node": "\([0-9.]*\)",*$/\1/p' package.json)
  case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) fail "there is no Node 22 package for $(uname -m); please install Node 22" ;;
  esac
  folder=$PWD/.cache/node-$version
  if [[ ! -x $folder/node_modules/node-linux-$machine/bin/node ]]; then
    npm install --prefix "$folder" --no-save --no-package-lock --ignore-scripts --loglevel=error "node-linux-$machine@$version" ||
      fail "Node 22 could not be installed, see above; npm needs to reach its registry"
  fi
  export PATH=$folder/node_modules/node-linux-$machine/bin:$PATH
  # Debian's npm has its modules in a folder that only Debian's Node searches by default.
  npm_program=$(readlink -f "$(command -v npm)")
  [[ $npm_program != /usr/share/nodejs/* ]] || export NODE_PATH=/usr/share/nodejs
}

# The inputs of node_modules: the locked packages and their patches.
wanted() { cat package-lock.json patches/*; }

# Native packages need Node's headers, which node-gyp would download; npm's Node and Debian's libnode-dev contain them.
node_headers() {
  local folder
  for folder in "$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")" "$PWD"/.cache/node-*/node_modules/node-linux-* /usr; do
    [[ ! -f $folder/include/node/node_api.h ]] || { printf '%s' "$folder"; return; }
  done
}

# Debian's npm always uses Debian's node-gyp, which links against Debian's Node; the result crashes in any other Node. So the
# binding is built again by the node-gyp of npm.
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
  # In a subshell, so that a crash prints nothing.
  (node_modules/.bin/node -e "new (require('@discordjs/opus').OpusEncoder)(16000, 1).encode(Buffer.alloc(640))" || exit 1) >/dev/null 2>&1
}

# A binding that crashes would crash the engine; without a binding the engine runs without browser calls.
check_opus() {
  [[ -d node_modules/@discordjs/opus ]] || return 0
  if opus_works || { rebuild_opus && opus_works; }; then return; fi
  rm -rf node_modules/@discordjs/opus/prebuild
  say "Opus could not be built on this machine: browser calls are not available."
}

install_packages() {
  local stamp=node_modules/.installed-lock total have job last=-1 started=$SECONDS told=$SECONDS
  wanted | cmp -s - "$stamp" && [[ -x node_modules/.bin/node ]] && return
  command -v npm >/dev/null || fail "npm is missing; on Debian: apt-get install nodejs npm"
  total=$(grep -c '^    "node_modules/' package-lock.json)
  say "Installing the npm packages, Node 22 among them (about a minute the first time) ..."
  use_node_22
  local headers
  headers=$(node_headers)
  [[ -z $headers ]] || export npm_config_nodedir=$headers
  # npm's progress bar needs a terminal; counting folders works everywhere.
  # The worker for browser calls is installed by dev/browser-calls.sh; any value makes its package skip it.
  # The inference library's package contains what a CPU needs; its installation would download what a GPU does.
  ONNXRUNTIME_NODE_INSTALL=skip MEDIASOUP_WORKER_BIN=later npm ci --loglevel=error --no-progress &
  job=$!
  # Expanded now, because the trap may run outside of this function's scope.
  trap "kill $job 2>/dev/null || true" EXIT
  while sleep 3 && kill -0 "$job" 2>/dev/null; do
    # npm removes folders of an older installation while they are counted.
    have=$(find node_modules -mindepth 2 -maxdepth 3 -name package.json 2>/dev/null | wc -l || true)
    if [[ $have != "$last" ]]; then
      echo "  $have packages unpacked (of about $total listed; those for other platforms are skipped)"
      last=$have told=$SECONDS
    elif ((SECONDS - told >= 15)); then
      echo "  building what is compiled on this machine, $((SECONDS - started)) s so far"
      told=$SECONDS
    fi
  done
  wait "$job" || fail "npm ci failed, see above; it needs to reach the npm registry"
  trap - EXIT
  check_opus
  unset NODE_PATH
  node_modules/.bin/node --version >/dev/null || fail "Node 22 is missing in node_modules; run again with: rm -rf node_modules"
  node_modules/.bin/node --disable-warning=ExperimentalWarning dev/bundle-packages.ts ||
    say "The packages could not be bundled, see above: the programs take longer to start."
  wanted >"$stamp"
}

have_program() { PATH=$PATH:/usr/sbin:/usr/local/sbin command -v "$1" >/dev/null; }

install_programs() {
  local missing=()
  have_program nats-server || missing+=(nats-server)
  have_program pocketsphinx_continuous || missing+=(pocketsphinx)
  [[ -d ${POCKETSPHINX_MODELS:-/usr/share/pocketsphinx/model}/en-us ]] || missing+=(pocketsphinx-en-us)
  have_program espeak-ng || missing+=(espeak-ng)
  [[ ${1:-} != --pgbouncer ]] || have_program pgbouncer || missing+=(pgbouncer)
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
install_programs "$@"
