# SPDX-License-Identifier: Apache-2.0
# Three steps of a LeNet.
import torch
import torch.nn as nn
import torch.nn.functional as F


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2))
        self.fc = nn.Linear(864, 10)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


torch.manual_seed(1)
net = LeNet()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
data = torch.utils.data.TensorDataset(torch.randn(6, 1, 28, 28), torch.arange(6))
for x, y in torch.utils.data.DataLoader(data, batch_size=2):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())
