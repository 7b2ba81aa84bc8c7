/**
 * Shared memory of processes on one host. All connections of two completion queues use one socket and a ring buffer for each direction.
 * Peers map memory that a domain allocates for remote access, and execute operations on it themselves. The owner executes operations on
 * other memory.
 */
package io.github.vertxrdma.provider.shm;
