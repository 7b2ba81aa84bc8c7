/**
 * The provider SPI: the contract of every fabric, in the terms of verbs and libfabric and with JDK types only.
 *
 * <p>{@link io.github.vertxrdma.provider.Provider} finds {@link io.github.vertxrdma.provider.Device}s, {@link
 * io.github.vertxrdma.provider.Selection} ranks them, {@link io.github.vertxrdma.provider.Device#open} returns a {@link
 * io.github.vertxrdma.provider.Domain}. The domain registers memory and creates completion queues, one for each event loop. Endpoints,
 * listeners and receive queues belong to a completion queue and to its thread.
 */
package io.github.vertxrdma.provider;
