package io.github.vertxrdma.nic;
