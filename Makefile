# `make help` lists what there is. Everything runs under the Node 22 that npm brings; the system's Node only installs it.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# The CPU library is part of the package; without this its installer wants to download one for graphics cards.
export ONNXRUNTIME_NODE_INSTALL := skip
# The inference library would report its use to its maker otherwise.
export ORT_DISABLE_TELEMETRY := 1
.DEFAULT_GOAL := help
.PHONY: help operator micro charts arriving demo up test console browser scenarios conformance bench capacity talkover trouble soak crash slots replay browserload badnetwork check ready

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

demo: ready ## A simulated carrier calls in: watch the call, then its transcript and latencies
	@node dev/demo.ts

up: console ## Start the whole service on this machine; Ctrl-C stops it (API_PORT, MEDIA_PORT, ANTIPHON_HOME)
	@node dev/up.ts

operator: ready ## The operator's command line on the copy of `make up`: make operator ARGS='--help'
	@node dev/operator.ts $(ARGS)

test: ready ## Run every test, over real PostgreSQL, NATS and sockets
	@vitest run

console: ready ## Build the web page and embed.js, which control serves
	@node dev/build-console.ts

browser: console ## Talk to an agent in headless Chromium, through the real page; screenshots in .antiphon/screenshots
	@dev/browser-calls.sh --chromium
	@BROWSER_TALK=1 SCREENSHOTS=$(CURDIR)/.antiphon/screenshots vitest run test/browser test/e2e/browser-call.test.ts test/media/leg/browser-end-to-end.test.ts

scenarios: ready ## Play every conversation of test/scenarios on the virtual clock, and hundreds of random ones
	@vitest run test/scenarios --reporter=dot --reporter=./test/support/count-reporter.ts

conformance: ready ## Hold every transcriber, voice and language model to its suite, over its real protocol
	@vitest run test/conformance --reporter=dot --reporter=./test/support/count-reporter.ts

bench: ready ## Measure the latency the engine adds and the overhead of every adapter; the numbers go to bench/results/
	@node bench/latency.ts
	@node bench/adapters.ts
	@node bench/api.ts
	@node bench/queue.ts
	@node bench/deliveries.ts
	@node --disable-warning=ExperimentalWarning bench/micro.ts
	@node --disable-warning=ExperimentalWarning bench/charts.ts

micro: ready ## What each small part costs that every 20 ms of a call pass through
	@node --disable-warning=ExperimentalWarning bench/micro.ts

charts: ready ## Draw bench/results/*.json as SVG and fill the tables of bench/README.md
	@node --disable-warning=ExperimentalWarning bench/charts.ts

arriving: ready ## 50 lines on which calls come and go for 20 minutes: does anything grow? (SECONDS, LINES)
	@node --disable-warning=ExperimentalWarning test/soak/arriving-calls.ts

capacity: ready ## How many calls one media process carries on one core (7 minutes; CALLS=1,50; NOISE=1)
	@node --disable-warning=ExperimentalWarning bench/capacity.ts

talkover: ready ## Recorded interruptions, backchannels and coughs over the agent's speech, in real time (4 minutes)
	@node bench/interruptions.ts

trouble: ready ## What a caller hears when a provider fails, in real time (4 minutes)
	@node bench/provider-failures.ts

soak: ready ## 200 calls one after the other in one media process: does anything grow? (10 minutes; CALLS)
	@node test/soak/sequential-calls.ts

crash: ready ## Kill -9 of every program in turn while 50 calls are on, and what must be true afterwards (ROUNDS, SEED)
	@node --disable-warning=ExperimentalWarning test/soak/crash.ts

slots: ready ## 10,000 calls by 20 clients through two control processes, for 5 slots (8 minutes; CALLS)
	@node --disable-warning=ExperimentalWarning test/soak/slots.ts

browserload: ready ## 30 browser calls at once, by one headless Chromium: CPU, late frames, memory (4 minutes; CALLS, SECONDS, ROUNDS)
	@dev/browser-calls.sh --chromium
	@node --disable-warning=ExperimentalWarning bench/browser-load.ts

badnetwork: ready ## A browser's call over a network that loses and delays, in a network namespace (needs root; 3 minutes)
	@dev/browser-calls.sh --chromium
	@node --disable-warning=ExperimentalWarning test/soak/browser-netem.ts

replay: ready ## Play a taped call again: TAPE=file, REAL=1 in real time (docs/captures.md)
	@node --disable-warning=ExperimentalWarning bench/replay.ts $(if $(REAL),--real) "$(or $(TAPE),fixtures/captures/booking.capture.gz)"

check: ready ## Types, lint and the import rules
	@echo "types ..." && tsc --noEmit && tsc --noEmit -p console
	@echo "lint ..." && biome check --error-on-warnings .
	@echo "imports ..." && vitest run test/imports.test.ts

ready:
	@dev/setup.sh
