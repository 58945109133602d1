"""A design on a Dask cluster: the settings of the grid are certified by its workers.

    python examples/dask_design.py
"""

from distributed import Client, LocalCluster

import unswayed

if __name__ == "__main__":
    grid = {"learning_rates": [1e-3, 1e-2], "regularizations": [0.01, 0.03], "poison_rates": [0.01, 0.02]}
    # Here the workers are processes of this machine; a Client of any scheduler will do.
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        with Client(cluster) as client:
            found = unswayed.design({"digits": unswayed.sample()}, **grid, attacks="none", benign="limit", executor=client)
    print(found.chosen)
