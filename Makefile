# The gate and its parts; `make help` says what there is. It needs git, make and python3,
# on Debian 12 or newer as root, and installs the rest.
GATE   := cd qa && exec /usr/bin/python3 -m toolchain
CHECKS := format lint types pythons unit

.PHONY: help demo test test-all bench fmt lint types unit scenarios wheel clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: ## a throwaway cluster with one first round, until Ctrl-C (ONCE=1: take it down at once)
	@qa/demo

test: ## the whole gate, with the scenarios on this system's own Ceph
	@$(GATE) $(CHECKS) scenarios:native

test-all: ## the gate, with the scenarios on Pacific, Reef and Tentacle
	@$(GATE) $(CHECKS) scenarios:pacific scenarios:reef scenarios:tentacle

bench: ## the project's own benchmarks
	@qa/bench/run

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

wheel: ## the wheel, in dist/
	@$(GATE) wheel

clean: ## remove what was built and the toolchain
	@rm -rf build dist mgr_module/*.egg-info .ci/test.log .venv .venv39 .*_cache
	@find . -name __pycache__ -prune -exec rm -rf {} +
