/**
 * The libfabric provider. Everything but {@link io.github.vertxrdma.provider.libfabric.LibfabricProvider} is package-private: the
 * contract is the SPI's.
 */
package io.github.vertxrdma.provider.libfabric;
