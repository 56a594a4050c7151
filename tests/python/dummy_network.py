# SPDX-License-Identifier: Apache-2.0
# The network of the real DLProf capture: its lines stand where those of the capture stand, for which
# there is room between them.





import cuda_is_cpu

import torch
import torch.nn as nn
import torch.nn.functional as F
class dummy_network(nn.Module):
    def __init__(self):
        super(dummy_network, self).__init__()
        self.conv1 = nn.Conv2d(3, 6, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = self.fc3(x)
        return x


net = dummy_network().cuda()
x = torch.randn(32, 3, 32, 32).cuda()






y = net(x)
