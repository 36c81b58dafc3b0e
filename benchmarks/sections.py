"""What there is to measure: the sections of the table, each in parts that can fail without the others."""

SECTIONS = {
    "arm": "batches of states against Pinocchio and CasADi",
    "humanoid": "the same for a humanoid",
    "calls": "one state at a time from Python against Pinocchio",
    "numpy": "the NumPy backend against NumPy by hand",
    "readable": "rnea against other libraries in Python",
    "counts": "operations against RBDA Table 10.1",
    "scaling": "chains of up to 1000 bodies",
    "compile": "how long compiling takes",
    "motion": "motions in time against Pinocchio in SciPy, MuJoCo, Exudyn and readable steps",
    "solvers": "impulses with friction by our pivots against DAQP, ProxQP and Clarabel",
}


def parts(section, folder, options):
    """The parts of a section, {what: function of no arguments that returns its rows}.

    folder: for what is compiled.  options: as `benchmarks.run` has them.  Only a part itself imports the programs that
    it compares with, so that one that is missing harms no other part.
    """
    from benchmarks import batches, compile_time, contact_solvers, counts, models, motions, scaling, single_calls
    from rbdlib import aba, rnea

    rounds = options.rounds

    def case(name="arm"):
        return getattr(models, name)(folder)

    def of_batches(name):
        return {f"{name}, Pinocchio": lambda: batches.against_pinocchio(case(name), folder, rounds),
                f"{name}, CasADi": lambda: batches.against_casadi(case(name), folder, rounds)}

    return {
        "arm": of_batches("arm"),
        "humanoid": of_batches("humanoid"),
        "calls": {"one call, Pinocchio": lambda: single_calls.against_pinocchio(case(), rounds)},
        "numpy": {"NumPy backend": lambda: batches.against_numpy(case(), rounds)},
        "readable": {"readable rnea": lambda: single_calls.of_readable(case(), rounds)},
        "counts": {"operations": lambda: counts.rows(options.sizes)},
        "scaling": {"chains, rnea": lambda: scaling.rows(rnea, options.chains, rounds),
                    "chains, aba": lambda: scaling.rows(aba, options.chains, rounds)},
        "compile": {"compile time": lambda: compile_time.rows(case().name)},
        "motion": {f"{name}, {peer}": lambda name=name, compare=compare: compare(name, folder, rounds)
                   for name in ("double_pendulum", "panda")
                   for peer, compare in (("Pinocchio", motions.against_pinocchio), ("MuJoCo", motions.against_mujoco))}
        | {f"four-bar, {peer}": lambda peer=peer, make=make: motions.loop_against(peer, make, rounds)
           for peer, make in (("MuJoCo RK4", motions.loop_in_mujoco), ("Exudyn", motions.loop_in_exudyn))}
        | {"four-bar": lambda: motions.of_loops(rounds), "ensemble": lambda: motions.of_ensembles(folder),
           "soft contacts": lambda: motions.of_soft_contacts(folder, rounds),
           "contacts": lambda: motions.of_rigid_contacts(rounds),
           "first runs": lambda: motions.of_first_runs(folder, rounds)},
        "solvers": {"contact solvers": lambda: contact_solvers.rows(rounds)},
    }[section]


def measured(section, folder, options):
    """The rows of a section; for a part that raises an error, one row that says so. Never raises one itself."""
    from benchmarks.table import Row

    rows = []
    for what, part in parts(section, folder, options).items():
        try:
            rows += part()
        except Exception as error:                          # whatever it is, the other parts are worth having
            said = " ".join(f"{type(error).__name__}: {error}".split())
            rows.append(Row(what, failed=said[:200].replace("|", "/")))
    return rows
