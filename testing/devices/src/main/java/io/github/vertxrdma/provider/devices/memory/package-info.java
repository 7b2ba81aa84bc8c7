/**
 * A fabric within one process, for tests of the layers above. It passes the contract of all providers. Each queue is polled by its own
 * thread. Needs no native code and no JUnit.
 */
package io.github.vertxrdma.provider.devices.memory;
