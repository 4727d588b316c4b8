"""FMM3D on the charges of a file of `sterna-bench fmm --write`: one JSON object a line.

Usage: fmm3d_forces.py FILE
"""

import json
import sys
import time

import fmm3dpy
import numpy as np

data = np.fromfile(sys.argv[1]).reshape(-1, 4)
sources, charges = np.ascontiguousarray(data[:, :3].T), np.ascontiguousarray(data[:, 3])
count = charges.size
sample = np.arange(0, count, max(1, count // 300))
exact = np.zeros((sample.size, 3))
for k, i in enumerate(sample):
    d = data[i, :3] - data[:, :3]
    r2 = np.einsum("ij,ij->i", d, d)
    r2[i] = np.inf
    exact[k] = charges[i] * np.einsum("i,ij->j", charges * r2**-1.5, d)

for accuracy in (1e-3, 1e-4, 1e-6):
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        result = fmm3dpy.lfmm3d(eps=accuracy, sources=sources, charges=charges, pg=2)
        seconds.append(time.perf_counter() - begin)
    # FMM3D's Laplace kernel is 1 / (4 pi r) in later versions, 1 / r in earlier ones.
    forces = -(charges[sample] * result.grad[:, sample]).T
    scale = np.sum(exact * forces) / np.sum(forces * forces)
    factor = min((1.0, 4 * np.pi), key=lambda known: abs(np.log(scale / known)))
    error = np.sqrt(np.sum((factor * forces - exact) ** 2) / np.sum(exact**2))
    print(
        json.dumps(
            {
                "method": "FMM3D",
                "ranks": 1,
                "charges": int(count),
                "accuracy": accuracy,
                "error": float(error),
                "us_per_particle": 1e6 * min(seconds) / count,
            }
        ),
        flush=True,
    )
