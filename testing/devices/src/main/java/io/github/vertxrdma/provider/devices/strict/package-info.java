/**
 * A device that wraps any other, checks all rules, and behaves as any fabric may. Both ends of a connection must be in one process. Needs
 * no JUnit.
 */
package io.github.vertxrdma.provider.devices.strict;
