/**
 * The libfabric provider. Only {@link io.github.vertxrdma.provider.libfabric.LibfabricProvider} is public; all others implement the SPI.
 */
package io.github.vertxrdma.provider.libfabric;
