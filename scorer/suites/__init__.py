"""The benchmarks. Functions here take gold and output and return numbers: no file, clock, network or database."""
