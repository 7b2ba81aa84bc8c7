/**
 * The provider SPI: the contract that every fabric keeps, in the words of verbs and libfabric and in JDK types only.
 *
 * <p>{@link io.github.vertxrdma.provider.Provider} finds {@link io.github.vertxrdma.provider.Device}s,
 * {@link io.github.vertxrdma.provider.Selection} ranks them, {@link io.github.vertxrdma.provider.Device#open} gives a
 * {@link io.github.vertxrdma.provider.Domain}. There memory is registered and completion queues are made, one for each event loop;
 * endpoints, listeners and receive queues belong to a completion queue and to its thread.
 */
package io.github.vertxrdma.provider;
