/** A device whose faults a test sets. Needs no JUnit. */
package io.github.vertxrdma.provider.devices.fault;
