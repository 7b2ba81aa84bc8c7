/** Connections over RDM endpoints. Credits, frames and authentication are above the SPI, the same for all fabrics. */
package io.github.vertxrdma.provider.rdm;
