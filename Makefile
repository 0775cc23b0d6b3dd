# make demo    an analysis of real data: two tables, and a picture in demo.png; then the vignettes
# make test    all quick tests, in R and in C
# Both first install missing dependencies. Further commands:
# make deps    only dependencies               make test-extended  quick and long tests
# make document  man/ and NAMESPACE            make check    R CMD check --as-cran
# make mutants   wrong kernels must fail       make bench    bench/RESULTS.md
# make case-studies   the long runs behind the vignettes: inst/case-studies/results
# make fuzz    damaged files, odd arguments, edited fits; make fuzz-sanitized, under ASAN and UBSAN
# make lint    lintr; length of vignettes      make prose    spelling, links
# make vignettes  builds them unless they are built, and installs them: vignette("ldpcounts")
# make readme  the example in README.md prints what README.md says
# make platforms  compiles for Windows, clang and musl, and runs the client for Windows
# make client  a program that adds noise without R: inst/bin/ldp-privatize
# make site    the web site: build/site        make coverage  lines run by the quick tests

R := R
RSCRIPT := Rscript --vanilla
BUILD := build
SOURCES := DESCRIPTION NAMESPACE $(wildcard R/*.R src/*.c src/*.h src/Makevars* data/*.rda man/*.Rd inst/* inst/*/* inst/*/*/*)

.PHONY: demo test test-extended platforms deps install vignettes document check mutants memcheck fuzz fuzz-sanitized bench case-studies client lint prose readme site coverage clean

demo: install
	$(RSCRIPT) tools/demo.R
	@$(MAKE) -s vignettes

test: install
	@$(RSCRIPT) tools/deps.R test
	$(RSCRIPT) tools/test.R

test-extended: install
	@$(RSCRIPT) tools/deps.R test
	@$(RSCRIPT) tools/deps.R platforms
	LDPCOUNTS_EXTENDED_TESTS=true $(RSCRIPT) tools/test.R

deps:
	@$(RSCRIPT) tools/deps.R

install: deps $(BUILD)/installed

# A personal Makevars must not change how the package is compiled. Two files are compiled at a time.
HOW := --preclean
$(BUILD)/installed: $(SOURCES)
	@mkdir -p $(BUILD)
	MAKEFLAGS=-j2 R_MAKEVARS_USER=/dev/null $(R) CMD INSTALL --no-multiarch $(HOW) . >$(BUILD)/install.log 2>&1 \
	  || { cat $(BUILD)/install.log; exit 1; }
	@touch $@
	@[ -f $(BUILD)/vignette.rds ] || [ "$(MAKECMDGOALS)" = vignettes ] || echo "Installed without vignettes. To add them, run: make vignettes"

# R CMD INSTALL finds the built vignettes in inst/doc and their index in build/. They are built again when vignettes/
# or stored results change, and not with each change of the code. The installation that adds them compiles nothing, and
# does not try again whether the package can be loaded.
vignettes: $(BUILD)/vignette.rds
	@$(MAKE) -s install HOW=--no-test-load

$(BUILD)/vignette.rds: $(wildcard vignettes/* inst/case-studies/results/*) | install
	@sh tools/vignettes.sh

document: install
	$(RSCRIPT) tools/document.R
	$(RSCRIPT) tools/collection.R

check: deps
	sh tools/check.sh

mutants: install
	$(RSCRIPT) tests/mutants/mechanism.R
	$(RSCRIPT) tests/mutants/mutants.R

platforms: install
	@$(RSCRIPT) tools/deps.R platforms
	sh tools/platforms.sh

memcheck: deps
	sh tools/memcheck.sh 'cells|threads|run|gibbs|prior|fit|private_counts|privatize|release|bessel_i|privpois'

# 2,500 release files, 500 calls and 500 edited fits, at most ten minutes each; FUZZ is the number of files.
FUZZ := 2500
fuzz: install
	sh tools/fuzz.sh plain $(FUZZ) 600

fuzz-sanitized: deps
	sh tools/fuzz.sh sanitized $(FUZZ) 600

bench: install
	$(RSCRIPT) bench/all.R

# If a run was killed, the next run continues where it stopped.
case-studies: install
	$(RSCRIPT) inst/case-studies/run.R

CLIENT := inst/bin/ldp-privatize
CLIENT_SOURCES := $(wildcard tools/client/*.c) src/ldp_secure.c src/ldp_release.c src/rc_system.c

client: $(CLIENT)

$(CLIENT): $(CLIENT_SOURCES) tools/client/client.h $(wildcard src/ldp_*.h) src/rc_system.h
	@mkdir -p $(dir $@)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -Isrc -D__USE_MINGW_ANSI_STDIO=1 -DLDP_VERSION='"$(shell sed -n 's/^Version: //p' DESCRIPTION)"' \
	  $(CLIENT_SOURCES) -o $@ $(if $(filter Windows_NT,$(OS)),-lbcrypt) -lm

# Dependencies of these four commands only are installed when a command is first used.
lint: install
	@$(RSCRIPT) tools/deps.R lint
	$(RSCRIPT) tools/lint.R
	$(RSCRIPT) tools/vignettes.R

prose: deps
	@$(RSCRIPT) tools/deps.R prose
	$(RSCRIPT) tools/prose.R

readme: install
	$(RSCRIPT) tools/readme.R

site: install
	@$(RSCRIPT) tools/deps.R site
	$(RSCRIPT) tools/site.R

coverage: deps
	@$(RSCRIPT) tools/deps.R coverage
	$(RSCRIPT) tools/coverage.R

clean:
	rm -rf $(BUILD) inst/doc inst/bin src/*.o src/*.so demo.png
	$(MAKE) -C tests/c clean
