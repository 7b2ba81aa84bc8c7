package io.github.vertxrdma.provider.contract.attack;
