/**
 * Shared memory of processes on one host. All connections of two completion queues use one socket and a ring in each direction ({@link
 * io.github.vertxrdma.provider.shm.Peering}). Memory that a domain has allocated is in files that peers map, so peers execute reads, writes
 * and atomics on it themselves. Operations on other memory are executed by its owner. Memory that a peer can change is read once, checked,
 * then used.
 */
package io.github.vertxrdma.provider.shm;
