"""Answers that are formulas: read, decided and explained by `rbdlib.verification`.

A formula is compared with the declared reference, or, where the exercise names a model, with what the model's own
algorithms give. Text and LaTeX are read by a grammar and never evaluated.
"""

import copy
import functools
from functools import cached_property

import numpy as np

from rbdlib.exercises.compare import as_column, computed, declared, settled, tolerance_of
from rbdlib.exercises.declare import Report
from rbdlib.exercises.diagnose import Case, diagnose
from rbdlib.io.model_file import load
from rbdlib.verification.decision.decide import Trial
from rbdlib.verification.meaning.aliases import UnknownSymbol
from rbdlib.verification.meaning.answer_lines import BadAnswer, place_name
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics.quantities import find_quantity
from rbdlib.verification.mechanics.states import DIGITS
from rbdlib.verification.plain import FormulaTrial, Reference, names_in
from rbdlib.verification.reports.report import Report as Verified, explained
from rbdlib.verification.reports.report_text import pointed, reasons, state_values

#: Values of symbols that are shown with an example.
_MOST_SHOWN = 8


def grade_formula(exercise, answer):
    """The `Report` on an answer to an exercise that asks for a formula or an array of formulas."""
    import mpmath

    with mpmath.workdps(DIGITS):
        setting = setting_of(exercise)
        try:
            trial = setting.trial(answer)
            decision, problem = trial.decide(), None
        except UnknownSymbol as error:
            return _declared_with_strangers(exercise, answer) or Report("symbol", str(error))
        except BadAnswer as error:
            decision, problem = None, error
        except ValueError as error:                             # Unreadable, and values without a meaning
            return Report("error", str(error))
        if decision and decision.ok:
            return Report("right", "right.", Verified(decision))
        if decision and not getattr(trial, "everywhere", True):
            setting = setting.at(decision.states)
        try:
            stack = settled(setting.values(trial), setting.reference)
        except (ValueError, AttributeError):                    # nothing was read that has values
            return Report("error", str(problem))
        if decision is None and stack.shape == setting.reference.shape:
            return Report("error", str(problem))
        wrong = Wrong(answer, decision)
        return declared(exercise, setting, stack) or diagnose(Case(exercise, setting, stack, wrong))


def _declared_with_strangers(exercise, answer):
    """The report of a declared mistake that has symbols in it which do not belong to the exercise, or None."""
    strangers = set().union(*(names_in(computed(mistake.answer)) for mistake in exercise.mistakes))
    setting = FormulaSetting(exercise, strangers)
    try:
        return declared(exercise, setting, settled(setting.stack(answer), setting.reference))
    except ValueError:
        return None


@functools.lru_cache(64)
def setting_of(exercise):
    """The setting of an exercise that asks for a formula; kept, for a learner tries more than once."""
    return ModelSetting(exercise) if exercise.model else FormulaSetting(exercise)


class FormulaSetting:
    """An exercise whose answer is compared with the declared formula, at random values of its symbols.

    Attributes: ``reference``, the right values as a stack (K, ...) of floats; ``tolerance``.
    """

    def __init__(self, exercise, strangers=()):
        self.exercise, self.tolerance = exercise, tolerance_of(exercise, True)
        formula = computed(exercise.reference)
        self.formula = Reference(formula, {*exercise.symbols, *strangers}, _positive(formula), exercise.id,
                                 where=exercise.where)
        self.shape, self.states = self.formula.shape, self.formula.states()
        self.reference = self.stack(formula)

    def trial(self, answer):
        """A `decide.Trial` of an answer. Raises `Unreadable`, a ValueError."""
        return FormulaTrial(self.formula, answer, self.formula.vocabulary(self.exercise.given))

    def at(self, states):
        """This setting with other values of the symbols."""
        new = copy.copy(self)
        new.states = list(states)
        new.reference = new.stack(computed(self.exercise.reference))
        return new

    def values(self, trial):
        """The values of the answer of a trial as a stack (K, ...) of floats."""
        return as_column(np.array([trial.values(state) for state in self.states], dtype=float))

    def stack(self, answer):
        """The values of an answer as a stack (K, ...) of floats. Raises ValueError if it has none."""
        trial = self.trial(answer)
        trial.prepare(self.shape)
        return self.values(trial)

    def products(self):
        """The exercise's ``product``, a list of one dictionary of name to array for each sample."""
        stacks = {name: self.stack(factor) for name, factor in self.exercise.product().items()}
        return [{name: stack[k] for name, stack in stacks.items()} for k in range(len(self.states))]

    def where(self, k):
        """The k-th sample in words: the values of the symbols."""
        values = [f"{name} = {float(x):.3g}" for name, x in state_values(self.states[k])[:_MOST_SHOWN]]
        return "At " + ", ".join(values) if values else ""


class ModelSetting(FormulaSetting):
    """An exercise whose answer is a quantity of a model, compared with what the model's own algorithms give."""

    def __init__(self, exercise):
        self.exercise, self.tolerance = exercise, tolerance_of(exercise, True)
        self.model = _model(exercise.model)
        self.quantity = find_quantity(self.model, exercise.asks)
        reference = computed(exercise.reference)
        self.states = self.trial(reference).states()
        self.shape = np.shape(self.quantity.value(self.states[0]))
        self.reference = self.stack(reference)

    def trial(self, answer):
        """A `decide.Trial` of an answer. Raises `Unreadable`, a ValueError."""
        return Trial(self.model, self.quantity, answer, Vocabulary(self.model, self.exercise.given), 0)


@functools.cache
def _model(declared):
    return load(declared, symbolic=True) if isinstance(declared, str) else declared()


def _positive(formula):
    """The names of the symbols of a SymPy formula, or an array of such, that are declared to be positive."""
    if isinstance(formula, (list, tuple, np.ndarray)):
        return set().union(*map(_positive, formula)) if np.ndim(formula) else _positive(np.asarray(formula).item())
    return {symbol.name for symbol in getattr(formula, "free_symbols", ()) if symbol.is_positive}


class Wrong:
    """A wrong answer with the reasons that `rbdlib.verification` finds, once it is asked for them."""

    def __init__(self, answer, decision):
        self._answer, self._decision = answer, decision

    @cached_property
    def report(self):
        """The report of `rbdlib.verification`; None if there was nothing that could be compared."""
        return self._decision and explained(Verified(self._decision), self._answer)

    @property
    def explains_all(self):
        """True if reasons were found: they are about all entries."""
        return bool(self.report and self.report.explanations)

    def sentences(self):
        """Corrections that make the answer right, as paragraphs, and their places in the text; "" if none was found."""
        if not self.explains_all:
            return ""
        heading, findings = reasons(self.report)[0]
        several = len(findings) > 1
        lines = [heading] if several else []
        for number, finding in enumerate(findings, start=1):
            lines.append(f"({number}) " * several + self._placed(finding))
            lines += ["    " + line for line in pointed(self.report.source, finding.span)]
        return "\n".join(lines)

    def _placed(self, finding):
        """The sentence of a finding, with all entries that it is about, unless these are all that are wrong."""
        if finding.entry is None:
            return finding.sentence
        sentence = finding.sentence.removeprefix(f"In {place_name(finding.entry)}: ")
        about = finding.entries or (finding.entry,)
        if len(about) == sum(not entry.ok for entry in self._decision.entries):
            return sentence
        return f"In {' and '.join(map(place_name, about))}: {sentence}"

    def trouble(self):
        """Where the trouble is, in a sentence, if no reason was found; "" if that is not known either."""
        return self.report.findings[0].sentence if self.report and self.report.findings else ""
