/** A JUnit extension that gives tests an in-memory fabric. */
package io.github.vertxrdma.provider.devices.junit;
