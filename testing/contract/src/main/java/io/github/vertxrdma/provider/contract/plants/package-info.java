package io.github.vertxrdma.provider.contract.plants;
