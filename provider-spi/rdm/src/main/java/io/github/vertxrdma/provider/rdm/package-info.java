/** Connections over RDM endpoints. Credits, framing and authentication belong to the layers above the SPI, once for all fabrics. */
package io.github.vertxrdma.provider.rdm;
