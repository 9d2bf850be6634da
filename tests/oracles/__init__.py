"""Slow, independent answers to check the library against.

No file here imports gdpnum. Each oracle reaches its number by another road than the library does:

    gaussian_dp   f_mu and delta_mu from their formulas, with mpmath
    closed_form   one step (Gaussian or Laplace noise, Poisson-sampled or not), with mpmath
    search        the maximum of a function, for the above
    naive         small discrete losses, composed outcome by outcome
    divergence    Delta-divergence, tried out on a dense grid
    laplace       n-fold Laplace, as a finite sum of polynomials times exponentials
    certified     two or three DP-SGD steps, by nested quadrature
    ball          any lattice composition, in ball arithmetic: the answer with a proven radius
    fixed_point   the polynomial products behind it
    ball_step     one Poisson-sampled Gaussian step on a lattice, in ball arithmetic

Words are those of the library: alpha is the false positive rate, beta the false negative rate,
"remove" is the direction with P = (1-q) N(0) + q N(1) and Q = N(0), "add" its reverse.
"""
