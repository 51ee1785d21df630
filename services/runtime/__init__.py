"""What every parser service shares.

Two processes in two environments: ``server`` (gRPC) owns one ``worker`` (the parser's environment, standard library
only). ``form``, ``frames``, ``markdown`` and ``chunker`` run on the worker's side and import nothing else.
"""
