/**
 * Connections over RDM endpoints: a peer is inserted in the address vector, a connection request carries a connection id, an epoch and
 * private data, and messages are told apart by that id. No credits, framing or authentication: those live above the SPI, once for all
 * fabrics.
 */
package io.github.vertxrdma.provider.rdm;
