"""Properties of fluids from their models: virial coefficients, vapor-liquid equilibria."""
