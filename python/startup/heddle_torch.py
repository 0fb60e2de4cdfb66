"""Lets PyTorch use its own kernels where it would call cuDNN, which needs NVIDIA's driver.

`heddle run` puts this folder into PYTHONPATH. PyTorch loads the entry points of the group
torch.backends when it is imported, and finds `without_cudnn` there. Whether convolutions go to cuDNN
is decided by how PyTorch was built and by this flag alone.
"""


def without_cudnn():
    import torch

    torch.backends.cudnn.enabled = False
