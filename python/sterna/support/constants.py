"""Constants of nature and of units that several packages compute with."""

KJ_MOL_PER_K = 8.31446261815324e-3  #: the gas constant: Boltzmann's constant in kJ/mol/K
BAR_PER_KJ_MOL_NM3 = 16.6053906717384587
BAR_PER_ATM = 1.01325
KJ_PER_KCAL = 4.184
