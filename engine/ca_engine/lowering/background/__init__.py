"""Inductor compiles in another process while the training goes on.

    waiting            a captured graph on its way to being compiled, a bit with each backward
    job                its ATen graph as bytes
    dynamo_graph       a graph of Dynamo's: a forward with its backward, an optimizer's step
    dynamo_job         that as bytes
    switch             turns the second kind on and off
    worker             a process that compiles, from outside
    workers            as many of them as cores and memory allow
    compile_process    the same from inside

In a thread it would hold the GIL too long: beside one, backwards of 0.7 ms took 18 ms for one in
ten.
"""
