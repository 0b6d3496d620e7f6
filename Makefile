# The gate and its parts; `make help` says what there is. It needs git, make and python3,
# on Debian 12 or newer as root, and installs the rest.
GATE   := cd qa && exec /usr/bin/python3 -m toolchain
CHECKS := format lint
RELEASES := pacific reef tentacle

.PHONY: help audit sbom demo check test test-all bench fmt lint types unit scenarios vigil browser-test pictures reliability wheel deb docs upstream-lint install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: ## a throwaway cluster with a stalled OSD and what names it, until Ctrl-C (ONCE=1: take it down at once)
	@$(GATE) bundle
	@qa/demo

check: ## what changed since main (BASE=COMMIT: since that), in about a minute; before each commit
	@export BASE=$(BASE); $(GATE) format lint types:quick+unit:changed+frontend:changed+frontend:types
	@echo "Not in this: other units' tests, other Pythons, the bundle, scenarios, the browser: make test"

test: ## the whole gate, with scenarios and browser on this system's own Ceph
	@$(GATE) $(CHECKS) unit+frontend+types,docs scenarios:native:short-1+browser:native:short+scenarios:native:short-2+pythons:spare

test-all: ## the gate, with all scenarios and the browser on Pacific, Reef and Tentacle; hours
	@$(GATE) $(CHECKS) types,docs+frontend pythons+unit:thorough unit:random=$(SEED) $(foreach r,$(RELEASES),scenarios:$(r) apart:$(r) browser:$(r) vigil:$(r)) upstream "reliability:--short --again $(if $(SEED),--seed $(SEED))" audit

reliability: ## many trials of what must hold, in pieces, with a table (PART=crash, MINUTES=10, SEED=7, SHARE=1/3, TRACES=DIR, SHORT=1, DOCS=1)
	@$(GATE) "reliability:$(foreach p,$(PART),--part $p) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(RELEASE),--release $(RELEASE)) $(if $(SHARE),--share $(SHARE)) $(foreach f,$(FOLDERS),--folder $f) $(if $(TRACES),--traces $(TRACES)) $(foreach w,$(ONLY),--only $w) $(if $(AGAIN),--again) $(if $(SHORT),--short) $(if $(DOCS),--docs)"

bench: ## the project's own benchmarks
	@qa/benchmarks/run

fmt: ## format the sources, and mend what the linter can mend
	@$(GATE) fmt

lint: ## formatting and linting
	@$(GATE) format lint

types: ## type checks
	@$(GATE) types pythons

unit: ## the tests without a cluster
	@$(GATE) unit

scenarios: ## the tests on a real cluster (RELEASE=native)
	@$(GATE) scenarios:$(or $(RELEASE),native)

vigil: ## long watches on a real cluster, about two hours (RELEASE=native)
	@$(GATE) vigil:$(or $(RELEASE),native)

browser-test: ## the tab in a real browser on three releases
	@$(GATE) frontend $(foreach r,$(RELEASES),browser:$(r))

pictures: ## the documentation's pictures, from the dashboard of a real cluster, in 15 minutes
	@$(GATE) bundle
	@qa/browser/run pictures

audit: ## known vulnerabilities of all that is downloaded (AUDIT=offline: where no registry answers)
	@export AUDIT=$(AUDIT); $(GATE) audit

sbom: ## the bills of materials of the wheel and the tab's bundle, in dist/
	@$(GATE) sbom

wheel: ## the wheel with the tab's pages and its bill of materials, in dist/
	@$(GATE) sbom wheel

deb: ## the Debian packages of module and tool, in dist/
	@$(GATE) bundle packages

docs: ## the documentation as pages and manual pages, in build/docs/
	@$(GATE) docs

upstream-lint: ## the linter of Ceph's own modules, with its rules
	@$(GATE) upstream

install: ## the module and its tab among this host's mgr modules (ENABLE=1: enable it; DIR=FOLDER)
	@$(GATE) bundle
	@cd / && PYTHONPATH=$(CURDIR)/mgr_module python3 -B -m perf_bench.tool install \
		$(if $(ENABLE),--enable) $(if $(DIR),--mgr-modules $(DIR))

clean: ## remove what was built and the toolchain
	@cd dashboard_plugin/frontend && rm -rf .node .cache node_modules dist
	@rm -rf build dist mgr_module/*.egg-info .ci/test.log .venv .venv39 .*_cache
	@find . -name __pycache__ -prune -exec rm -rf {} +
