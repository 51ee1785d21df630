"""BizDocBench: six axes over whole documents."""
