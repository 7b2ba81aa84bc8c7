/**
 * A fabric within one process: connected endpoints and datagrams between completion queues of one JVM. Each queue is polled by its own
 * thread. Serves tests of the layers above, and passes the same contract as every other provider. Needs no native code and no JUnit.
 */
package io.github.vertxrdma.provider.devices.memory;
