#!/usr/bin/env bash
# Pins the images of the Dockerfiles and of compose.yaml to the digests that their tags have at their registry now. Needs docker with
# buildx and the network; run it again to move to what the tags have later, and commit the result.
set -euo pipefail
cd "$(dirname "$0")/.."

files=(Dockerfile.control Dockerfile.media compose.yaml)
images=$(sed -nE 's/^(FROM|    image:) ([a-z][a-z0-9./-]*:[A-Za-z0-9._-]+)(@sha256:[0-9a-f]{64})?( .*)?$/\2/p' "${files[@]}" | sort -u)
for image in $images; do
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { printf 'pin-images: no digest for %s\n' "$image" >&2; exit 1; }
  sed -i -E "s#^(FROM|    image:) ${image}(@sha256:[0-9a-f]{64})?#\1 ${image}@${digest}#" "${files[@]}"
  printf '%s@%s\n' "$image" "$digest"
done
