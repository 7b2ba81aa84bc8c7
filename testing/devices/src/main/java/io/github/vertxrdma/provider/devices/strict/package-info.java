/**
 * A device that holds its users to every rule at once, over any other: what some fabric somewhere does, it does here. Both ends must be in
 * one process. Needs no JUnit.
 */
package io.github.vertxrdma.provider.devices.strict;
