"""How this project compiles its layers."""
import torch


def counting_backend(log):
    """A backend that notes the size of each graph and runs it as it is."""

    def backend(graph, inputs):
        log.append(len(graph.graph.nodes))
        return graph.forward

    return backend


def compile_layer(layer, log):
    layer.compile(backend=counting_backend(log))
    return layer
