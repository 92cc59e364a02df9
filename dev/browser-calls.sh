#!/usr/bin/env bash
# Installs what browser calls need beside the npm packages: mediasoup's worker and the Opus binding. Returns at once when both
# are installed. The worker is searched where the engine searches it (media/leg/mediasoup-worker.ts): MEDIASOUP_WORKER_BIN, the
# package's own folder, the cache. Otherwise mediasoup's prebuilt file is downloaded, or else the worker is built from the
# package's source with Debian's libraries: three to eight minutes on two cores, once per machine and version.
# Usage: dev/browser-calls.sh           builds where needed
#        dev/browser-calls.sh --chromium   installs a browser for the tests too
#        dev/browser-calls.sh --check   only checks whether browser calls are possible (exit status)
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH

DOWNLOAD_SECONDS=20
BUILD_PACKAGES=(g++ meson ninja-build pkg-config flatbuffers-compiler libflatbuffers-dev libsrtp2-dev libssl-dev libuv1-dev)

say() { printf '%s\n' "$*"; }
fail() { printf 'browser calls: %s\n' "$*" >&2; exit 1; }

package=node_modules/mediasoup
[[ -f $package/package.json ]] || fail "the npm packages are missing; run dev/setup.sh first"
version=$(node -p "require('./$package/package.json').version")
cached=${XDG_CACHE_HOME:-$HOME/.cache}/antiphon/mediasoup-worker-$version-$(uname -m)

# A worker started without arguments exits with this status at once; a binary for another machine does not.
works() {
  local status=0
  [[ -x $1 ]] || return 1
  env -i "$1" </dev/null >/dev/null 2>&1 || status=$?
  [[ $status -eq 41 ]]
}

have_worker() {
  local file
  for file in "${MEDIASOUP_WORKER_BIN:-}" "$package/worker/out/Release/mediasoup-worker" "$cached"; do
    [[ -z $file ]] || ! works "$file" || return 0
  done
  return 1
}

have_opus() { node -e "new (require('@discordjs/opus').OpusEncoder)(16000, 1).encode(Buffer.alloc(640))" >/dev/null 2>&1; }

if [[ ${1-} == --check ]]; then
  have_worker || fail "mediasoup's worker is not installed (make browser)"
  have_opus || fail "@discordjs/opus is not installed (make browser)"
  exit 0
fi

as_root=()
install_packages() {
  command -v apt-get >/dev/null || fail "please install: $*"
  if [[ $(id -u) -ne 0 ]]; then
    sudo -n true 2>/dev/null || fail "please install, as root: apt-get install $*"
    as_root=(sudo -n)
  fi
  say "Installing $* ..."
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o APT::Sandbox::User=root)
  "${apt[@]}" update >/dev/null || fail "apt-get update failed; please install: $*"
  "${apt[@]}" install -y --no-install-recommends "$@" >/dev/null || fail "apt-get failed; please install: $*"
}

# Downloads the file that mediasoup's own installation would, with a timeout; its name follows npm-scripts.mjs.
download() {
  local name address folder
  name=mediasoup-worker-$version-linux-$(node -p process.arch)-kernel$(uname -r | cut -d. -f1).tgz
  address=${MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL:-https://github.com/versatica/mediasoup/releases/download}/$version/$name
  folder=$(mktemp -d)
  if timeout "$DOWNLOAD_SECONDS" node -e '
      fetch(process.argv[1]).then(async (response) => {
        if (!response.ok) process.exit(1);
        require("node:fs").writeFileSync(process.argv[2], Buffer.from(await response.arrayBuffer()));
      }, () => process.exit(1))' "$address" "$folder/worker.tgz" &&
    tar -xzf "$folder/worker.tgz" -C "$folder" 2>/dev/null && works "$folder/mediasoup-worker"; then
    mkdir -p "$(dirname "$cached")"
    mv "$folder/mediasoup-worker" "$cached.$$"
    mv "$cached.$$" "$cached"
  fi
  rm -rf "$folder"
  works "$cached"
}

build() {
  local missing=() name
  for name in "${BUILD_PACKAGES[@]}"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
  say "Building mediasoup's worker $version from its source, once for this machine (three to eight minutes on two cores) ..."
  nice -n 10 dev/mediasoup-worker/build.sh "$package" "$cached"
}

if ! have_worker; then
  say "Downloading the prebuilt worker of mediasoup $version (at most $DOWNLOAD_SECONDS s) ..."
  download || build
  have_worker || fail "the worker was built but does not run"
fi

if ! have_opus; then
  missing=()
  for name in g++ make python3; do command -v "$name" >/dev/null || missing+=("$name"); done
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
  # The package's installation builds it, so the packages are installed again.
  rm -f node_modules/.installed-lock
  dev/setup.sh
  have_opus || fail "@discordjs/opus could not be built, see above"
fi
if [[ ${1-} == --chromium ]] && ! command -v chromium >/dev/null; then install_packages chromium; fi
say "Browser calls are ready."
