/** The libfabric provider. */
package io.github.vertxrdma.provider.libfabric;
