/**
 * Connections over RDM endpoints: a peer is inserted in the address vector, a connection request carries a connection id, an epoch and
 * private data, and messages carry that id. Credits, framing and authentication belong to the layers above the SPI, once for all fabrics.
 */
package io.github.vertxrdma.provider.rdm;
