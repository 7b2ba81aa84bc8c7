/**
 * A fabric within one process: connected endpoints and datagrams between completion queues of one JVM, each polled by its own thread.
 * For tests of the layers above, under the same contract as every other provider. Needs no native code and no JUnit.
 */
package io.github.vertxrdma.provider.devices.memory;
