/** Connections over RDM endpoints. */
package io.github.vertxrdma.provider.rdm;
