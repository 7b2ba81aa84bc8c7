/**
 * Shared memory for processes of one host. Two completion queues that have a connection share a socket and a ring in each direction ({@link
 * io.github.vertxrdma.provider.shm.Peering}), which all connections between them use. Memory that the domain allocated is in files that
 * peers map: the initiator executes reads, writes and atomics on it. The owner executes operations on other memory. Content of a page that
 * a peer can write is read once, checked, then used.
 */
package io.github.vertxrdma.provider.shm;
