# rbdlib: read the book with "make lab", check it with "make test". "make help" lists the rest.

PY := .venv/bin/python

# Two workers; a file, and so a notebook with its one kernel, stays on one of them.
PYTEST := $(PY) -m pytest -n 2 --dist loadfile
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=600
# Each worker keeps to one core, and figures need no display.
QUIET_CORES := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# Bytecode is kept, also where the environment says otherwise: pytest's rewriting of the tests is half of collecting them.
QUIET_CORES += PYTHONDONTWRITEBYTECODE=

.PHONY: help environment lab lint test test-fast test-long test-portable fuzz mutants rates test-peers test-browser benchmarks ledger book lite notebooks student slides clean
.DEFAULT_GOAL := help

help:
	@echo 'make lab           open the book in JupyterLab          (options: make lab ARGS="--no-browser --port 8899")'
	@echo 'make test          lint, every test, every notebook     (options: make test ARGS="-k spatial")'
	@echo 'make test-fast     nearly every test, without the slow ones and the notebooks'
	@echo 'make test-long     all tests, also those that take long'
	@echo 'make test-portable the tests as on other processors, and with other versions of NumPy, SciPy, SymPy and Python'
	@echo 'make fuzz          random mechanisms compared for MINUTES=30, and the smallest that fails'
	@echo 'make mutants       faults put into rbdlib one at a time, and which of them the tests overlook'
	@echo 'make rates         how often the checker of derivations is right: docs/rates.md'
	@echo 'make test-peers    the same by Pinocchio, MuJoCo, Drake, RBDL, Modern Robotics (fetched into .venv-peers)'
	@echo 'make test-browser  JupyterLab, live figures and scenes in Chromium (fetches Playwright into .venv-browser)'
	@echo 'make benchmarks    what is fast, compared with what     (fetches the other programs into .venv-benchmarks)'
	@echo 'make ledger        which equations of the five texts are checked'
	@echo 'make book          the book as a site in build/book/html (fetches Sphinx into .venv-book, MathJax by npm)'
	@echo '                   (POSITIONS=no: without the pictures that sliders show, which take minutes when code changed)'
	@echo 'make lite          the notebooks to run in a browser, as a site in build/lite (fetches JupyterLite into .venv-lite)'
	@echo 'make notebooks     run every notebook and save its outputs, for authors'
	@echo 'make student       student and solution versions of the notebooks, for teachers (ARGS="--only 01 09")'
	@echo 'make slides        a deck and a board plan for each notebook (ARGS="--only 01 09"; fetches reveal.js by npm)'
	@echo 'make lint          ruff, types (mypy) and spelling (codespell)'
	@echo 'make clean         remove what the tools left behind; .venv stays (rm -rf .venv removes that)'
	@echo
	@echo 'The first lab or test makes .venv. PYTHON=python3.12 make lab chooses the Python.'

environment:
	@sh tools/environment.sh

lab: environment
	@echo 'Opening notebooks/00_start_here.ipynb in JupyterLab. Ctrl-C twice in this window ends it.'
	@allow_root=; if [ "$$(id -u)" = 0 ]; then allow_root=--allow-root; fi; \
	exec $(PY) -m jupyterlab --log-level=WARN $$allow_root --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb $(ARGS)

lint: environment
	@echo '== Lint (ruff, mypy, codespell)'
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m codespell_lib *.md benchmarks docs rbdlib teaching tools

test: lint
	@echo '== Unit tests, ledger tests and every notebook (pytest and nbval, two workers)'
	@$(QUIET_CORES) $(PYTEST) -m 'not long' $(NBVAL) tests notebooks $(ARGS)

test-fast: lint
	@echo '== Unit tests, without the slow ones and the notebooks (pytest, two workers)'
	@$(QUIET_CORES) $(PYTEST) -p no:nbval -m 'not slow and not long' tests $(ARGS)

test-long: environment
	@echo '== All tests, also those that take long: corpora in full, many digits, many draws (pytest, two workers)'
	@$(QUIET_CORES) $(PYTEST) $(NBVAL) tests notebooks $(ARGS)

test-portable: environment
	@echo '== The tests as on other processors, and with other versions of what rbdlib stands on'
	@$(PY) -m tools.portability $(ARGS)

fuzz: environment
	@echo '== Random mechanisms by the million: compiled against readable code, method against method'
	@$(PY) -m tools.fuzz --minutes $(or $(MINUTES),30) $(ARGS)

mutants: environment
	@echo '== Small faults put into rbdlib one at a time: which do the tests overlook?'
	@$(PY) -m tools.mutation $(ARGS)

rates: environment
	@echo '== How often the checker of derivations is right, and how long it takes'
	@$(PY) -m tools.rates --write $(ARGS)

# The other programs bring many libraries, so they get an environment of their own.
test-peers: environment
	@test -x .venv-peers/bin/python || $(PY) -m venv .venv-peers
	@.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		-e '.[symbolic,plot,io,test]' -r tests/peers/requirements.txt
	@echo '== Comparison with Pinocchio, MuJoCo, Drake, Modern Robotics and RBDL'
	@$(QUIET_CORES) .venv-peers/bin/python -m pytest -n 2 --dist loadfile tests/peers $(ARGS)

# JupyterLab itself is that of `make lab`; this environment drives the browser.
test-browser: environment
	@test -x .venv-browser/bin/python || $(PY) -m venv .venv-browser
	@.venv-browser/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		-e '.[symbolic,plot,test]' -r tests/browser/requirements.txt
	@echo '== JupyterLab, live figures and scenes in Chromium'
	@RBDLIB_BROWSER=needed .venv-browser/bin/python -m pytest tests/browser tests/site $(ARGS)

benchmarks: environment
	@test -x .venv-benchmarks/bin/python || $(PY) -m venv .venv-benchmarks
	@.venv-benchmarks/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		-e '.[io]' -r benchmarks/requirements.txt
	@.venv-benchmarks/bin/python -m benchmarks.run $(ARGS)

ledger: environment
	@$(PY) tests/sources/report.py $(ARGS)

book: environment
	@test -x .venv-book/bin/python || $(PY) -m venv .venv-book
	@.venv-book/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		-e '.[symbolic,plot]' -r tools/book/requirements.txt
	@[ "$(POSITIONS)" = no ] || $(PY) -m tools.book.positions
	@.venv-book/bin/python -m tools.book $(ARGS)

lite: environment
	@test -x .venv-lite/bin/python || $(PY) -m venv .venv-lite
	@.venv-lite/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		-r tools/lite/requirements.txt
	@.venv-lite/bin/python -m tools.lite $(ARGS)

notebooks: environment
	@echo '== Running every notebook and saving its outputs'
	@$(QUIET_CORES) $(PY) tools/save_outputs.py $(ARGS)

student: environment
	@$(PY) -m tools.teaching $(ARGS)

slides: environment
	@$(PY) -m tools.teaching.slides $(ARGS)

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache notebooks/.ipynb_checkpoints
	find rbdlib tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
