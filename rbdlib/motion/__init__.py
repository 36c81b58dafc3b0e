"""Motion in time: simulation, integrators, controllers, ensembles."""
