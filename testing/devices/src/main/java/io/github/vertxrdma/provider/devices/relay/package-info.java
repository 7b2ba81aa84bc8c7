package io.github.vertxrdma.provider.devices.relay;
