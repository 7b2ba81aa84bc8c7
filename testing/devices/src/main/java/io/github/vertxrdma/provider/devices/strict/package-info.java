/**
 * A device that wraps another, checks the rules of the SPI, and has only the guarantees that all fabrics give. Both ends of a connection
 * must be in one process. Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.strict;
