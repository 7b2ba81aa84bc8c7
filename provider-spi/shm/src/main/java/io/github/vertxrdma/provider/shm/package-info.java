/**
 * Connected endpoints over shared memory, for processes of one host. Two completion queues that have a connection share a socket and a ring
 * each way ({@link io.github.vertxrdma.provider.shm.Peering}), which all connections between them use. Memory that its domain
 * allocated lies in files that peers map: reads, writes and atomics on it are done by the initiator. Operations on other memory are carried
 * out by its owner. Whatever lies in a page that a peer can write is read once, checked, then used.
 */
package io.github.vertxrdma.provider.shm;
