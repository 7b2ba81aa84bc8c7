/** A bad network between two ends of TCP connections. */
package io.github.vertxrdma.provider.devices.relay;
