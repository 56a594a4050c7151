# SPDX-License-Identifier: Apache-2.0
# Three steps of a small transformer.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True) for _ in range(2)
        )
        self.head = nn.Linear(8, 16)

    def forward(self, x):
        x = self.embedding(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(1)
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
tokens = torch.arange(12).reshape(2, 6)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    loss.backward()
    optimizer.step()
    print(loss.item())
