/**
 * Control connections: one TCP connection per pair of nodes that use each other, which proves the cluster secret, carries small messages,
 * and tells when the peer is gone.
 */
package io.github.vertxrdma.impl.control;
