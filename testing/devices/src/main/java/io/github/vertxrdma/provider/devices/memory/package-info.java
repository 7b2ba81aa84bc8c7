/**
 * An RDMA fabric within one process, for tests of code above the provider SPI. It passes the provider contract. Each queue is polled by its
 * own thread. Needs no native code and no JUnit.
 */
package io.github.vertxrdma.provider.devices.memory;
