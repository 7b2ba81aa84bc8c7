/**
 * A device over any other that checks all rules at once, and behaves as any fabric may. Both ends of a connection must be in one process.
 * Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.strict;
