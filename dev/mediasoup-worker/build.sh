#!/usr/bin/env bash
# Builds the mediasoup worker from the source that its npm package carries, against Debian 12's own
# libraries, for machines that cannot download mediasoup's prebuilt worker.
# Usage: build.sh PACKAGE_DIR OUTPUT_FILE     (PACKAGE_DIR: node_modules/mediasoup, left untouched)
# Needs: g++ meson ninja-build pkg-config flatbuffers-compiler libflatbuffers-dev libsrtp2-dev
#        libssl-dev libuv1-dev
set -euo pipefail
package=$(realpath "$1") output=$(realpath -m "$2") here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$package/worker" "$work/worker"
cd "$work/worker"

# Each third-party subproject becomes a wrapper of the system library.
subproject() { # NAME  meson.build  [meson_options.txt]
  local dir
  dir=subprojects/$(sed -n 's/^directory *= *//p' "subprojects/$1.wrap")
  mkdir -p "$dir"
  printf '%s\n' "$2" >"$dir/meson.build"
  [[ -z ${3-} ]] || printf '%s\n' "$3" >"$dir/meson_options.txt"
}
empty() { echo "$1 = static_library('$1_none', [])"; }
subproject openssl "project('openssl', 'c')
openssl_dep = dependency('openssl')
$(empty libcrypto_lib)
$(empty libssl_lib)"
subproject libuv "project('libuv', 'c')
libuv_dep = dependency('libuv')
$(empty libuv)" "option('build_tests', type: 'boolean', value: false)
option('build_benchmarks', type: 'boolean', value: false)"
subproject libsrtp3 "project('libsrtp3', 'c')
libsrtp3_dep = declare_dependency(dependencies: dependency('libsrtp2'), compile_args: ['-I$here/shims'])
$(empty libsrtp3)" "option('crypto-library', type: 'string', value: 'openssl')
option('crypto-library-kdf', type: 'string', value: 'disabled')
option('tests', type: 'string', value: 'disabled')"
subproject flatbuffers "project('flatbuffers', 'cpp')
flatbuffers_dep = dependency('flatbuffers')
$(empty flatbuffers_lib)"
subproject unordered-dense "project('unordered_dense', 'cpp')
ankerl_unordered_dense_dep = declare_dependency(compile_args: ['-I$here/shims'])"

# Debian 12 has Meson 1.0.1, which works as well as the required 1.1.
sed -i "s/meson_version: '>= 1.1.0'/meson_version: '>= 1.0.0'/" meson.build
# The BIO callback returns 1 for control calls, so an OpenSSL built with kernel TLS (Debian's is)
# takes it for "kernel TLS is on", allocates no write buffer and crashes on the first ClientHello
# that comes in two datagrams (every current Chromium's does). Return the BIO's own result.
sed -i 's/(operationType == BIO_CB_RETURN)/((operationType \& BIO_CB_RETURN) != 0)/' src/RTC/DtlsTransport.cpp

meson setup "$work/build" . --buildtype=release --wrap-mode=nodownload -Dms_use_builtin_bwe=true
# One line per step: "[128/261] c++ ...".
TERM=dumb ninja -C "$work/build" mediasoup-worker
# Installed atomically: an interrupted build leaves no partial file, and two builds do not conflict.
install -D "$work/build/mediasoup-worker" "$output.$$"
strip "$output.$$"
mv "$output.$$" "$output"
