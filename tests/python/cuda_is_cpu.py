# SPDX-License-Identifier: Apache-2.0
"""Lets a script that says .cuda() run where there is no GPU, as PyTorch would hand the call to modes."""
import torch
from torch.overrides import handle_torch_function, has_torch_function_unary


def cuda(self, *_arguments):
    if has_torch_function_unary(self):
        return handle_torch_function(torch.Tensor.cuda, (self,), self)
    return self.clone()


if not torch.cuda.is_available():
    torch.Tensor.cuda = cuda
