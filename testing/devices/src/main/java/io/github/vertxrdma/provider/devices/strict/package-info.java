/**
 * A device, over any other, that holds its users to all rules at once. It shows each behaviour that some fabric has. Both ends of a
 * connection must be in one process. Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.strict;
