"""Gradients made smaller for a while."""

from contextlib import ExitStack, contextmanager


@contextmanager
def damped(parameters, share):
    """Within it, gradients of the parameters are scaled by a share."""

    def scaled(grad, share=share):
        return grad * share

    with ExitStack() as stack:
        for parameter in parameters:
            handle = parameter.register_hook(scaled)
            stack.callback(handle.remove)
        yield
