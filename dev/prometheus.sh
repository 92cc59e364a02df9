#!/usr/bin/env bash
# Prints the path of a Prometheus: the one that is installed, or that of Debian's package, unpacked into .cache. It is not installed,
# because the package would start it as a service.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/.cache/prometheus
program=$folder/usr/bin/prometheus
if command -v prometheus; then exit; fi
if [[ ! -x $program ]]; then
  mkdir -p "$folder"
  (cd "$folder" && apt-get download prometheus >/dev/null 2>&1) || {
    echo 'prometheus: not installed, and apt-get download prometheus failed' >&2
    exit 1
  }
  dpkg-deb --extract "$folder"/prometheus_*.deb "$folder"
  rm -f "$folder"/prometheus_*.deb
fi
printf '%s\n' "$program"
