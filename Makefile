# The two commands that matter (demo, test) and the few that developers use. `make help` lists them.
#
# Every one first installs what it needs and what is missing: packages through apt, Python's in .venv.
# What each does is in tools/; this file only says in which order.

SHELL := /bin/bash
.DEFAULT_GOAL := help
ABUT := .venv/bin/abut

.PHONY: help
help: ## Show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

.PHONY: demo
demo: ## Build abut, show what it says of a real program's heap, and measure that under five heaps
	@tools/setup.sh build heaps demo python
	@tools/build.sh release abut abut_light abut_checked abut_rt abut_papers abut_native abut-collect
	@$(ABUT) demo --force --output build/demo

.PHONY: test
test: ## Run the tests: release, the command line, the heap in debug; under ten minutes
	@tools/setup.sh build heaps programs python
	@tools/test.sh test

.PHONY: test-all
test-all: ## Run all tests: the long ones, all sanitizers, clang and its fuzzer, lint, the pages
	@tools/setup.sh build heaps programs bench clang lint browser dist python docs
	@tools/test.sh all

.PHONY: test-peers
test-peers: ## Run suites that others wrote, under both heaps, and compare; SUITE=glibc for one; takes long
	@tools/setup.sh build peers python
	@tools/build.sh release abut
	@mkdir -p build/peers
	@PYTHONPATH=tests .venv/bin/python -m peers --json build/peers/result.json $(SUITE)

.PHONY: mutants
mutants: ## Change one place of the native code at a time, and see whether a test notices; takes hours
	@tools/setup.sh build heaps python
	@.venv/bin/python tools/mutants.py --seed $$(date +%j) --json build/mutants.json

.PHONY: surroundings
surroundings: ## Run tests with open descriptors, private files, no home, no terminal, as nobody; after make test
	@tools/surroundings.sh

.PHONY: lint
lint: ## Check layers, layout, names and types, and look for likely mistakes
	@tools/setup.sh build lint python
	@tools/lint.sh

.PHONY: format
format: ## Lay out C, C++ and Python as lint checks them
	@tools/setup.sh build lint python
	@git ls-files -co --exclude-standard '*.c' '*.cpp' '*.h' '*.hpp' | xargs clang-format-14 -i
	@.venv/bin/ruff format
	@.venv/bin/ruff check --fix

.PHONY: bench
bench: ## Measure the daily suite under all heaps, into build/bench
	@tools/setup.sh build heaps bench python
	@tools/build.sh release abut bench-programs reuse_speed sim_speed
	@mkdir -p build/bench
	@build/release/bin/bench/sim_speed
	@build/release/bin/bench/reuse_speed
	$(ABUT) compare --suite daily --figure cpu,rss --output build/bench/daily.json --force

.PHONY: docs
docs: ## Build the documentation into build/docs
	@tools/setup.sh build demo docs
	@tools/build.sh release abut abut_papers abut_native abut-collect lists
	@tools/docs.sh
	@echo "open build/docs/index.html"

.PHONY: docs-data
docs-data: ## Write the outputs of commands in the documentation again
	@tools/setup.sh build heaps demo bench python
	@tools/build.sh release abut abut_papers abut_native bench-programs
	@.venv/bin/python tools/docs_data.py outputs

# What the pages' measured places need beside the heap and the suites' programs.
MEASURED = abut_light abut_checked abut-collect abut_papers abut_native bench-move containers_table trace_speed sim_speed \
	reuse_speed

.PHONY: docs-measured
docs-measured: ## Write the measured tables again; takes long, and needs a quiet machine
	@tools/setup.sh build heaps demo bench baselines sources browser python
	@tools/build.sh release abut bench-programs $(MEASURED)
	@.venv/bin/python tools/docs_data.py measured

.PHONY: proof
proof: ## Measure every table of docs/proof.md again; takes hours, goes on where it stopped; QUICK=1 for ten seconds
	@tools/setup.sh build heaps bench $(if $(QUICK),,demo baselines sources browser) python
	@tools/build.sh release abut bench-programs $(if $(QUICK),,$(MEASURED))
	@.venv/bin/python tools/proof.py $(if $(QUICK),--quick)

.PHONY: dist
dist: ## Build the packages that people install into build/dist, and use each in a system of its own
	@tools/setup.sh build dist python
	@tools/build.sh release abut abut-collect
	@tools/dist.sh
	@tests/install/dist.sh build/dist

.PHONY: setup
setup: ## Install all that development needs, without doing anything with it
	@tools/setup.sh build heaps demo bench programs clang lint python docs

.PHONY: clean
clean: ## Remove what was built; set-up stays
	rm -rf build
