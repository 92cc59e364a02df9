# `make help` lists the targets. Everything runs under the Node 22 that npm installs.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# The package contains the CPU library; its installer would download one for GPUs.
export ONNXRUNTIME_NODE_INSTALL := skip
# The inference library reports telemetry by default.
export ORT_DISABLE_TELEMETRY := 1
# The second start of the programs takes from .cache what Node compiled, and the sources without types, which it would strip anew.
FROM_CACHE := NODE_COMPILE_CACHE="$(CURDIR)/.cache/compiled" NODE_OPTIONS="$$NODE_OPTIONS --import=\"$(CURDIR)/dev/fast-start.mjs\""
.DEFAULT_GOAL := help
.PHONY: help docs operator dashboards micro charts churn demo voice-test judge up test console browser scenarios conformance bench lists size capacity peers talkover pauses failures soak faults fuzz models sbom images audit crash restore outage outages locked slots rotation replay upgrade browserload netem mutants check ready

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

demo: ready ## A simulated inbound call: watch the call, then its transcript and latencies
	@$(FROM_CACHE) node dev/demo.ts

voice-test: ready ## An agent test aloud: a synthesized caller interrupts the demo's agent; transcript, verdicts, latency
	@node bench/voice-test.ts

judge: ready ## How often the judge of agent tests agrees with itself: AGENT_TEST_MODEL=provider/model with its key, TIMES=5
	@node bench/judge-agreement.ts --times $(or $(TIMES),5)

up: console ## Start the whole service on this machine; Ctrl-C stops it (API_PORT, MEDIA_PORT, ANTIPHON_HOME; SIMULATED=1: with a simulated carrier)
	@$(FROM_CACHE) node dev/up.ts

operator: ready ## The operator's command line on the service of `make up`; ./operator is the same without make's own messages (ARGS='--help')
	@./operator $(ARGS)

test: ready ## Run every test that needs no browser, over real PostgreSQL, NATS and sockets
	@vitest run --project='!browser'

console: ready ## Build the web page and embed.js, which control serves
	@node dev/build-console.ts

browser: SCREENSHOTS ?= $(CURDIR)/.antiphon/screenshots
browser: console ## The tests in headless Chromium: every page, then calls through the real page, in real time (BROWSER_TESTS; SCREENSHOTS=folder, or empty for none)
	@dev/browser-calls.sh --chromium
	@$(if $(BROWSER_TESTS),BROWSER_TALK=1 )SCREENSHOTS=$(SCREENSHOTS) vitest run --project=browser $(BROWSER_TESTS)
	@$(if $(BROWSER_TESTS),,BROWSER_TALK=1 SCREENSHOTS=$(SCREENSHOTS) vitest run test/browser/call.test.ts test/browser/first-minutes.test.ts)

faults: ready ## Every part of a call fails in every way in every phase: what becomes of the call (a table; 3 minutes)
	@ALL=1 vitest run test/faults --reporter=dot

fuzz: ready ## Hostile requests to every endpoint and messages to every socket: a million of each kind (hours; COUNT, SEED, GROUP=agents, FUZZ=test/fuzz/bus.test.ts)
	@ALL=1 vitest run $(or $(FUZZ),test/fuzz) --reporter=dot

scenarios: ready ## Play every conversation of test/scenarios on the virtual clock, and hundreds of random ones
	@ALL=1 vitest run test/scenarios --reporter=dot --reporter=./test/support/count-reporter.ts

conformance: ready ## Conformance suites of every transcriber, synthesizer and language model adapter
	@vitest run test/conformance --reporter=dot --reporter=./test/support/count-reporter.ts

bench: ready ## Measure the latency the engine adds and the overhead of every adapter; the numbers go to bench/results/
	@node bench/latency.ts
	@node bench/speech-to-speech.ts
	@node bench/adapters.ts
	@node bench/api.ts
	@node bench/queue.ts
	@node bench/placements.ts
	@node bench/deliveries.ts
	@node bench/retrieval.ts
	@node --disable-warning=ExperimentalWarning bench/micro.ts
	@node --disable-warning=ExperimentalWarning bench/charts.ts

micro: ready ## CPU cost of each part that every 20 ms of a call passes
	@node --disable-warning=ExperimentalWarning bench/micro.ts

charts: ready ## Draw bench/results/*.json as SVG and fill the tables of bench/README.md
	@node --disable-warning=ExperimentalWarning bench/charts.ts

churn: ready ## 50 concurrent calls that come and go for 20 minutes: does anything grow? (SECONDS, CALLS)
	@node --disable-warning=ExperimentalWarning test/soak/churn.ts

lists: ready ## Every list and figure of a workspace with a million calls, beside its limit; the first run fills a database, which is kept (CALLS, TIMES)
	@node bench/lists.ts $(or $(CALLS),1000000) $(or $(TIMES),40)

size: ready ## 1,000 workspaces, 10 M finished calls, up to 10,000 live ones: what saturates first; the first run fills a database, which is kept (FILL=1: only that; CALLS, LARGE, LIVE, WORKSPACES, SECONDS, SIZE_HOME)
	@node --disable-warning=ExperimentalWarning bench/size.ts $(if $(FILL),--fill)

capacity: ready ## Calls that one media process sustains on one core (7 minutes; CALLS=1,50; NOISE=1; TLS=1; CAPTURE=1; BROWSER=1; PROCESSES=2)
	@node --disable-warning=ExperimentalWarning bench/capacity.ts

dashboards: ready ## A real Prometheus reads both programs during 50 calls, answers every panel of the dashboards and evaluates every alert (2 minutes; CALLS; with 50 or more it draws docs/images/dashboard-*.svg)
	@prometheus="$$(dev/prometheus.sh)" && PROMETHEUS="$$prometheus" node --disable-warning=ExperimentalWarning bench/dashboard-panels.ts

peers: ready ## Our engine and LiveKit Agents for Node.js with the same simulated providers; installs the latter on its first run (10 minutes; CALLS=1,10, TURNS)
	@node --disable-warning=ExperimentalWarning bench/peers.ts

talkover: ready ## Recorded interruptions, backchannels and coughs over the agent's speech, in real time (4 minutes)
	@node bench/interruptions.ts

pauses: ready ## Recorded sentences with pauses, also over a network that stalls: turns cut, delay after the end (5 minutes)
	@node --disable-warning=ExperimentalWarning bench/pauses.ts

failures: ready ## The audible effect of provider failures, in real time (4 minutes)
	@node bench/provider-failures.ts

soak: ready ## 200 sequential calls in one media process: does anything grow? (10 minutes; CALLS)
	@node test/soak/sequential-calls.ts

crash: ready ## kill -9 of every program during 50 calls, renewals, top-ups and purchases of numbers, then a check of all invariants (ROUNDS, SEED)
	@node --disable-warning=ExperimentalWarning test/soak/crash.ts

restore: ready ## Everything is killed during calls and payments, and PostgreSQL restored from base backup and WAL to a second before; then all invariants and the audit of money (3 minutes; CALLS, SEED, ARCHIVE_SECONDS; STREAM=lost: NATS loses its disk too)
	@node --disable-warning=ExperimentalWarning test/soak/restore.ts

outage: ready ## PostgreSQL, NATS and the carrier's API away for a minute each, then all at once, with kills, over 200 live and 2,000 queued calls (15 minutes a round; ROUNDS, SEED, CALLS, QUEUED, REAL, FAILURE_SECONDS)
	@node --disable-warning=ExperimentalWarning test/soak/outage.ts

outages: ready ## `make outage` with 20 seeds (5 hours)
	@ROUNDS=20 node --disable-warning=ExperimentalWarning test/soak/outage.ts

locked: ready ## How long calls wait for their dial while another workspace's row is locked (4 minutes; SECONDS=600 for ten minutes of the lock, EVERY_MS)
	@node --disable-warning=ExperimentalWarning test/soak/locked-workspace.ts

slots: ready ## 20 clients place 10,000 calls through two control processes for 5 call slots (8 minutes; CALLS)
	@node --disable-warning=ExperimentalWarning test/soak/slots.ts

rotation: ready ## Every key, secret and certificate is replaced during 50 calls: does one notice? (3 minutes; CALLS, STEP_SECONDS)
	@node --disable-warning=ExperimentalWarning test/soak/rotation.ts

upgrade: ready ## The previous release on this one's schema, and the other way round, with the core of its tests (3 minutes; PREVIOUS=commit)
	@node --disable-warning=ExperimentalWarning test/upgrade/upgrade.ts

browserload: ready ## 30 concurrent browser calls of one headless Chromium: CPU, late frames, memory (4 minutes; CALLS, SECONDS, ROUNDS)
	@dev/browser-calls.sh --chromium
	@node --disable-warning=ExperimentalWarning bench/browser-load.ts

netem: ready ## Browser calls over a network with loss and jitter, in a network namespace (needs root; 3 minutes)
	@dev/browser-calls.sh --chromium
	@node --disable-warning=ExperimentalWarning test/soak/browser-netem.ts

replay: ready ## Replay a captured call: CAPTURE=file, REAL=1 in real time (docs/captures.md)
	@node --disable-warning=ExperimentalWarning bench/replay.ts $(if $(REAL),--real) "$(or $(CAPTURE),fixtures/captures/booking.capture.gz)"

mutants: ready ## Which small changes of a module's files no test notices: MODULE=media/turn (FILE, TESTS, SAMPLE=100, SEED)
	@node --disable-warning=ExperimentalWarning dev/mutate.ts --module $(or $(MODULE),media/turn) --file "$(FILE)" --tests "$(TESTS)" --sample $(or $(SAMPLE),0) --seed $(or $(SEED),1)

models: ready ## Fetch the weights that no package ships, such as Smart Turn for the end of a turn, with their checksums; `make up` uses them (NAME, MODELS_DIR)
	@node --disable-warning=ExperimentalWarning dev/models.ts

sbom: ready ## Write sbom.json: every locked package with its hash and licence, as CycloneDX JSON (FILE)
	@node --disable-warning=ExperimentalWarning dev/sbom.ts $(or $(FILE),sbom.json)

images: ready ## Every line of the Dockerfiles, executed in bare Debian systems where there is no Docker; then both programs start there and end (needs root and debootstrap; IMAGES=control)
	@node --disable-warning=ExperimentalWarning dev/image-steps.ts

audit: ready ## Known holes of the packages that the programs need; fails at a high one that is not accepted
	@node --disable-warning=ExperimentalWarning dev/audit.ts

check: ready ## Types, lint, import rules, vocabulary and documents
	@echo "types ..." && tsc --noEmit && tsc --noEmit -p console
	@echo "lint ..." && biome check --error-on-warnings .
	@echo "imports, vocabulary, documents ..." && vitest run test/imports.test.ts test/vocabulary.test.ts test/dev/docs.test.ts

docs: ready ## Write the tables of the documents that are derived from manifests, the console's functions for the API, and its clients
	@node --disable-warning=ExperimentalWarning dev/write-docs.ts
	@vitest run -u --reporter=dot test/control/http/generated-client.test.ts

ready:
	@dev/setup.sh
